internal import AFCPackageFormat

/// A released AFCache, which reads less than this project does.
public enum OldReader: String, Sendable, CaseIterable {
    /// It reads lines of exactly three fields.
    case afcache06 = "0.6"
    /// It reads lines of five fields and more.
    case afcache013 = "0.13"

    /// Whether it reads a line of so many fields; it drops all others.
    func reads(fields: Int) -> Bool {
        switch self {
        case .afcache06: fields == 3
        case .afcache013: fields >= 5
        }
    }

    /// How many fields a line must have.
    var wantedFields: String {
        switch self {
        case .afcache06: "exactly three fields"
        case .afcache013: "five fields"
        }
    }

    /// Its name and version.
    var name: String { "AFCache \(rawValue)" }

    /// The rules of the group `readable`.
    static let rules = [
        ReadableBodyPlaceRule.id, ReadableEncryptedRule.id, ReadableFieldsRule.id, ReadableRedirectRule.id,
        ReadableTextRule.id,
    ]
    /// Rules about what this project reads and they don't.
    static let otherRules =
        [ProblemRule.manifestByteOrderMark, .manifestCRLF, .manifestOddDelimiter, .urlNotNormal].map(\.id)
        + [WhiteSpaceRule.id]
}
