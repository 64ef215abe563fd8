/// A line of printable ASCII with fields that are neither empty nor padded, split eight bytes at a time.
///
/// Most lines are plain.
///
/// All other lines are left to ``ManifestLine``, which alone decides what is malformed.
struct PlainLine {
    /// The number of bytes that are read beyond a line's end at most.
    static let reach = 9

    /// The number of bytes in the line, without its end.
    let count: Int
    /// The number of bytes in the line, with its end.
    let total: Int
    let endsInCRLF: Bool
    /// The fields, relative to the line's start.
    let fields: LineFields

    /// Splits the line at the start of the buffer.
    ///
    /// - Parameters:
    ///   - bytes: The line's start.
    ///   - available: The number of bytes that may be read.
    @inline(__always)
    init?(_ bytes: UnsafeRawPointer, available: Int) {
        var index = 0
        var delimiters = Delimiters()
        while true {
            guard index + Self.reach <= available else { return nil }
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let stops = Self.stops(word)
            var semicolons = Self.semicolons(word)
            // Bytes behind the stop belong to the next line.
            if stops != 0 { semicolons &= (stops & (0 &- stops)) &- 1 }
            while semicolons != 0 {
                let place = index + semicolons.trailingZeroBitCount >> 3
                semicolons &= semicolons &- 1
                guard place > 0, bytes[place - 1] == UInt8(ascii: " ") else { continue }
                if bytes[place + 1] == UInt8(ascii: " ") {
                    guard delimiters.append(place) else { return nil }
                } else if bytes[place + 1] < 0x20 {
                    // An empty field at the line's end.
                    return nil
                }
            }
            if stops != 0 {
                index += stops.trailingZeroBitCount >> 3
                break
            }
            index += 8
        }
        endsInCRLF = bytes[index] == UInt8(ascii: "\r")
        total = index + (endsInCRLF ? 2 : 1)
        guard total <= available, bytes[total - 1] == UInt8(ascii: "\n"), index <= PackageLayout.lineByteLimit,
            let fields = delimiters.fields(bytes, end: index)
        else { return nil }
        count = index
        self.fields = fields
    }

    // MARK: Eight bytes at a time

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Returns the top bits of bytes that aren't printable ASCII; correct up to the lowest of them.
    @inline(__always)
    private static func stops(_ word: UInt64) -> UInt64 {
        // A byte of 0x80 or more may carry into the byte above it, but it is a stop itself.
        (word | ~(word &+ 0x60 &* ones) | (word &+ ones)) & tops
    }

    /// Returns the top bits of bytes that are semicolons; correct if all bytes are ASCII.
    @inline(__always)
    private static func semicolons(_ word: UInt64) -> UInt64 {
        ~((word ^ UInt64(UInt8(ascii: ";")) &* ones) &+ 0x7F &* ones) & tops
    }
}

/// The places of the semicolons between fields, up to four.
private struct Delimiters {
    private var first = 0
    private var second = 0
    private var third = 0
    private var fourth = 0
    private var count = 0

    /// Adds the next place if there is room.
    @inline(__always)
    mutating func append(_ place: Int) -> Bool {
        count += 1
        switch count {
        case 1: first = place
        case 2: second = place
        case 3: third = place
        case 4: fourth = place
        default: return false
        }
        return true
    }

    /// Returns the fields, or nil if one is empty or begins or ends with a space, or if there is only one.
    @inline(__always)
    func fields(_ bytes: UnsafeRawPointer, end: Int) -> LineFields? {
        /// Returns the range from behind one semicolon to the next.
        @inline(__always)
        func field(_ start: Int, _ end: Int) -> Range<Int>? {
            guard start < end, bytes[start] != UInt8(ascii: " "), bytes[end - 1] != UInt8(ascii: " ") else {
                return nil
            }
            return start..<end
        }
        guard count > 0, let url = field(0, first - 1),
            let lastModified = field(first + 2, count > 1 ? second - 1 : end)
        else { return nil }
        var fields = LineFields(url: url, lastModified: lastModified)
        if count > 1 {
            guard let expires = field(second + 2, count > 2 ? third - 1 : end) else { return nil }
            fields.append(expires)
        }
        if count > 2 {
            guard let mediaType = field(third + 2, count > 3 ? fourth - 1 : end) else { return nil }
            fields.append(mediaType)
        }
        if count > 3 {
            guard let member = field(fourth + 2, end) else { return nil }
            fields.append(member)
        }
        return fields
    }
}

extension UnsafeRawPointer {
    /// Returns the byte at an offset.
    @inline(__always)
    fileprivate subscript(offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }
}
