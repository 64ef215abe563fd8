public import AFCText

/// An error in making, reading or using an authority, as one sentence about a file or host.
public typealias AuthorityError = CodedError<AuthorityErrorCode>

/// The kinds of failure, for exit codes and for a proxy's answers.
public enum AuthorityErrorCode: ErrorCode {
    /// The folder has no authority, or only a part of one.
    case missing
    /// An authority already exists.
    case exists
    /// A file can't be opened, read or written.
    case inputOutput
    /// Users other than the owner can access the private key or its folder.
    case exposed
    /// A file isn't a certificate or key of the required kind.
    case malformed
    /// Key and certificate don't match.
    case mismatched
    /// The certificate doesn't belong to an authority.
    case notAuthority
    /// The authority isn't valid yet, or has expired.
    case expired
    /// No certificate can be made for the host.
    case badHost
    /// The name isn't allowed for an authority.
    case badName
    /// The authority's constraints exclude the host.
    case notPermitted
    /// Signing failed.
    case unsigned
}
