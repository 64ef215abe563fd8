package import AFCHTTP

/// The rule that a problem breaks, with its identifier and severity.
///
/// Both are defined here only.
public enum ProblemRule: String, Sendable, CaseIterable {
    case dateExpiresBeforeLastModified = "date.expires-before-last-modified"
    case dateExpiresEqualsLastModified = "date.expires-equals-last-modified"
    case dateInvalid = "date.invalid"
    case dateNotIMFFixdate = "date.not-imf-fixdate"
    case manifestBodiesTooLarge = "manifest.bodies-too-large"
    case manifestByteOrderMark = "manifest.byte-order-mark"
    case manifestConflictingDuplicate = "manifest.conflicting-duplicate"
    case manifestControlCharacter = "manifest.control-character"
    case manifestCRLF = "manifest.crlf"
    case manifestDuplicate = "manifest.duplicate"
    case manifestEmpty = "manifest.empty"
    case manifestLineTooLong = "manifest.line-too-long"
    case manifestMalformedLine = "manifest.malformed-line"
    case manifestMissing = "manifest.missing"
    case manifestNoLastLineEnd = "manifest.no-last-line-end"
    case manifestNotUTF8 = "manifest.not-utf8"
    case manifestOddDelimiter = "manifest.odd-delimiter"
    case manifestUnknownHeader = "manifest.unknown-header"
    case manifestUnsorted = "manifest.unsorted"
    case memberIsFolder = "member.is-folder"
    case memberMissing = "member.missing"
    case memberWithoutEntry = "member.without-entry"
    case sidecarBadFallback = "sidecar.bad-fallback"
    case sidecarBadInfo = "sidecar.bad-info"
    case sidecarBadMatch = "sidecar.bad-match"
    case sidecarBadRecord = "sidecar.bad-record"
    case sidecarDigest = "sidecar.digest"
    case sidecarDisagrees = "sidecar.disagrees"
    case sidecarDuplicateRecord = "sidecar.duplicate-record"
    case sidecarNewerFormat = "sidecar.newer-format"
    case sidecarRecordWithoutEntry = "sidecar.record-without-entry"
    case sidecarSize = "sidecar.size"
    case typeInvalid = "type.invalid"
    case typeNotNormal = "type.not-normal"
    case urlCredentials = "url.credentials"
    case urlFragment = "url.fragment"
    case urlInvalid = "url.invalid"
    case urlNotNormal = "url.not-normal"

    /// The stable identifier, `group.name`, for example `manifest.duplicate`.
    public var id: String { rawValue }

    /// The severity of the rule's findings.
    public var severity: PackageProblem.Severity {
        switch self {
        case .manifestBodiesTooLarge, .manifestConflictingDuplicate, .manifestControlCharacter, .manifestLineTooLong,
            .manifestMalformedLine, .manifestMissing, .manifestNotUTF8, .memberIsFolder, .memberMissing,
            .sidecarBadFallback, .sidecarBadInfo, .sidecarBadMatch, .sidecarBadRecord, .sidecarDigest,
            .sidecarDuplicateRecord, .sidecarNewerFormat, .sidecarSize, .urlCredentials, .urlInvalid:
            .error
        case .manifestNoLastLineEnd, .manifestUnsorted, .sidecarDisagrees, .typeNotNormal: .info
        default: .warning
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
