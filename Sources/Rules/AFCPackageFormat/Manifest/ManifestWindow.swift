internal import AFCText

/// The part of a manifest that is in memory, and the current reading position.
///
/// A manifest in memory is one window; of one that is read in parts, a window holds a few hundred KiB at most.
struct ManifestWindow: Sendable {
    /// The item at the current position.
    enum Next: Equatable {
        /// A line, as a range in the window without its end; the position is behind it.
        case line(Range<Int>, endsInCRLF: Bool)
        /// A line longer than the window.
        case long(length: Int, endsInCRLF: Bool)
        /// More bytes are needed to decide.
        case incomplete
        /// The end of the manifest.
        case end
    }

    /// The usual window size, larger than the longest permitted line.
    static let usualSize = 4 * PackageLayout.lineByteLimit

    /// The size of a window of a manifest that is read in parts.
    private let size: Int
    /// The buffer, of which the first ``count`` bytes belong to the manifest.
    private(set) var bytes: [UInt8]
    private(set) var count: Int
    /// The byte offset of the window in the manifest.
    private(set) var base = 0
    /// The offset of the next byte to read, within the window.
    private(set) var position = 0
    /// The line that was read last.
    private(set) var line = LinePlace(number: 0, offset: 0)
    private(set) var hasByteOrderMark = false
    /// True if no bytes follow the window.
    private var isLast: Bool
    /// The number of bytes already skipped of a line that doesn't fit into the window.
    private var skipped = 0

    /// Creates a window of a whole manifest.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        size = bytes.count
        count = bytes.count
        isLast = true
        skipByteOrderMark()
    }

    /// Creates an empty window at the start of a manifest.
    init() { self.init(at: LinePlace(number: 0, offset: 0), size: Self.usualSize) }

    /// Creates an empty window at the start of a line that was read before.
    init(at place: LinePlace, size: Int) {
        self.size = size
        base = place.offset
        bytes = []
        count = 0
        isLast = false
    }

    /// A window at the start of the same manifest.
    var restarted: ManifestWindow { isWhole ? ManifestWindow(bytes) : ManifestWindow() }

    private var isWhole: Bool { base == 0 && isLast && size == count }

    /// Returns a line that was read before, without its end, if the window still holds all of it.
    func line(at offset: Int) -> Range<Int>? {
        guard offset >= base, offset < base + position else { return nil }
        let end = bytes.withUnsafeBufferPointer {
            ByteCursor.next(UInt8(ascii: "\n"), in: UnsafeBufferPointer(rebasing: $0[..<count]), from: offset - base)
        }
        let start = offset - base
        let endsInCRLF = end < count && end > start && bytes[end - 1] == UInt8(ascii: "\r")
        return start..<(endsInCRLF ? end - 1 : end)
    }

    /// True if the manifest ends here without a line end.
    var lacksLastLineEnd: Bool { count > 0 && bytes[count - 1] != UInt8(ascii: "\n") }

    /// The size of the manifest in bytes, once its end was reached.
    var end: Int { base + count }

    /// Moves past a line that begins at the current position.
    @inline(__always)
    mutating func take(_ total: Int) -> LinePlace {
        line = LinePlace(number: line.number &+ 1, offset: base &+ position)
        position &+= total
        return line
    }

    /// Moves past lines that consist of a line end only, as far as the window holds them.
    ///
    /// - Returns: The first of them, and their number.
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

    /// Moves past the next line.
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

    /// Skips the available bytes of a line except the last one, which may be the first byte of its end.
    private mutating func skip() {
        if skipped == 0 { line.offset = base }
        skipped += count - 1
        position = count - 1
    }

    /// Reads more bytes, keeping those that weren't consumed.
    ///
    /// - Parameter read: Reads from a place in the manifest until the buffer is full, and returns the number of bytes
    ///   read.
    /// - Throws: Any error of the read function.
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
        // If an item still refers to the buffer, this copies it, so that the item keeps its bytes.
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
