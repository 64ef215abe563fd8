public import AFCText
public import AFCURL

/// An error for a package that was not downloaded: the URL, and the reason in one sentence.
public typealias DeliveryError = CodedError<DeliveryErrorCode>

/// The kinds of failure, for exit codes and retries.
public enum DeliveryErrorCode: ErrorCode {
    /// The URL isn't allowed for packages.
    case badURL
    /// The server redirects to a URL that isn't allowed for packages.
    case refusedRedirect
    /// The server answered with a status that doesn't bring the package.
    case status(Int)
    /// The connection failed or ended early, and all retries are used up.
    case connection
    /// The server let a time limit pass, and no further retry is worth the time.
    case timeout
    /// The response contradicts itself or the request.
    case protocolViolation
    /// The package's digest isn't the expected one.
    case digest
    /// The package is larger than allowed.
    case tooLarge
    /// A file can't be written or read.
    case inputOutput
    /// Another process is downloading the same package, and the time for waiting is over.
    case busy
    /// The download was cancelled; the partial download is kept and will be resumed.
    case cancelled
}

extension DeliveryError {
    /// Creates an error about a package's URL.
    public init(_ code: Code, _ url: WebURL, _ message: String) {
        self.init(code, subject: url.shown, message: message)
    }
}
