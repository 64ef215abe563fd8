internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The next step after a response; pure, so that a table of tests can cover every response.
enum TransferStep: Equatable {
    /// The body continues the partial file, up to a byte of the total.
    case append(upTo: Int64, total: Int64)
    /// The body is the package from its start.
    case begin(total: Int64?)
    /// The body is the end of the package, from a byte on.
    case beginAtEnd(from: Int64, total: Int64)
    /// The server has nothing newer.
    case unchanged
    /// The partial file is complete.
    case complete
    /// The partial file can't be used; the whole package must be requested.
    case startOver
    /// The request must be sent to another URL.
    case follow(WebURL)
    /// The request must be sent again, after at least this many seconds.
    case retry(after: Int64?, reason: String)
    /// The server let a time limit pass: the request is sent again, unless another server has the package.
    case stalled(reason: String)
    /// The download fails.
    case fail(DeliveryError.Code, String)

    /// The longest wait that a server may ask for, in seconds.
    static let longestWait: Int64 = 60

    /// Decides on a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - url: The URL that was requested.
    ///   - request: The request.
    ///   - now: The current time, for Retry-After.
    init(status: Int, fields: HTTPFields, url: WebURL, request: TransferRequest, now: Timestamp) {
        switch status {
        case 200, 206:
            if let refusal = Self.refusal(fields) {
                self = .fail(.protocolViolation, refusal)
                return
            }
            self = status == 200 ? .begin(total: Self.length(fields)) : Self.partial(fields, request)
        case 304 where request.known != nil: self = .unchanged
        case 301, 302, 303, 307, 308: self = Self.redirect(fields, url)
        case 416 where request.offset > 0:
            // The file may already be complete: then the total is where it ends (RFC 9110 §15.5.17).
            self = fields[.contentRange] == "bytes */\(request.offset)" ? .complete : .startOver
        // Without ranges, or for an empty package.
        case 416 where request.asksForEnd, 416 where request.isPart: self = .startOver
        case 304 where request.isPart, 412 where request.isPart:
            // The request had no condition that could cause either.
            self = .startOver
        // Some servers fail for Range, and not without.
        case 500 where request.asksForEnd, 502 where request.asksForEnd, 504 where request.asksForEnd:
            self = .startOver
        case 408, 425, 429, 500, 502, 503, 504:
            self = .retry(after: Self.wait(fields, now), reason: "the server answered \(status)")
        case 401, 403, 407:
            self = .fail(.status(status), "the server refuses access (status \(status)); ask its operator")
        case 404, 410: self = .fail(.status(status), "the server has no such file (status \(status))")
        case 400... where request.asksForEnd || request.isPart: self = .startOver
        default: self = .fail(.status(status), "the server answered \(status)")
        }
    }

    /// Returns the reason that a body can't be a package, by its fields.
    private static func refusal(_ fields: HTTPFields) -> String? {
        if let coding = coding(fields) {
            return "the server encoded the package as \(PrintableText.quoted(coding)), although that was not accepted"
        }
        // Captive portals and error pages also come with status 200.
        if let type = fields[.contentType].flatMap({ MediaType($0) }), type.essence == "text/html" {
            return
                "the server sent a web page, not a package; is the URL right, and does the network require a login?"
        }
        return nil
    }

    private static func coding(_ fields: HTTPFields) -> String? {
        let codings = fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }
            .filter { $0.lowercased() != "identity" && !$0.isEmpty }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    /// Returns the length of a body, if the response states it.
    static func length(_ fields: HTTPFields) -> Int64? {
        guard fields[.transferEncoding] == nil, let length = fields[.contentLength] else { return nil }
        return ContentRange.number(length)
    }

    /// Decides on a part: it must begin where the file ends, be the only one (RFC 9110 §15.3.7), belong to the same
    /// version, and state the length of the whole.
    private static func partial(_ fields: HTTPFields, _ request: TransferRequest) -> TransferStep {
        if request.asksForEnd { return end(fields) }
        guard request.isPart else {
            return .fail(.protocolViolation, "the server sent a part, but the whole package was requested")
        }
        guard let range = fields[.contentRange].flatMap({ ContentRange($0) }), range.start == request.offset,
            let total = range.total, request.validator.admits(part: Validator(fields, status: 206))
        else { return .startOver }
        return .append(upTo: range.end + 1, total: total)
    }

    /// Decides on the end of a package: it must be as long as requested, and belong to a version whose parts can be
    /// requested safely.
    private static func end(_ fields: HTTPFields) -> TransferStep {
        guard let range = fields[.contentRange].flatMap({ ContentRange($0) }), let total = range.total,
            range.end == total - 1, range.start == max(0, total - TransferRequest.endSize),
            Validator(fields, status: 206).forRange != nil
        else { return .startOver }
        return .beginAtEnd(from: range.start, total: total)
    }

    private static func redirect(_ fields: HTTPFields, _ url: WebURL) -> TransferStep {
        guard let location = fields.singleValue(of: .location), let target = try? WebURL(location, base: url) else {
            return .fail(.protocolViolation, "the server redirects without a valid Location")
        }
        guard target.isHTTP else {
            return .fail(
                .refusedRedirect,
                "the server redirects to \(PrintableText.quoted(target.shown)), which is neither http nor https"
            )
        }
        guard target.scheme == "https" || url.scheme != "https" else {
            return .fail(
                .refusedRedirect,
                "the server redirects to \(PrintableText.quoted(target.shown)), where anyone on the network path can alter the package"
            )
        }
        return .follow(target)
    }

    /// Parses Retry-After: seconds, or a date (RFC 9110 §10.2.3).
    private static func wait(_ fields: HTTPFields, _ now: Timestamp) -> Int64? {
        guard let name = HTTPField.Name("Retry-After"), let value = fields[name] else { return nil }
        let seconds = ContentRange.number(value) ?? HTTPDate.parse(value, now: now).map { $0 - now }
        return seconds.map { min(max(0, $0), longestWait) }
    }
}
