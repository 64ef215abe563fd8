internal import AFCText
internal import HTTPTypes

/// The reason that a bucket's server gives for refusing a request, as XML
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html).
///
/// Pure.
struct BucketRefusal: Equatable {
    /// The most that is read of the reason, in bytes.
    static let byteLimit = 16 << 10
    private static let textLimit = 300

    private let status: Int
    private let code: String
    private let message: String
    /// The region that has the bucket, if the server names it.
    private let region: String?

    /// Reads a response; nil if it gives no reason.
    init?(status: Int, fields: HTTPFields, body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        func element(_ name: String) -> String? { BucketXML.first(name, in: text, limit: Self.textLimit) }
        let region = HTTPField.Name("x-amz-bucket-region").flatMap { fields[$0] } ?? element("Region")
        guard let code = element("Code") ?? region.map({ _ in "WrongRegion" }) else { return nil }
        (self.status, self.code, self.region) = (status, code, region)
        message = element("Message") ?? ""
    }

    /// Says what the server answered, and what to do.
    ///
    /// - Parameters:
    ///   - isSigned: True if the request was signed.
    ///   - isWriting: True if it would have replaced the object.
    /// - Returns: The sentence.
    func sentence(isSigned: Bool, isWriting: Bool = false) -> String {
        let reason = message.isEmpty ? "" : ", \(PrintableText.quoted(message))"
        let answer = "the server answered \(status) \(PrintableText.escaped(code))\(reason)"
        return advice(isSigned, isWriting).map { "\(answer); \($0)" } ?? answer
    }

    private func advice(_ isSigned: Bool, _ isWriting: Bool) -> String? {
        switch code {
        case "RequestTimeTooSkewed": "this machine's clock is wrong; set it"
        case "ExpiredToken", "TokenRefreshRequired": "the credentials have expired; get new ones"
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken":
            "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
        case "AccessDenied", "AllAccessDisabled":
            isSigned
                ? "the key has no right to \(isWriting ? "replace" : "read") this object"
                : "the request wasn't signed, since AWS_ACCESS_KEY_ID isn't set"
        case "NoSuchBucket", "NoSuchKey": nil
        default: region.map { "the bucket is in the region \(PrintableText.quoted($0)); set AWS_REGION to it" }
        }
    }
}
