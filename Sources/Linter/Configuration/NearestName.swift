/// Finds out what somebody meant who mistyped a name.
enum NearestName {
    /// The known name that takes the fewest edits, where they are few; the first of several.
    static func nearest(to name: String, among known: [String]) -> String? {
        guard name.utf8.count <= 64 else { return nil }
        let limit = max(1, name.count / 3)
        return known.map { ($0, edits(from: Array(name.lowercased()), to: Array($0))) }
            .filter { $0.1 <= limit }.min { $0.1 < $1.1 }?.0
    }

    /// How many characters have to be put in, taken out or changed.
    private static func edits(from one: [Character], to other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (i, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, expected) in other.enumerated() {
                let changed = diagonal + (character == expected ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[other.count]
    }
}
