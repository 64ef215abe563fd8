internal import AFCPackageFormat

/// The lines of a manifest that is being rewritten, in their original order until they are sorted.
struct FixedLines {
    private struct Line {
        /// The range in the text, with the line break.
        var range: Range<Int>
        /// The range of the sort key, in the text or in `keys`; empty for a header, which comes first.
        var key: Range<Int>
        var hasOwnKey = false
        /// The index among the entries.
        var entry: Int?
    }

    /// The meanings of the entries, in the order of the lines.
    private(set) var meanings: [EntryMeaning] = []
    /// True if headers come first, and then entries by their URLs.
    private(set) var isSorted = true
    /// True if a header follows an entry.
    private(set) var hasLateHeader = false
    private var lines: [Line] = []
    private var text: [UInt8] = []
    /// Sort keys that differ from the written URLs.
    private var keys: [UInt8] = []

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The whole text.
    ///
    /// If the first line starts with the bytes of a byte order mark, another one is put before it, or the first would
    /// be lost.
    var bytes: [UInt8] { text.starts(with: Self.byteOrderMark) ? Self.byteOrderMark + text : text }

    mutating func addHeader(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>) {
        let start = text.count
        text += key
        text += " = ".utf8
        text += value
        text.append(UInt8(ascii: "\n"))
        if !meanings.isEmpty { hasLateHeader = true }
        add(Line(range: start..<text.count, key: start..<start))
    }

    /// Adds a line that can't be parsed and is never sorted, with its line break.
    mutating func addUnread(_ line: ArraySlice<UInt8>) { text += line }

    /// Adds a line that gives an entry and is kept unchanged except for its line break.
    ///
    /// - Parameters:
    ///   - line: The line without its line break.
    ///   - entry: The entry as the reader parses it.
    mutating func addKept(_ line: ArraySlice<UInt8>, entry: ManifestEntry) {
        var line = line
        while line.last == UInt8(ascii: "\r") { line.removeLast() }
        text += line
        text.append(UInt8(ascii: "\n"))
        meanings.append(EntryMeaning(entry))
    }

    mutating func addEntry(_ entry: FixedEntry) {
        let start = text.count
        let url = entry.write(to: &text)
        var line = Line(range: start..<text.count, key: url)
        if let key = entry.ownKey {
            line.hasOwnKey = true
            line.key = keys.count..<(keys.count + key.utf8.count)
            keys += key.utf8
        }
        line.entry = meanings.count
        meanings.append(EntryMeaning(entry.entry))
        add(line)
    }

    private mutating func add(_ line: Line) {
        if isSorted, let last = lines.last, precedes(line, last) { isSorted = false }
        lines.append(line)
    }

    /// Sorts the lines; lines with equal keys keep their order.
    mutating func sort() {
        let order = lines.indices.sorted { one, other in
            if precedes(lines[one], lines[other]) { return true }
            return one < other && !precedes(lines[other], lines[one])
        }
        var sorted: [UInt8] = []
        sorted.reserveCapacity(text.count)
        for index in order { sorted += text[lines[index].range] }
        meanings = order.compactMap { lines[$0].entry.map { meanings[$0] } }
        (text, lines, isSorted) = (sorted, [], true)
    }

    private func precedes(_ one: Line, _ other: Line) -> Bool {
        text.withUnsafeBufferPointer { text in
            keys.withUnsafeBufferPointer { keys in
                func key(_ line: Line) -> UnsafeBufferPointer<UInt8> {
                    UnsafeBufferPointer(rebasing: (line.hasOwnKey ? keys : text)[line.key])
                }
                return key(one).lexicographicallyPrecedes(key(other))
            }
        }
    }
}
