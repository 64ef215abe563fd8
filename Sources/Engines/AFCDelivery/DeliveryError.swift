public import AFCText
public import AFCURL

/// Why a package did not arrive: which URL, what happened, in one sentence.
public typealias DeliveryError = CodedError<DeliveryErrorCode>

/// The kinds of failure, for exit codes and retries.
public enum DeliveryErrorCode: ErrorCode {
    /// The URL is one that packages aren't taken from.
    case badURL
    /// The server redirects to where packages aren't taken from.
    case refusedRedirect
    /// The server answered with a status that doesn't give the package.
    case status(Int)
    /// The connection failed, or ended too early, more often than is tried again.
    case connection
    /// The answer contradicts itself or the request.
    case protocolViolation
    /// The package has another digest than was asked for.
    case digest
    /// The package is larger than is taken.
    case tooLarge
    /// A file can't be written or read.
    case inputOutput
    /// The download was cancelled; the partial download is kept and will be resumed.
    case cancelled
}

extension DeliveryError {
    /// Creates an error about a package's URL.
    public init(_ code: Code, _ url: WebURL, _ message: String) {
        self.init(code, subject: url.description, message: message)
    }
}
