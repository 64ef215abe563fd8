internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCURL

extension DeliveryError {
    /// The task was cancelled.
    static func cancelled(_ url: WebURL) -> DeliveryError { DeliveryError(.cancelled, url, "interrupted") }

    /// The error, with what becomes of the part that arrived.
    func keeping(_ isKept: Bool) -> DeliveryError {
        guard isKept, code == .cancelled || code == .connection || code == .inputOutput else { return self }
        var error = self
        error.message += "; the partial download is kept and will be resumed"
        return error
    }

    /// The last system call failed.
    static func system(_ what: String, _ path: String, _ url: WebURL, number: Int32 = errno) -> DeliveryError {
        let reason = String(cString: strerror(number))
        return DeliveryError(.inputOutput, url, "\(what) \(PrintableText.quoted(path)): \(reason)")
    }
}
