extension Excerpt {
    /// Two lines for a terminal: the text, and the marks below the spot.
    public struct Marked: Equatable, Sendable {
        /// The text, with an ellipsis where it is cut.
        public var text: String
        /// Spaces, then `^`, then `~` for the rest of the spot.
        public var marks: String
    }

    /// Returns the part of the text that fits into a number of columns, with the spot marked.
    ///
    /// Control characters, invisible characters and invalid UTF-8 are escaped, and a tab becomes four spaces. Wide
    /// characters take two columns and combining ones none, so that the caret is below the right character.
    ///
    /// - Parameter width: The number of columns, at least 20.
    /// - Returns: The text around the spot, and the marks below.
    public func marked(width: Int) -> Marked {
        let width = max(20, width)
        let shown = ShownCharacter.all(of: bytes)
        var columns = [0]
        for character in shown { columns.append(columns[columns.count - 1] + character.width) }
        let spot = spot(in: shown)
        let (first, last) = window(of: columns, around: spot, width)
        var text = shown[first..<last].map(\.text).joined()
        var indent = columns[spot.lowerBound] - columns[first]
        if first > 0 || lacksStart {
            text = "…" + text
            indent += 1
        }
        if last < shown.count || lacksEnd { text += "…" }
        let visibleEnd = min(spot.upperBound, last)
        let spotWidth = length == 0 ? 1 : max(1, columns[max(visibleEnd, spot.lowerBound)] - columns[spot.lowerBound])
        let marks = String(repeating: " ", count: indent) + "^" + String(repeating: "~", count: spotWidth - 1)
        return Marked(text: text, marks: marks)
    }

    /// Returns the characters of the spot; empty if it is the end of the line.
    private func spot(in shown: [ShownCharacter]) -> Range<Int> {
        var (first, end) = (shown.count, shown.count)
        var position = 0
        for (index, character) in shown.enumerated() {
            position += character.byteCount
            if position >= column, first == shown.count { first = index }
            if position >= column - 1 + max(1, length) {
                end = index + 1
                break
            }
        }
        return first..<max(first, end)
    }

    /// Returns the characters to show: all, or those around the spot or at least its start.
    private func window(of columns: [Int], around spot: Range<Int>, _ width: Int) -> (first: Int, last: Int) {
        let count = columns.count - 1
        let (start, end) = (columns[spot.lowerBound], max(columns[spot.upperBound], columns[spot.lowerBound] + 1))
        let total = max(columns[count], end)
        if total + (lacksStart ? 1 : 0) + (lacksEnd ? 1 : 0) <= width { return (0, count) }
        let room = width - 2
        let before = max(room / 4, (room - (end - start)) / 2)
        let from = max(0, min(start - before, total - room))
        guard let first = columns.indices.first(where: { columns[$0] >= from }) else { return (0, count) }
        let last = columns.lastIndex { $0 <= columns[first] + room } ?? count
        return (first, max(first, last))
    }
}
