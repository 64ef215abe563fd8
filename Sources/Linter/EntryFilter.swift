internal import HTTPCaching
internal import PackageFormat

/// Tells in some dozens of nanoseconds which rules can find something in a line; nearly always that is none.
struct EntryFilter {
    private let rules: [(features: EntryFeatures, rule: any EntryRule.Type)]
    /// What any rule needs.
    private let wanted: EntryFeatures
    private let context: LintContext
    private let soon: Timestamp
    private let far: Timestamp
    private var types = LintedTypes()
    private var suffixes = SuffixKinds()

    /// - Parameters:
    ///   - rules: The rules that are on.
    ///   - context: What they compare with.
    ///   - filters: Whether lines are looked at before rules are asked; the findings are the same.
    init(_ rules: [any EntryRule.Type], _ context: LintContext, filters: Bool = true) {
        self.rules = rules.map { (filters ? $0.features : .any, $0) }
        wanted = self.rules.reduce([]) { $0.union($1.features) }
        self.context = context
        soon = max(context.now, ExpiresSoonRule.end(context))
        far = ExpiresFarRule.end(context)
    }

    /// Asks the rules that can find something in an entry.
    @inline(__always)
    mutating func check(_ item: ManifestReader.Item, _ findings: inout FindingCollector) {
        guard !rules.isEmpty else { return }
        let type = item.mediaType.flatMap { types.type($0) }
        let features = features(of: item, type)
        if !features.isDisjoint(with: wanted) { ask(item, type, features, &findings) }
    }

    private func ask(
        _ item: ManifestReader.Item,
        _ type: LintedType?,
        _ features: EntryFeatures,
        _ findings: inout FindingCollector
    ) {
        let entry = LintedEntry(item, type)
        for (needed, rule) in rules where !features.isDisjoint(with: needed) { rule.check(entry, context, &findings) }
    }

    @inline(__always)
    private mutating func features(of item: ManifestReader.Item, _ type: LintedType?) -> EntryFeatures {
        var features: EntryFeatures = .any
        let url = item.urlGlance
        if !url.traits.isEmpty { features.insert(Self.features(of: url.traits)) }
        if url.count > context.settings.longURL { features.insert(.longURL) }
        if let type {
            if type.isOdd { features.insert(.oddType) }
            if url.suffix != 0, type.kind != nil || type.isGeneric, let kind = suffixes.kind(url.suffix),
                kind != type.kind
            {
                features.insert(.otherSuffix)
            }
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

    private static func features(of traits: URLGlance.Traits) -> EntryFeatures {
        if traits.contains(.unknown) { return .allOfURL }
        var features: EntryFeatures = []
        if traits.contains(.encoded) { features.insert(.encoded) }
        if traits.contains(.parameters) { features.insert(.parameters) }
        if traits.contains(.emptyQuery) { features.insert(.emptyQuery) }
        if traits.contains(.emptySegment) { features.insert(.emptySegment) }
        if traits.contains(.unusualHost) { features.insert(.unusualHost) }
        if traits.contains(.hiddenName) { features.insert(.hiddenName) }
        return features
    }
}

/// What suffixes say: a manifest has many lines and few of them.
private struct SuffixKinds {
    /// What a suffix says that may say anything.
    enum Kind { case known(LintedType.Kind), unknown }

    private var known: [UInt64: LintedType.Kind?] = [:]
    private var last: (suffix: UInt64, kind: LintedType.Kind?) = (0, nil)

    /// What a suffix is for browsers; nil where it says nothing.
    mutating func kind(_ suffix: UInt64) -> Kind? {
        if suffix == URLGlance.longSuffix { return .unknown }
        if suffix != last.suffix { last = (suffix, look(suffix)) }
        return last.kind.map { .known($0) }
    }

    private mutating func look(_ suffix: UInt64) -> LintedType.Kind? {
        if let kind = known[suffix] { return kind }
        let bytes = withUnsafeBytes(of: suffix.bigEndian) { Array($0.drop { $0 == 0 }) }
        let kind = MediaType(suffixOf: "a." + String(decoding: bytes, as: UTF8.self)).flatMap {
            LintedType.kind(of: $0.essence)
        }
        // A hostile manifest has another suffix in each line.
        if known.count == 1000 { known.removeAll(keepingCapacity: true) }
        known[suffix] = .some(kind)
        return kind
    }
}

extension SuffixKinds.Kind {
    /// Whether a suffix may say something else than a media type.
    fileprivate static func != (one: SuffixKinds.Kind, other: LintedType.Kind?) -> Bool {
        guard case .known(let kind) = one else { return true }
        return kind != other
    }
}
