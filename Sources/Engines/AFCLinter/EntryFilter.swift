internal import AFCHTTP
internal import AFCPackageFormat

/// Finds out in some dozens of nanoseconds which rules can find something in a line; nearly always none can.
struct EntryFilter {
    private let rules: [(features: EntryFeatures, rule: any EntryRule.Type)]
    /// The features that any of the rules needs.
    private let wanted: EntryFeatures
    private let context: LintContext
    private let soon: Timestamp
    private let far: Timestamp
    private var types = LintedTypes()
    private var suffixes = SuffixMeanings()

    /// - Parameters:
    ///   - rules: The rules that are on.
    ///   - context: The values that the rules compare with.
    ///   - filters: True to check features before running rules; the findings are the same.
    init(_ rules: [any EntryRule.Type], _ context: LintContext, filters: Bool = true) {
        self.rules = rules.map { (filters ? $0.features : .any, $0) }
        wanted = self.rules.reduce([]) { $0.union($1.features) }
        self.context = context
        soon = max(context.now, ExpiresSoonRule.end(context))
        far = ExpiresFarRule.end(context)
    }

    /// Runs the rules that can find something in an entry.
    @inline(__always)
    mutating func check(_ item: ManifestReader.Item, _ findings: inout FindingCollector) {
        guard !rules.isEmpty else { return }
        let features = features(of: item)
        if !features.isDisjoint(with: wanted) { ask(item, features, &findings) }
    }

    private mutating func ask(
        _ item: ManifestReader.Item,
        _ features: EntryFeatures,
        _ findings: inout FindingCollector
    ) {
        let entry = LintedEntry(item, item.mediaType.flatMap { types.type($0) })
        for (needed, rule) in rules where !features.isDisjoint(with: needed) { rule.check(entry, context, &findings) }
    }

    @inline(__always)
    private mutating func features(of item: ManifestReader.Item) -> EntryFeatures {
        var features: EntryFeatures = .any
        let url = item.urlGlance
        if item.hasOddMember { features.insert(.oddMember) }
        if !context.settings.readers.isEmpty,
            item.hasOtherThanASCII || context.settings.readers.contains(where: { !$0.reads(fields: item.fields.count) })
        {
            features.insert(.otherDialect)
        }
        if !url.traits.isEmpty { features.insert(Self.features(of: url.traits, item)) }
        if url.count > context.settings.longURL { features.insert(.longURL) }
        if let text = item.mediaType {
            if let type = types.traits(text) { features.insert(self.features(of: type, suffix: url.suffix)) }
        } else {
            features.insert(.noType)
        }
        if let date = item.lastModified, date > context.now || date < ImplausibleLastModifiedRule.firstSite {
            features.insert(.oddLastModified)
        }
        if let date = item.expires {
            if date <= soon { features.insert(.earlyExpiry) }
            if date > far { features.insert(.lateExpiry) }
        }
        return features
    }

    @inline(__always)
    private mutating func features(of type: LintedType.Traits, suffix: UInt64) -> EntryFeatures {
        var features: EntryFeatures = type.isOdd ? .oddType : []
        guard suffix != 0, type.kind != nil || type.isGeneric else { return features }
        switch suffixes.meaning(suffix) {
        case .nothing: break
        case .kind(let kind): if kind != type.kind { features.insert(.otherSuffix) }
        case .unknown: features.insert(.otherSuffix)
        }
        return features
    }

    private static func features(of traits: URLGlance.Traits, _ item: ManifestReader.Item) -> EntryFeatures {
        if traits.contains(.unknown) { return .allOfURL }
        var features: EntryFeatures = []
        if traits.contains(.encoded) { features.insert(.encoded) }
        if traits.contains(.parameters), ParameterNames.known.mayBe(in: item) { features.insert(.parameters) }
        if traits.contains(.emptyQuery) { features.insert(.emptyQuery) }
        if traits.contains(.emptySegment) { features.insert(.emptySegment) }
        if traits.contains(.unusualHost) { features.insert(.unusualHost) }
        if traits.contains(.hiddenName) { features.insert(.hiddenName) }
        return features
    }
}
