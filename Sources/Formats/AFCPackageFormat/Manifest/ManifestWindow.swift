internal import AFCText

/// The part of a manifest that is in memory, and the place in it that was reached.
///
/// A whole manifest is one window; of a longer one there is never more than a few hundred KiB.
struct ManifestWindow: Sendable {
    /// What stands at the place that was reached.
    enum Next: Equatable {
        /// A line, in the window's bytes without its end, and where the next begins.
        case line(Range<Int>, endsInCRLF: Bool)
        /// A line with more bytes than the window holds.
        case long(length: Int, endsInCRLF: Bool)
        /// More bytes are needed to tell.
        case incomplete
        /// Nothing: the manifest ends.
        case end
    }

    /// More than a line may have.
    static let usualSize = 4 * PackageLayout.lineByteLimit

    /// How many bytes are in memory at once, where not all are.
    private let size: Int
    /// The bytes, of which only the first ``count`` are the manifest's.
    private(set) var bytes: [UInt8]
    private(set) var count: Int
    /// Where the window begins in the manifest.
    private(set) var base = 0
    /// The next byte to be read, in the window.
    private(set) var position = 0
    /// The line that was read last.
    private(set) var line = LinePlace(number: 0, offset: 0)
    private(set) var hasByteOrderMark = false
    /// Whether bytes behind the window may follow.
    private var isLast: Bool
    /// What was left out already of a line that the window couldn't hold.
    private var skipped = 0

    /// All of a manifest.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        size = bytes.count
        count = bytes.count
        isLast = true
        skipByteOrderMark()
    }

    /// The start of a manifest that nothing was read of yet.
    init() { self.init(at: LinePlace(number: 0, offset: 0), size: Self.usualSize) }

    /// The start of a line that was read before, and some bytes behind it.
    init(at place: LinePlace, size: Int) {
        self.size = size
        base = place.offset
        bytes = []
        count = 0
        isLast = false
    }

    /// The start of the same manifest.
    var restarted: ManifestWindow { isWhole ? ManifestWindow(bytes) : ManifestWindow() }

    private var isWhole: Bool { base == 0 && isLast && size == count }

    /// A line that was read before, without its end, if all of it is still in the window.
    func line(at offset: Int) -> Range<Int>? {
        guard offset >= base, offset < base + position else { return nil }
        let end = bytes.withUnsafeBufferPointer {
            ByteCursor.next(UInt8(ascii: "\n"), in: UnsafeBufferPointer(rebasing: $0[..<count]), from: offset - base)
        }
        let start = offset - base
        let endsInCRLF = end < count && end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return start..<(endsInCRLF ? end - 1 : end)
    }

    /// Whether the manifest ends here without a line end.
    var lacksLastLineEnd: Bool { count > 0 && bytes[count - 1] != UInt8(ascii: "\n") }

    /// How many bytes the manifest has, once its end was read.
    var end: Int { base + count }

    /// Moves over a line that begins where the window stands.
    @inline(__always)
    mutating func take(_ total: Int) -> LinePlace {
        line = LinePlace(number: line.number &+ 1, offset: base &+ position)
        position &+= total
        return line
    }

    /// Moves over lines that have nothing but an end, as far as they are in the window.
    ///
    /// - Returns: The first of them, and how many there were.
    mutating func takeEmptyLines(endingInCRLF: Bool) -> (first: LinePlace, count: Int) {
        let first = LinePlace(number: line.number &+ 1, offset: base &+ position)
        guard skipped == 0 else { return (first, 0) }
        let (start, count, width) = (position, count, endingInCRLF ? 2 : 1)
        let reached = bytes.withUnsafeBufferPointer { bytes in
            var place = start
            while place + width <= count, bytes[place + width - 1] == UInt8(ascii: "\n"),
                !endingInCRLF || bytes[place] == UInt8(ascii: "\r")
            {
                place += width
            }
            return place
        }
        let lines = (reached - start) / width
        guard lines > 0 else { return (first, 0) }
        line = LinePlace(number: line.number &+ lines, offset: base &+ reached - width)
        position = reached
        return (first, lines)
    }

    /// Moves over the next line.
    mutating func next() -> Next {
        if position == count, skipped == 0, isLast { return .end }
        let position = position
        let end = bytes.withUnsafeBufferPointer {
            ByteCursor.next(UInt8(ascii: "\n"), in: UnsafeBufferPointer(rebasing: $0[..<count]), from: position)
        }
        guard end < count || isLast else {
            if position == 0, count == size { skip() }
            return .incomplete
        }
        let hasEnd = end < count
        let endsInCRLF = hasEnd && end > position && bytes[end - 1] == UInt8(ascii: "\r")
        let lineEnd = endsInCRLF ? end - 1 : end
        if skipped > 0 {
            let length = skipped + lineEnd - position
            line.number += 1
            skipped = 0
            self.position = hasEnd ? end + 1 : end
            return .long(length: length, endsInCRLF: endsInCRLF)
        }
        _ = take((hasEnd ? end + 1 : end) - position)
        return .line(position..<lineEnd, endsInCRLF: endsInCRLF)
    }

    /// Leaves out what is there of a line but its last byte, which may be the first of its end.
    private mutating func skip() {
        if skipped == 0 { line.offset = base }
        skipped += count - 1
        position = count - 1
    }

    /// Reads on, keeping what wasn't read over.
    ///
    /// - Parameter read: Reads at a place of the manifest until the buffer is full, and says how much there was.
    /// - Throws: What reading throws.
    mutating func refill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Int
    ) throws(Failure) {
        let isFirst = base == 0 && count == 0
        if bytes.count != size { bytes = [UInt8](repeating: 0, count: size) }
        let rest = position..<count
        let kept = rest.count
        base += position
        (position, count) = (0, kept)
        let offset = base + kept
        // An item that somebody still holds keeps the bytes as they were, since then this makes a copy.
        count += try bytes.withUnsafeMutableBufferPointer { buffer throws(Failure) in
            let buffer = UnsafeMutableRawBufferPointer(buffer)
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[rest]))
            return try read(UnsafeMutableRawBufferPointer(rebasing: buffer[kept...]), offset)
        }
        isLast = count < size
        if isFirst { skipByteOrderMark() }
    }

    private mutating func skipByteOrderMark() {
        hasByteOrderMark = count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        if hasByteOrderMark { position = 3 }
    }
}
