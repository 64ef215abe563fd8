/// The lines of a Markdown text, with the marks of the lists and quotes that they are in.
struct MarkdownLines {
    /// A list item or a quote.
    private struct Level {
        /// The beginning of its lines.
        var indent: [UInt8]
        /// The beginning of its first line; nil once it is written.
        var marker: [UInt8]?
    }

    /// The most lists and quotes in one another that are shown.
    private static let maxDepth = 12

    private(set) var text: [UInt8] = []
    /// True if a line was left out, since the text had reached the limit.
    private(set) var isTruncated = false
    /// The most bytes, apart from the end of the line that exceeds them.
    private let limit: Int
    private var levels: [Level] = []
    /// The number of open ones that are nested too deeply to be shown.
    private var hidden = 0
    /// True if the last line belongs to a block that has ended.
    private var isAfterBlock = false

    init(limit: Int) { self.limit = limit }

    /// True if no further line is written.
    var isFull: Bool { text.count >= limit }

    /// Begins an item or a quote.
    mutating func open(_ marker: String, indent: String) {
        guard levels.count < Self.maxDepth else {
            hidden += 1
            return
        }
        levels.append(Level(indent: Array(indent.utf8), marker: Array(marker.utf8)))
    }

    /// Ends the innermost item or quote.
    mutating func close() { if hidden > 0 { hidden -= 1 } else { levels.removeLast() } }

    /// True if nothing of the innermost item or quote is written.
    var isAtMarker: Bool { levels.last?.marker != nil }

    /// Begins a block, after an empty line unless it is tight or the first of an item.
    mutating func begin(isTight: Bool) {
        guard isAfterBlock else { return }
        isAfterBlock = false
        guard !isTight else { return }
        let pending = levels.firstIndex { $0.marker != nil } ?? levels.count
        appendIndent(of: levels[..<pending])
        while text.last == 0x20 { text.removeLast() }
        text.append(0x0A)
    }

    /// Writes a line of a block unless the limit is reached.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - isLast: True for the end of code, which is written in any case.
    mutating func add(_ line: some Sequence<UInt8>, isLast: Bool = false) {
        guard isLast || hasRoom() else { return }
        for index in levels.indices {
            text += levels[index].marker ?? levels[index].indent
            levels[index].marker = nil
        }
        text += line
        while text.last == 0x20 { text.removeLast() }
        text.append(0x0A)
    }

    /// Writes a line as it is.
    mutating func addVerbatim(_ line: some Collection<UInt8>) {
        guard !line.isEmpty else { return add(line) }
        guard hasRoom() else { return }
        appendIndent(of: levels[...])
        text += line
        text.append(0x0A)
    }

    private mutating func hasRoom() -> Bool {
        if isFull { isTruncated = true }
        return !isFull
    }

    /// Ends a block.
    mutating func end() { isAfterBlock = true }

    private mutating func appendIndent(of levels: ArraySlice<Level>) {
        for level in levels { text += level.indent }
    }

    /// The place of the next line.
    var position: Int { text.count }
}

/// The lines of a text without their ends.
struct LineSequence: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>?

    init(_ text: [UInt8]) { rest = text[...] }

    mutating func next() -> ArraySlice<UInt8>? {
        guard let text = rest else { return nil }
        guard let end = text.firstIndex(of: 0x0A) else {
            rest = nil
            return text
        }
        rest = text[(end + 1)...]
        return text[..<end]
    }
}
