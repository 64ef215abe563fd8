internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// What becomes of a response; pure, so that every answer of a server has a line in a table.
enum TransferStep: Equatable {
    /// The body goes on where the partial file ends, up to some byte of all of them.
    case append(upTo: Int64, total: Int64)
    /// The body is the package from its beginning.
    case begin(total: Int64?)
    /// The server has what is known already.
    case unchanged
    /// Nothing is missing from the partial file.
    case complete
    /// The partial file is of no use; ask for all of it.
    case startOver
    /// Ask there.
    case follow(WebURL)
    /// Ask again, not before so many seconds.
    case retry(after: Int64?, reason: String)
    /// There is nothing to be had.
    case fail(DeliveryError.Code, String)

    /// The most seconds that a server may ask to wait.
    static let longestWait: Int64 = 60

    /// Judges a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - fields: The fields.
    ///   - url: Where it was asked.
    ///   - request: What was asked.
    ///   - now: The present time, for Retry-After.
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
            // The file may be complete already: then the total is where it ends (RFC 9110 §15.5.17).
            self = fields[.contentRange] == "bytes */\(request.offset)" ? .complete : .startOver
        case 304 where request.offset > 0, 412 where request.offset > 0:
            // Nobody asked for either.
            self = .startOver
        case 408, 425, 429, 500, 502, 503, 504:
            self = .retry(after: Self.wait(fields, now), reason: "the server answered \(status)")
        case 401, 403, 407:
            self = .fail(.status(status), "the server refuses it (status \(status)); ask whoever runs it")
        case 404, 410: self = .fail(.status(status), "there is no such package on the server (status \(status))")
        default: self = .fail(.status(status), "the server answered \(status)")
        }
    }

    /// Why a body is none of a package, by its fields.
    private static func refusal(_ fields: HTTPFields) -> String? {
        if let coding = coding(fields) {
            return "the server sends the package in the coding \(PrintableText.quoted(coding)), which nobody asked for"
        }
        // A portal or a page of an error comes as 200, too.
        if let type = fields[.contentType].flatMap({ MediaType($0) }), type.essence == "text/html" {
            return
                "the server sends a page (text/html), no package; is the URL right, and does the network ask for a login?"
        }
        return nil
    }

    private static func coding(_ fields: HTTPFields) -> String? {
        let codings = fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }
            .filter { $0.lowercased() != "identity" && !$0.isEmpty }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    private static func length(_ fields: HTTPFields) -> Int64? {
        guard fields[.transferEncoding] == nil, let length = fields[.contentLength] else { return nil }
        return ContentRange.number(length)
    }

    /// A part must begin where the file ends, be the only one (RFC 9110 §15.3.7), of the same version, and say how long the
    /// whole is.
    private static func partial(_ fields: HTTPFields, _ request: TransferRequest) -> TransferStep {
        guard request.offset > 0 else {
            return .fail(.protocolViolation, "the server sends a part, and was asked for all of it")
        }
        guard let range = fields[.contentRange].flatMap({ ContentRange($0) }), range.start == request.offset,
            let total = range.total, request.validator.admits(part: Validator(fields, status: 206))
        else { return .startOver }
        return .append(upTo: range.end + 1, total: total)
    }

    private static func redirect(_ fields: HTTPFields, _ url: WebURL) -> TransferStep {
        guard let location = fields[.location], let target = try? WebURL(location, base: url) else {
            return .fail(.protocolViolation, "the server redirects to nowhere")
        }
        guard target.isHTTP else {
            return .fail(
                .refusedRedirect,
                "the server redirects to \(PrintableText.quoted(target.removingCredentials.description)), which is neither http nor https"
            )
        }
        guard target.scheme == "https" || url.scheme != "https" else {
            return .fail(
                .refusedRedirect,
                "the server redirects to \(PrintableText.quoted(target.removingCredentials.description)), where anybody on the way could change the package"
            )
        }
        return .follow(target)
    }

    /// Retry-After: seconds, or a date (RFC 9110 §10.2.3).
    private static func wait(_ fields: HTTPFields, _ now: Timestamp) -> Int64? {
        guard let name = HTTPField.Name("Retry-After"), let value = fields[name] else { return nil }
        let seconds = ContentRange.number(value) ?? HTTPDate.parse(value, now: now).map { $0 - now }
        return seconds.map { min(max(0, $0), longestWait) }
    }
}

extension Validator {
    /// The most bytes of a value that is kept and sent again.
    private static let limit = 1024

    /// What a response says of its version.
    init(_ fields: HTTPFields, status: Int) {
        func value(_ name: HTTPField.Name) -> String? {
            fields[name].flatMap { $0.utf8.count <= Self.limit && !$0.isEmpty ? $0 : nil }
        }
        self.init(entityTag: value(.eTag), lastModified: value(.lastModified), date: value(.date))
        sha256 = DigestFields.sha256(fields, status: status)
    }
}
