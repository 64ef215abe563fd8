/// What a line may have that rules look for.
///
/// A rule names what it needs, and isn't asked about lines that have none of it. A feature may be there without need, but
/// where it is missing, no rule that needs it finds anything.
struct EntryFeatures: OptionSet, Sendable {
    let rawValue: UInt32

    /// Every line has it.
    static let any = EntryFeatures(rawValue: 1)
    /// The URL isn't http or https with a domain name in normal form; then it has all other features of URLs, too.
    static let unusualURL = EntryFeatures(rawValue: 1 << 1)
    /// A percent sign, or what needn't be, in percent-encoding.
    static let encoded = EntryFeatures(rawValue: 1 << 2)
    /// Parameters of the query, or of a segment of the path.
    static let parameters = EntryFeatures(rawValue: 1 << 3)
    /// A query without a text.
    static let emptyQuery = EntryFeatures(rawValue: 1 << 4)
    /// Two slashes, one behind the other.
    static let emptySegment = EntryFeatures(rawValue: 1 << 5)
    /// An address, `localhost`, or a name with a dot at its end.
    static let unusualHost = EntryFeatures(rawValue: 1 << 6)
    /// A segment that begins with a dot.
    static let hiddenName = EntryFeatures(rawValue: 1 << 7)
    /// A URL of more bytes than the settings say.
    static let longURL = EntryFeatures(rawValue: 1 << 8)
    /// A suffix that says something else than the media type, which isn't nil.
    static let otherSuffix = EntryFeatures(rawValue: 1 << 9)
    /// No media type.
    static let noType = EntryFeatures(rawValue: 1 << 10)
    /// A media type that isn't registered, or a charset that nobody knows.
    static let oddType = EntryFeatures(rawValue: 1 << 11)
    /// A date of the last change that can't be.
    static let oddLastModified = EntryFeatures(rawValue: 1 << 12)
    /// A date of expiry that has come, or comes within the days that the settings say.
    static let earlyExpiry = EntryFeatures(rawValue: 1 << 13)
    /// A date of expiry more than a year ahead.
    static let lateExpiry = EntryFeatures(rawValue: 1 << 14)

    /// A member's name that no packager writes: with an equals sign, a backslash, a colon, or beginning with a dot or slash.
    static let oddMember = EntryFeatures(rawValue: 1 << 15)
    /// So many fields that an AFCache in the settings drops the line.
    static let otherDialect = EntryFeatures(rawValue: 1 << 16)

    /// Of a URL that only parsing can tell something of.
    static let allOfURL: EntryFeatures = [
        .unusualURL, .encoded, .parameters, .emptyQuery, .emptySegment, .unusualHost, .hiddenName, .longURL,
        .otherSuffix,
    ]
    /// All of them.
    static let all = EntryFeatures(rawValue: (1 << 17) - 1)
}
