public import AFCText

/// An error of reading or writing a package: the cause, the file, and one sentence.
public typealias PackageError = CodedError<PackageErrorCode>

/// The kinds of failure, for exit codes.
public enum PackageErrorCode: ErrorCode {
    /// The file can't be opened, read or written.
    case inputOutput
    /// The archive's records can't be trusted; the identifier names the rule.
    case invalidArchive(rule: String)
    /// Manifest or sidecar are wrong, or don't match the members.
    case invalidPackage(rule: String)
    /// The package lacks a required signature; the identifier names the rule.
    case untrusted(rule: String)
    /// The package is encrypted, and its password is missing or wrong; the identifier says which.
    case locked(rule: String)
    /// The requested package can't be written.
    case unwritable
    /// The work was cancelled.
    case cancelled
}
