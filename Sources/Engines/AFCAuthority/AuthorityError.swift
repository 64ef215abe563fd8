public import AFCText

/// Why an authority can't be made, read or used: what failed, on which file or host, in one sentence.
public typealias AuthorityError = CodedError<AuthorityErrorCode>

/// The kinds of failure, for exit codes and for what a proxy answers.
public enum AuthorityErrorCode: ErrorCode {
    /// There is no authority in the folder, or only a part of one.
    case missing
    /// There is one already.
    case exists
    /// A file can't be opened, read or written.
    case inputOutput
    /// The private key, or the folder that it lies in, is open to others than its owner.
    case exposed
    /// A file isn't a certificate or a key of the kind that is used here.
    case malformed
    /// Key and certificate don't belong together.
    case mismatched
    /// The certificate isn't one of an authority.
    case notAuthority
    /// The authority's time hasn't come, or is over.
    case expired
    /// A host that no certificate can be made for.
    case badHost
    /// A name that an authority can't have.
    case badName
    /// A host that the authority's constraints leave out.
    case notPermitted
    /// No signature could be made.
    case unsigned
}
