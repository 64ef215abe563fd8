internal import HTTPCaching
internal import HTTPTypes
internal import URLStandard

/// What becomes of a response; pure, so that every answer of a server has a line in a table.
enum TransferStep: Equatable {
    /// The body goes on where the partial file ends.
    case append(total: Int64?)
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
    ///   - url: What was asked.
    ///   - offset: Where the partial file ends; 0 where all was asked for.
    ///   - isConditional: Whether the request said which version is known.
    ///   - now: The present time, for Retry-After.
    init(status: Int, fields: HTTPFields, url: WebURL, offset: Int64, isConditional: Bool, now: Timestamp) {
        switch status {
        case 200, 206:
            if let coding = Self.coding(fields) {
                self = .fail(
                    .protocolViolation,
                    "the server sends the package in the coding '\(coding)', which nobody asked for"
                )
                return
            }
            self = status == 200 ? .begin(total: Self.length(fields)) : Self.partial(fields, offset)
        case 304 where isConditional: self = .unchanged
        case 301, 302, 303, 307, 308: self = Self.redirect(fields, url)
        case 416 where offset > 0:
            // The file may be complete already: then the total is where it ends (RFC 9110 §15.5.17).
            self = fields[.contentRange] == "bytes */\(offset)" ? .complete : .startOver
        case 408, 425, 429, 500, 502, 503, 504:
            self = .retry(after: Self.wait(fields, now), reason: "the server answered \(status)")
        case 401, 403, 407:
            self = .fail(.status(status), "the server refuses it (status \(status)); ask whoever runs it")
        case 404, 410: self = .fail(.status(status), "there is no such package on the server (status \(status))")
        default: self = .fail(.status(status), "the server answered \(status)")
        }
    }

    private static func coding(_ fields: HTTPFields) -> String? {
        let codings = fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { String($0.filter { $0 != " " && $0 != "\t" }) }
            .filter { $0.lowercased() != "identity" && !$0.isEmpty }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }

    private static func length(_ fields: HTTPFields) -> Int64? {
        guard fields[.transferEncoding] == nil, let length = fields[.contentLength].flatMap({ Int64($0) }) else {
            return nil
        }
        return length >= 0 ? length : nil
    }

    /// A part must begin where the file ends, and be the only one (RFC 9110 §15.3.7).
    private static func partial(_ fields: HTTPFields, _ offset: Int64) -> TransferStep {
        guard offset > 0 else {
            return .fail(.protocolViolation, "the server sends a part, and was asked for all of it")
        }
        guard let range = fields[.contentRange], let parsed = ContentRange(range), parsed.start == offset else {
            return .startOver
        }
        if let total = parsed.total, parsed.end + 1 < total { return .append(total: total) }
        return .append(total: parsed.total ?? parsed.end + 1)
    }

    private static func redirect(_ fields: HTTPFields, _ url: WebURL) -> TransferStep {
        guard let location = fields[.location], let target = try? WebURL(location, base: url) else {
            return .fail(.protocolViolation, "the server redirects to nowhere")
        }
        guard target.isHTTP else {
            return .fail(.badURL, "the server redirects to '\(target)', which is neither http nor https")
        }
        guard target.scheme == "https" || url.scheme != "https" else {
            return .fail(
                .badURL,
                "the server redirects to '\(target)', where anybody on the way could change the package"
            )
        }
        return .follow(target)
    }

    /// Retry-After: seconds, or a date (RFC 9110 §10.2.3).
    private static func wait(_ fields: HTTPFields, _ now: Timestamp) -> Int64? {
        guard let name = HTTPField.Name("Retry-After"), let value = fields[name] else { return nil }
        let seconds = Int64(value) ?? HTTPDate.parse(value, now: now).map { $0 - now }
        return seconds.map { min(max(0, $0), longestWait) }
    }
}

/// Content-Range of one part (RFC 9110 §14.4).
struct ContentRange: Equatable {
    var start: Int64
    var end: Int64
    var total: Int64?

    init?(_ text: String) {
        guard text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let start = Int64(bounds[0]), let end = Int64(bounds[1]), start >= 0, end >= start
        else {
            return nil
        }
        self.start = start
        self.end = end
        if parts[1] != "*" {
            guard let total = Int64(parts[1]), total > end else { return nil }
            self.total = total
        }
    }
}

extension Validator {
    init(_ fields: HTTPFields) {
        self.init(entityTag: fields[.eTag], lastModified: fields[.lastModified], date: fields[.date])
    }

    /// What If-Range may say: a strong tag, or a date that is strong since the response was made a minute or more after it
    /// (RFC 9110 §8.8.2.2); nil where a part can't be asked for safely.
    var forRange: String? {
        if let entityTag { return EntityTag(entityTag).map { !$0.isWeak } == true ? entityTag : nil }
        guard let lastModified, let date, let modified = HTTPDate.parse(lastModified), let made = HTTPDate.parse(date),
            made - modified >= 60
        else { return nil }
        return lastModified
    }
}
