internal import AFCCaching
internal import AFCPackageFormat

extension MatchRules.Rule {
    /// The rule as No-Vary-Search says it; nil if a name ends with `*`, for which that field has no form.
    var variance: SearchVariance? {
        let (names, isIgnoring): ([String], Bool) =
            switch self.names {
            case .ignore(let names): (names, true)
            case .keep(let names): (names, false)
            }
        guard !names.contains(where: { $0.utf8.last == UInt8(ascii: "*") }) else { return nil }
        let set = Set(names.map { Array($0.utf8) })
        // The order of parameters makes no difference in any match.
        return SearchVariance(names: isIgnoring ? .allBut(set) : .only(set), ignoresOrder: true)
    }
}
