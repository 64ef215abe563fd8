/// The part of a line around the spot that a finding is about.
public struct Excerpt: Equatable, Sendable {
    /// The original bytes, at most 4 KiB; not necessarily UTF-8.
    public var bytes: [UInt8]
    /// The position of the spot in the bytes, from 1; the number of bytes plus one for the line's end.
    public var column: Int
    /// The number of bytes of the spot, or 0 for a point.
    public var length: Int
    /// True if the line starts before the bytes.
    public var lacksStart: Bool
    /// True if the line continues after the bytes.
    public var lacksEnd: Bool

    /// The maximum number of bytes that are kept.
    public static let byteLimit = 4 << 10

    /// Creates the excerpt of a line.
    ///
    /// - Parameters:
    ///   - line: The whole line without its line break.
    ///   - column: The start of the spot in bytes, from 1.
    ///   - length: The number of bytes of the spot, or 0.
    public init(line: some RandomAccessCollection<UInt8>, column: Int, length: Int = 0) {
        func byte(_ offset: Int) -> UInt8 { line[line.index(line.startIndex, offsetBy: offset)] }
        let spot = min(max(0, column - 1), line.count)
        var start = max(0, min(spot - Self.byteLimit / 4, line.count - Self.byteLimit))
        var end = min(line.count, start + Self.byteLimit)
        // Never split a character, which has at most four bytes.
        var count = 0
        while start > 0, start < spot, byte(start) & 0xC0 == 0x80, count < 3 { (start, count) = (start + 1, count + 1) }
        count = 0
        while end < line.count, end > spot, byte(end) & 0xC0 == 0x80, count < 3 { (end, count) = (end - 1, count + 1) }
        bytes = Array(line.dropFirst(start).prefix(end - start))
        self.column = spot - start + 1
        self.length = max(0, min(length, end - spot))
        lacksStart = start > 0
        lacksEnd = end < line.count
    }
}
