internal import AFCPackageFormat
internal import AFCPlatform

/// A filter that picks lines out of a text that arrives in chunks.
struct WantedLines {
    /// A requested line.
    struct Line {
        /// The line number, from 1.
        var number: Int
        /// The bytes without the LF.
        var text: [UInt8]
        /// True if an LF follows.
        var hasEnd: Bool
    }

    /// The maximum number of bytes that are kept, which is the limit of a manifest's line.
    private static let lineLimit = 64 << 10

    private let wanted: [Int]
    private var next = 0
    private var line = 1
    private var text: [UInt8] = []

    /// - Parameter lines: The line numbers from 1, sorted and unique.
    init(_ lines: [Int]) { wanted = lines }

    /// True if all lines were found.
    var isDone: Bool { next == wanted.count }

    /// Takes a chunk and passes on the requested lines that end in it.
    mutating func add(_ chunk: UnsafeRawBufferPointer, _ found: (Line) -> Void) {
        var position = 0
        while position < chunk.count, !isDone {
            let end = Self.end(of: chunk, from: position)
            if line == wanted[next] {
                text.append(contentsOf: chunk[position..<end].prefix(Self.lineLimit - text.count))
            }
            guard end < chunk.count else { return }
            finish(hasEnd: true, found)
            line += 1
            position = end + 1
        }
    }

    /// Passes on the last line if it has no line break.
    mutating func finish(_ found: (Line) -> Void) { finish(hasEnd: false, found) }

    private mutating func finish(hasEnd: Bool, _ found: (Line) -> Void) {
        guard !isDone, line == wanted[next] else { return }
        found(Line(number: line, text: text, hasEnd: hasEnd))
        text.removeAll(keepingCapacity: true)
        next += 1
    }

    private static func end(of chunk: UnsafeRawBufferPointer, from position: Int) -> Int {
        guard let base = chunk.baseAddress,
            let found = memchr(base + position, Int32(UInt8(ascii: "\n")), chunk.count - position)
        else { return chunk.count }
        return UnsafeRawPointer(found) - base
    }
}
