internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCURL

extension DeliveryError {
    /// Returns the error for a cancelled task.
    static func cancelled(_ url: WebURL) -> DeliveryError { DeliveryError(.cancelled, url, "interrupted") }

    /// Returns the error, which also says that the partial download is kept if it is.
    func keeping(_ isKept: Bool) -> DeliveryError {
        guard isKept, code == .cancelled || code == .connection || code == .timeout || code == .inputOutput else {
            return self
        }
        var error = self
        error.message += "; the partial download is kept and will be resumed"
        return error
    }

    /// Returns the error for a failed system call.
    static func system(_ what: String, _ path: String, _ url: WebURL, number: Int32 = errno) -> DeliveryError {
        let reason = String(cString: strerror(number))
        return DeliveryError(.inputOutput, url, "\(what) \(PrintableText.quoted(path)): \(reason)")
    }
}
