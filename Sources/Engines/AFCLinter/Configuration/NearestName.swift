/// A search for the known name that resembles a mistyped one.
package enum NearestName {
    /// Returns the known name that needs the fewest changes, if they are few; the first of several.
    ///
    /// - Parameters:
    ///   - name: The name as typed.
    ///   - known: The known names.
    /// - Returns: One of the known names, or nil if none is near.
    package static func nearest(to name: String, among known: [String]) -> String? {
        let written = Array(name.lowercased())
        guard (1...64).contains(written.count) else { return nil }
        return known.map { (name: $0, changes: changes(written, Array($0))) }
            .filter { $0.changes <= max(1, min(written.count, $0.name.count) / 3) }
            .min { $0.changes < $1.changes }?.name
    }

    /// Counts the elements to insert, remove, change, or swap with their neighbor.
    static func changes<Element: Equatable>(_ one: [Element], _ other: [Element]) -> Int {
        var before: [Int] = []
        var above = Array(0...other.count)
        for (line, element) in one.enumerated() {
            var row = [line + 1]
            for (column, expected) in other.enumerated() {
                var least = min(above[column] + (element == expected ? 0 : 1), above[column + 1] + 1, row[column] + 1)
                if line > 0, column > 0, element == other[column - 1], one[line - 1] == expected {
                    least = min(least, before[column - 1] + 1)
                }
                row.append(least)
            }
            (before, above) = (above, row)
        }
        return above[other.count]
    }
}
