/// Features of a line that rules look for.
///
/// A rule names the features it needs and isn't run on lines that have none of them. A line may be given a feature
/// unnecessarily, but if it lacks one, no rule that needs it could find anything.
struct EntryFeatures: OptionSet, Sendable {
    let rawValue: UInt32

    /// A feature of every line.
    static let any = EntryFeatures(rawValue: 1)
    /// A URL other than http or https with a domain name in normal form; it also has all other features of URLs.
    static let unusualURL = EntryFeatures(rawValue: 1 << 1)
    /// A percent sign or an unreserved character in percent-encoding.
    static let encoded = EntryFeatures(rawValue: 1 << 2)
    /// Parameters of the query, or of a segment of the path.
    static let parameters = EntryFeatures(rawValue: 1 << 3)
    /// An empty query.
    static let emptyQuery = EntryFeatures(rawValue: 1 << 4)
    /// Two consecutive slashes.
    static let emptySegment = EntryFeatures(rawValue: 1 << 5)
    /// An IP address, `localhost`, or a name that ends in a dot.
    static let unusualHost = EntryFeatures(rawValue: 1 << 6)
    /// A segment that begins with a dot.
    static let hiddenName = EntryFeatures(rawValue: 1 << 7)
    /// A URL of more bytes than the settings allow.
    static let longURL = EntryFeatures(rawValue: 1 << 8)
    /// A suffix that contradicts the media type, which isn't nil.
    static let otherSuffix = EntryFeatures(rawValue: 1 << 9)
    /// No media type.
    static let noType = EntryFeatures(rawValue: 1 << 10)
    /// A media type that isn't registered, or an unknown charset.
    static let oddType = EntryFeatures(rawValue: 1 << 11)
    /// An impossible last-modified date.
    static let oddLastModified = EntryFeatures(rawValue: 1 << 12)
    /// An expires date in the past, or within the number of days in the settings.
    static let earlyExpiry = EntryFeatures(rawValue: 1 << 13)
    /// An expires date more than a year ahead.
    static let lateExpiry = EntryFeatures(rawValue: 1 << 14)

    /// A member name that no packager writes: with `=`, a backslash, a colon, or a dot or slash at the start.
    static let oddMember = EntryFeatures(rawValue: 1 << 15)
    /// A number of fields for which an old reader in the settings drops the line.
    static let otherDialect = EntryFeatures(rawValue: 1 << 16)

    /// The features of a URL about which only parsing can tell anything.
    static let allOfURL: EntryFeatures = [
        .unusualURL, .encoded, .parameters, .emptyQuery, .emptySegment, .unusualHost, .hiddenName, .longURL,
        .otherSuffix,
    ]
    /// All features.
    static let all = EntryFeatures(rawValue: (1 << 17) - 1)
}
