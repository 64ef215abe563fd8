internal import HTTPCaching
internal import PackageFormat
internal import URLStandard

/// One entry of a manifest, as rules see it.
struct LintedEntry: Sendable {
    /// The fields of a line.
    enum Field: Sendable {
        case url, lastModified, expires, mediaType, member
    }

    /// The entry and where it stood.
    let item: ManifestReader.Item
    /// The media type, or nil where the entry has none.
    let type: LintedType?
    /// What the URL's suffix says, or nil where it says nothing.
    let expected: LintedType?
    /// What its URL is made of.
    let url: LintedURL

    /// The entry.
    var entry: ManifestEntry { item.entry }
    /// The start of the line.
    var place: PackageProblem.Place { .manifest(line: item.line, column: 1) }

    /// Where a field is, as far as that is known.
    func place(of field: Field) -> PackageProblem.Place { place }

    init(_ item: ManifestReader.Item, _ types: inout LintedTypes) {
        self.item = item
        type = item.entry.mediaType.flatMap { types.type($0) }
        let url = LintedURL(item.entry.url)
        self.url = url
        expected = type == nil ? nil : types.type(suffixOf: url, item.entry.url.path)
    }
}

/// What rules may look at besides what they check.
struct LintContext: Sendable {
    /// The time that dates are compared with.
    var now: Timestamp
    /// What the configuration sets for rules.
    var settings: LintSettings
}
