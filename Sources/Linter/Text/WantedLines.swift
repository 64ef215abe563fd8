internal import PackageFormat

/// Picks some lines out of a text that arrives in chunks.
struct WantedLines {
    /// More of a line isn't kept than a manifest's line may have.
    private static let lineLimit = 64 << 10

    private let wanted: [Int]
    private var next = 0
    private var line = 1
    private var text: [UInt8] = []

    /// - Parameter lines: Numbers from 1, sorted, each once.
    init(_ lines: [Int]) { wanted = lines }

    /// Whether all lines were found.
    var isDone: Bool { next == wanted.count }

    /// Takes a chunk and gives the wanted lines that end in it, without the line end.
    mutating func add(_ chunk: UnsafeRawBufferPointer, _ found: (Int, [UInt8]) -> Void) {
        var position = 0
        while position < chunk.count, !isDone {
            var end = position
            while end < chunk.count, chunk[end] != 0x0A { end += 1 }
            if line == wanted[next] {
                text.append(contentsOf: chunk[position..<end].prefix(Self.lineLimit - text.count))
            }
            guard end < chunk.count else { return }
            finish(found)
            line += 1
            position = end + 1
        }
    }

    /// Gives the last line, where it has no end.
    mutating func finish(_ found: (Int, [UInt8]) -> Void) {
        guard !isDone, line == wanted[next] else { return }
        found(line, text)
        text.removeAll(keepingCapacity: true)
        next += 1
    }
}
