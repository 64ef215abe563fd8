extension Excerpt {
    /// Two lines for a terminal: the text, and what stands below its spot.
    public struct Marked: Equatable, Sendable {
        /// The text, with an ellipsis where it was cut.
        public var text: String
        /// Spaces and then `^`, with `~` for as long as the spot goes on.
        public var marks: String
    }

    /// What is shown of it where there are so many columns.
    ///
    /// Control and invisible characters, and bytes that are no UTF-8, are escaped, and a tab is four spaces; wide
    /// characters take two columns and combining ones none, so that the caret stands below the right one.
    ///
    /// - Parameter width: How many columns there are; less than 20 count as 20.
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

    /// Which characters the spot has; none where it is the end of the line.
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

    /// Which characters are shown: all, or so many that the spot is in the middle, or at least its beginning is there.
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
