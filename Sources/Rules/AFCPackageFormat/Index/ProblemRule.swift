package import AFCHTTP
public import AFCText

/// The rule that a problem breaks, with its identifier and severity.
///
/// Both are defined here only.
public enum ProblemRule: String, Sendable, CaseIterable {
    /// An entry whose expires date is before its last-modified date.
    case dateExpiresBeforeLastModified = "date.expires-before-last-modified"
    /// An entry whose expires date equals its last-modified date.
    case dateExpiresEqualsLastModified = "date.expires-equals-last-modified"
    /// A date that can't be parsed.
    case dateInvalid = "date.invalid"
    /// A date that isn't in HTTP's format.
    case dateNotIMFFixdate = "date.not-imf-fixdate"
    /// Entries whose bodies add up to more than 64 GiB.
    case manifestBodiesTooLarge = "manifest.bodies-too-large"
    /// A byte order mark.
    case manifestByteOrderMark = "manifest.byte-order-mark"
    /// Two different entries for the same URL.
    case manifestConflictingDuplicate = "manifest.conflicting-duplicate"
    /// A control character in a line.
    case manifestControlCharacter = "manifest.control-character"
    /// Lines that end in CR LF.
    case manifestCRLF = "manifest.crlf"
    /// An entry that appears twice.
    case manifestDuplicate = "manifest.duplicate"
    /// A manifest without entries.
    case manifestEmpty = "manifest.empty"
    /// A line of more than 64 KiB.
    case manifestLineTooLong = "manifest.line-too-long"
    /// A line that is neither a header nor an entry of two to five fields.
    case manifestMalformedLine = "manifest.malformed-line"
    /// A zip without the member `manifest.afcache`.
    case manifestMissing = "manifest.missing"
    /// A last line without a line break.
    case manifestNoLastLineEnd = "manifest.no-last-line-end"
    /// A line that is not UTF-8.
    case manifestNotUTF8 = "manifest.not-utf8"
    /// A semicolon, tab or space that looks like a mistyped delimiter ' ; '.
    case manifestOddDelimiter = "manifest.odd-delimiter"
    /// A delimiter at the end of a line.
    case manifestTrailingDelimiter = "manifest.trailing-delimiter"
    /// A header other than `baseURL`.
    case manifestUnknownHeader = "manifest.unknown-header"
    /// An entry that sorts before the previous one.
    case manifestUnsorted = "manifest.unsorted"
    /// An entry whose body is a folder.
    case memberIsFolder = "member.is-folder"
    /// An entry whose body isn't in the package.
    case memberMissing = "member.missing"
    /// A member that no entry names.
    case memberWithoutEntry = "member.without-entry"
    /// A list of absent URLs that can't be used.
    case sidecarBadAbsent = "sidecar.bad-absent"
    /// A `fallback.json` that can't be used.
    case sidecarBadFallback = "sidecar.bad-fallback"
    /// A `package.json` that can't be read.
    case sidecarBadInfo = "sidecar.bad-info"
    /// A `match.json` that can't be used.
    case sidecarBadMatch = "sidecar.bad-match"
    /// An invalid line in `resources.jsonl`.
    case sidecarBadRecord = "sidecar.bad-record"
    /// A body whose SHA-256 differs from its record.
    case sidecarDigest = "sidecar.digest"
    /// A value that differs between the manifest and the record.
    case sidecarDisagrees = "sidecar.disagrees"
    /// Two records for the same URL.
    case sidecarDuplicateRecord = "sidecar.duplicate-record"
    /// A package in a newer format.
    case sidecarNewerFormat = "sidecar.newer-format"
    /// A zip with the member `.afcache/delta`, which only patches have.
    case sidecarPatch = "sidecar.patch"
    /// A record that has no entry.
    case sidecarRecordWithoutEntry = "sidecar.record-without-entry"
    /// A record whose size differs from the body's.
    case sidecarSize = "sidecar.size"
    /// An invalid media type.
    case typeInvalid = "type.invalid"
    /// A media type in an unusual spelling.
    case typeNotNormal = "type.not-normal"
    /// A URL with a user name or password.
    case urlCredentials = "url.credentials"
    /// A URL with a fragment.
    case urlFragment = "url.fragment"
    /// A URL that isn't a valid absolute URL by the WHATWG URL Standard.
    case urlInvalid = "url.invalid"
    /// A URL that isn't in the normal form of the URL Standard.
    case urlNotNormal = "url.not-normal"

    /// The stable identifier, `group.name`, for example `manifest.duplicate`.
    public var id: String { rawValue }

    /// The severity of the rule's findings.
    public var severity: PackageProblem.Severity {
        switch self {
        case .manifestBodiesTooLarge, .manifestConflictingDuplicate, .manifestControlCharacter, .manifestLineTooLong,
            .manifestMalformedLine, .manifestMissing, .manifestNotUTF8, .memberIsFolder, .memberMissing,
            .sidecarBadAbsent, .sidecarBadFallback, .sidecarBadInfo, .sidecarBadMatch, .sidecarBadRecord,
            .sidecarDigest,
            .sidecarDuplicateRecord, .sidecarNewerFormat, .sidecarPatch, .sidecarSize, .urlCredentials, .urlInvalid:
            .error
        case .manifestNoLastLineEnd, .manifestUnsorted, .sidecarDisagrees, .typeNotNormal: .info
        default: .warning
        }
    }

    /// The program's means to mend the package, or nil if there is none.
    public var remedy: Remedy? {
        switch self {
        case .manifestMissing: .packFolder
        case .sidecarDigest, .sidecarRecordWithoutEntry, .sidecarSize: .acceptEdits
        default: nil
        }
    }

    /// Returns the rule and the words for a date that readers understand although it isn't in HTTP's format.
    ///
    /// To give a format a rule of its own, add it here; descriptions and fixes follow ``foreignDates``.
    package static func foreignDate(_ date: LenientDate.Reading) -> (rule: ProblemRule, words: String) {
        switch date.form {
        case .imfFixdate where date.hasWrongWeekday: (.dateNotIMFFixdate, "has the wrong weekday")
        case .imfFixdate where date.hasOtherCase:
            (.dateNotIMFFixdate, "is not in HTTP's date format, which is case-sensitive")
        default: (.dateNotIMFFixdate, "is not in HTTP's date format")
        }
    }

    /// The rules about dates in formats other than HTTP's that readers understand.
    package static let foreignDates = Set(
        LenientDate.Form.allCases.map { foreignDate(.init(timestamp: Timestamp(secondsSinceEpoch: 0), form: $0)).rule }
    )
}
