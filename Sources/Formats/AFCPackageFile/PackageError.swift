public import AFCText

/// Why a package can't be read or written: what failed, on which file, in one sentence.
public typealias PackageError = CodedError<PackageErrorCode>

/// The kinds of failure, for exit codes.
public enum PackageErrorCode: ErrorCode {
    /// The file can't be opened, read or written.
    case inputOutput
    /// The archive's records can't be trusted; the identifier names the rule.
    case invalidArchive(rule: String)
    /// Manifest or sidecar are wrong, or don't fit the members.
    case invalidPackage(rule: String)
    /// The package isn't signed as it should be; the identifier names the rule.
    case untrusted(rule: String)
    /// The package is encrypted, and its password is missing or wrong; the identifier tells which.
    case locked(rule: String)
    /// What was asked for can't be written.
    case unwritable
    /// The work was cancelled.
    case cancelled
}
