public import AFCText

/// An error of a channel: the reason, the file or URL, and one sentence.
public typealias ChannelError = CodedError<ChannelErrorCode>

/// The reasons why a channel is refused, for exit codes.
public enum ChannelErrorCode: ErrorCode {
    /// The file isn't as docs/reference/channels.md says.
    case malformed
    /// The file isn't signed by enough keys that count.
    case untrusted
    /// A signature doesn't match the file.
    case wrongSignature
    /// The file is that of another channel.
    case otherName
    /// A later version is known, or the same with other contents.
    case rollback
    /// The version is too far above the known one.
    case fastForward
    /// The file has expired.
    case expired
    /// A change would make a file that devices refuse.
    case unsuitable
}
