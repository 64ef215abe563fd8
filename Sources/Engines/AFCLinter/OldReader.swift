internal import AFCPackageFormat

/// An older AFCache release, which reads less than this project does.
public enum OldReader: String, Sendable, CaseIterable {
    /// AFCache 0.6, which reads lines of exactly three fields.
    case afcache06 = "0.6"
    /// AFCache 0.13, which reads lines of five fields or more.
    case afcache013 = "0.13"

    /// Returns true if the reader reads a line with the number of fields; it drops all others.
    func reads(fields: Int) -> Bool {
        switch self {
        case .afcache06: fields == 3
        case .afcache013: fields >= 5
        }
    }

    /// The number of fields that a line must have, in words.
    var wantedFields: String {
        switch self {
        case .afcache06: "exactly three fields"
        case .afcache013: "five fields"
        }
    }

    /// The name and version.
    var name: String { "AFCache \(rawValue)" }

    /// The rules of the group `readable`.
    static let rules = [
        ReadableBodyPlaceRule.id, ReadableEncryptedRule.id, ReadableFieldsRule.id, ReadableRedirectRule.id,
        ReadableTextRule.id,
    ]
    /// Rules about things that this project reads and old readers don't.
    static let otherRules =
        [ProblemRule.manifestByteOrderMark, .manifestCRLF, .manifestOddDelimiter, .urlNotNormal].map(\.id)
        + [WhiteSpaceRule.id]
}
