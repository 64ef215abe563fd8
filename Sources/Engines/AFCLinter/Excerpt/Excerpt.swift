/// The piece of a line around the spot that a finding is about.
public struct Excerpt: Equatable, Sendable {
    /// The bytes as they stand, at most 4 KiB; not necessarily UTF-8.
    public var bytes: [UInt8]
    /// Where in them the spot begins, from 1; one more than there are where it is the line's end.
    public var column: Int
    /// How many of them it has, or 0 where it is a point.
    public var length: Int
    /// Whether the line begins before them.
    public var lacksStart: Bool
    /// Whether the line goes on behind them.
    public var lacksEnd: Bool

    /// The most bytes of a line that are kept.
    public static let byteLimit = 4 << 10

    /// Cuts the piece out of a line.
    ///
    /// - Parameters:
    ///   - line: The whole line without its end.
    ///   - column: Where the spot begins, from 1, in bytes.
    ///   - length: How many bytes it has, or 0.
    public init(line: some RandomAccessCollection<UInt8>, column: Int, length: Int = 0) {
        func byte(_ offset: Int) -> UInt8 { line[line.index(line.startIndex, offsetBy: offset)] }
        let spot = min(max(0, column - 1), line.count)
        var start = max(0, min(spot - Self.byteLimit / 4, line.count - Self.byteLimit))
        var end = min(line.count, start + Self.byteLimit)
        // No character is cut in two: one has at most four bytes.
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
