internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL

/// An entry of a manifest, as rules see it; expensive properties are computed on demand.
final class LintedEntry {
    /// The fields of a line.
    enum Field: Sendable {
        case url, lastModified, expires, mediaType, member
    }

    /// The entry and its place.
    let item: ManifestReader.Item
    /// The media type, or nil if the entry has none.
    let type: LintedType?
    /// The URL.
    private(set) lazy var resource: WebURL = item.url
    /// The parameters of the URL.
    private(set) lazy var parameters = URLParameter.all(of: resource)

    init(_ item: ManifestReader.Item, _ type: LintedType?) {
        self.item = item
        self.type = type
    }

    /// The time when the resource was last modified.
    var lastModified: Timestamp? { item.lastModified }
    /// The time until which the response is fresh.
    var expires: Timestamp? { item.expires }
    /// The start of the line.
    var place: PackageProblem.Place { .manifest(line: item.line, column: 1) }

    /// Returns the place of a field in the line, or the start of the line if it lacks the field.
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

/// The values that rules compare with.
struct LintContext: Sendable {
    /// The time that dates are compared with.
    var now: Timestamp
    /// The settings from the configuration.
    var settings: LintSettings
}
