internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

/// One entry of a manifest, as rules see it; what costs something is made when a rule asks for it.
final class LintedEntry {
    /// The fields of a line.
    enum Field: Sendable {
        case url, lastModified, expires, mediaType, member
    }

    /// The entry and where it stood.
    let item: ManifestReader.Item
    /// The media type, or nil where the entry has none.
    let type: LintedType?
    /// Its URL.
    private(set) lazy var resource: WebURL = item.url
    /// The parameters of its URL.
    private(set) lazy var parameters = URLParameter.all(of: resource)

    init(_ item: ManifestReader.Item, _ type: LintedType?) {
        self.item = item
        self.type = type
    }

    /// When the origin last changed the resource.
    var lastModified: Timestamp? { item.lastModified }
    /// Until when the response is fresh.
    var expires: Timestamp? { item.expires }
    /// The start of the line.
    var place: PackageProblem.Place { .manifest(line: item.line, column: 1) }

    /// Where a field is in the line; the whole line where it doesn't have it.
    func spot(of field: Field) -> (place: PackageProblem.Place, length: Int) {
        let fields = item.fields
        let part: Range<Int>? =
            switch field {
            case .url: fields.url
            case .lastModified: fields.lastModified
            case .expires: fields.expires
            case .mediaType: fields.mediaType
            case .member: fields.member
            }
        guard let part, !part.isEmpty else { return (place, 0) }
        return (.manifest(line: item.line, column: part.lowerBound + 1), part.count)
    }
}

/// What rules may look at besides what they check.
struct LintContext: Sendable {
    /// The time that dates are compared with.
    var now: Timestamp
    /// What the configuration sets for rules.
    var settings: LintSettings
}
