extension LintRules {
    /// Returns the rule with an identifier, or nil.
    public static func rule(_ id: String) -> Description? { all.first { $0.id == id } }

    /// Returns known identifiers that resemble a mistyped one.
    ///
    /// - Parameter text: The identifier as typed.
    /// - Returns: At most three, the nearest first; empty if none is near.
    public static func nearest(to text: String) -> [String] {
        let written = Array(text.lowercased().utf8.prefix(100))
        guard written.count > 1 else { return [] }
        let found = all.compactMap { rule -> (distance: Int, id: String)? in
            let id = Array(rule.id.utf8)
            let name = Array(id.drop { $0 != UInt8(ascii: ".") }.dropFirst())
            // A missing group, or only a part of the name, counts as nearly as good.
            let isPart = written.count >= 3 && rule.id.contains(text.lowercased())
            let distance = min(
                NearestName.changes(written, id),
                NearestName.changes(written, name) + 1,
                isPart ? 2 : .max
            )
            return distance <= max(2, written.count / 3) ? (distance, rule.id) : nil
        }
        return found.sorted { $0 < $1 }.prefix(3).map(\.id)
    }
}
