public import AFCText

/// An error that keeps the browser from being used, as one sentence.
public typealias BrowserError = CodedError<BrowserErrorCode>

/// The kinds of failure.
public enum BrowserErrorCode: ErrorCode {
    /// There is no browser, or it can't be started.
    case unavailable
    /// The browser ended, or sent something that isn't a message.
    case ended
}
