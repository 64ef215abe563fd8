/// The rule that a problem breaks: its identifier and severity, each written here alone.
public struct ProblemRule: Hashable, Sendable {
    /// The stable identifier, `group.name`, for example `manifest.duplicate`.
    public let id: String
    /// The severity of what the rule finds.
    public let severity: PackageProblem.Severity

    private init(_ id: String, _ severity: PackageProblem.Severity) {
        (self.id, self.severity) = (id, severity)
    }
}

extension ProblemRule {
    package static let dateExpiresBeforeLastModified = ProblemRule("date.expires-before-last-modified", .warning)
    package static let dateExpiresEqualsLastModified = ProblemRule("date.expires-equals-last-modified", .warning)
    package static let dateInvalid = ProblemRule("date.invalid", .warning)
    package static let dateNotIMFFixdate = ProblemRule("date.not-imf-fixdate", .warning)
    package static let manifestBodiesTooLarge = ProblemRule("manifest.bodies-too-large", .error)
    package static let manifestByteOrderMark = ProblemRule("manifest.byte-order-mark", .warning)
    package static let manifestConflictingDuplicate = ProblemRule("manifest.conflicting-duplicate", .error)
    package static let manifestControlCharacter = ProblemRule("manifest.control-character", .error)
    package static let manifestCRLF = ProblemRule("manifest.crlf", .warning)
    package static let manifestDuplicate = ProblemRule("manifest.duplicate", .warning)
    package static let manifestEmpty = ProblemRule("manifest.empty", .warning)
    package static let manifestLineTooLong = ProblemRule("manifest.line-too-long", .error)
    package static let manifestMalformedLine = ProblemRule("manifest.malformed-line", .error)
    package static let manifestMissing = ProblemRule("manifest.missing", .error)
    package static let manifestNoLastLineEnd = ProblemRule("manifest.no-last-line-end", .info)
    package static let manifestNotUTF8 = ProblemRule("manifest.not-utf8", .error)
    package static let manifestOddDelimiter = ProblemRule("manifest.odd-delimiter", .warning)
    package static let manifestUnknownHeader = ProblemRule("manifest.unknown-header", .warning)
    package static let manifestUnsorted = ProblemRule("manifest.unsorted", .info)
    package static let memberIsFolder = ProblemRule("member.is-folder", .error)
    package static let memberMissing = ProblemRule("member.missing", .error)
    package static let memberWithoutEntry = ProblemRule("member.without-entry", .warning)
    package static let sidecarBadInfo = ProblemRule("sidecar.bad-info", .error)
    package static let sidecarBadRecord = ProblemRule("sidecar.bad-record", .error)
    package static let sidecarDisagrees = ProblemRule("sidecar.disagrees", .info)
    package static let sidecarDuplicateRecord = ProblemRule("sidecar.duplicate-record", .error)
    package static let sidecarNewerFormat = ProblemRule("sidecar.newer-format", .error)
    package static let sidecarRecordWithoutEntry = ProblemRule("sidecar.record-without-entry", .warning)
    package static let sidecarSize = ProblemRule("sidecar.size", .error)
    package static let typeInvalid = ProblemRule("type.invalid", .warning)
    package static let typeNotNormal = ProblemRule("type.not-normal", .info)
    package static let urlCredentials = ProblemRule("url.credentials", .error)
    package static let urlFragment = ProblemRule("url.fragment", .warning)
    package static let urlInvalid = ProblemRule("url.invalid", .error)
    package static let urlNotNormal = ProblemRule("url.not-normal", .warning)
}
