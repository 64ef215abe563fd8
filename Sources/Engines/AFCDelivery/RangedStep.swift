internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The next step after the response to a request for one part of a package; pure.
///
/// One part at a time: servers answer requests for several in different ways, some of them wrongly (RFC 9110 §14.2).
enum RangedStep: Equatable {
    /// The body is a part of the package, from a byte on up to another.
    case part(Range<Int64>)
    /// The request must be sent to another URL.
    case follow(WebURL)
    /// The request must be sent again, after at least this many seconds.
    case retry(after: Int64?, reason: String)
    /// The package has changed since the first part.
    case changed
    /// The server doesn't send parts as it should: the whole package must be requested.
    case useless

    /// Decides on a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - url: The URL that was requested.
    ///   - asked: The part that was requested.
    ///   - total: The size of the package, in bytes.
    ///   - validator: The version that the part must belong to.
    ///   - now: The current time, for Retry-After.
    init(
        status: Int,
        fields: HTTPFields,
        url: WebURL,
        asked: Range<Int64>,
        total: Int64,
        validator: Validator,
        now: Timestamp
    ) {
        let request = TransferRequest(part: asked, of: validator)
        switch TransferStep(status: status, fields: fields, url: url, request: request, now: now) {
        case .follow(let target): self = .follow(target)
        case .retry(let seconds, let reason): self = .retry(after: seconds, reason: reason)
        // With If-Range, the whole package is the answer for another version (RFC 9110 §13.1.5).
        case .begin: self = .changed
        case .append(let end, let found):
            let part = asked.lowerBound..<end
            self = found == total && end <= asked.upperBound ? .part(part) : .useless
        default: self = .useless
        }
    }
}
