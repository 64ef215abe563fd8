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
    private var levels: [Level] = []
    /// The number of open ones that are nested too deeply to be shown.
    private var hidden = 0
    /// True if the last line belongs to a block that has ended.
    private var isAfterBlock = false

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

    /// Writes a line of a block.
    mutating func add(_ line: some Sequence<UInt8>) {
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
        appendIndent(of: levels[...])
        text += line
        text.append(0x0A)
    }

    /// Ends a block.
    mutating func end() { isAfterBlock = true }

    private mutating func appendIndent(of levels: ArraySlice<Level>) {
        for level in levels { text += level.indent }
    }

    /// The place of the next line.
    var position: Int { text.count }
}
