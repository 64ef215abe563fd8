public import AFCHTTP
public import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1

/// The form of a line of an access log.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The combined log format of Apache httpd and nginx.
    case combined
    /// One JSON object per line.
    case json
}

/// A log's record of one answer.
public struct AccessRecord: Sendable, Equatable, CustomStringConvertible {
    /// The request's method.
    public var method: String
    /// The request target as sent, which may contain any text the client chose.
    public var target: String
    /// The protocol, such as `HTTP/1.1`.
    public var version: String
    /// The client's address.
    public var remoteAddress: String?
    /// The value of Referer.
    public var referer: String?
    /// The value of User-Agent.
    public var userAgent: String?
    /// The time at which the request arrived.
    public var time: Timestamp
    /// The time from the request's head to the end of the answer, in microseconds.
    public var microseconds: Int64 = 0
    /// The URL of the requested resource, if the request named one.
    public var url: WebURL?
    /// The status that was sent.
    public var status: Int
    /// The bytes of the body that were handed to the connection.
    public var bytes: Int64 = 0
    /// The value of Cache-Status.
    public var cacheStatus: String
    /// True if the whole answer was handed to the connection; false if the client left or a body was damaged.
    public var isComplete = false

    init(_ request: ServerRequest, answer: ServerAnswer, time: Timestamp) {
        method = request.method
        target = request.target
        version = request.version == .http2 ? "HTTP/2.0" : request.version == .http11 ? "HTTP/1.1" : "HTTP/1.0"
        remoteAddress = request.remoteAddress
        referer = request.fields[.referer]
        userAgent = request.fields[.userAgent]
        self.time = time
        url = answer.url
        status = answer.status.code
        cacheStatus = answer.fields[.cacheStatus] ?? ""
    }

    init(_ head: HTTPRequestHead, hot: HotAnswer) {
        self.init(hot, method: head.method.rawValue, target: head.uri, version: "HTTP/1.1")
        referer = head.headers.first(name: "referer")
        userAgent = head.headers.first(name: "user-agent")
    }

    init(_ headers: HPACKHeaders, target: HotTable.Target, hot: HotAnswer) {
        self.init(hot, method: target.isHead ? "HEAD" : "GET", target: target.target, version: "HTTP/2.0")
        referer = headers.first(name: "referer")
        userAgent = headers.first(name: "user-agent")
    }

    private init(_ hot: HotAnswer, method: String, target: String, version: String) {
        self.method = method
        self.target = target
        self.version = version
        time = hot.repetition.made
        url = hot.url
        status = hot.status
        cacheStatus = hot.cacheStatus
        bytes = Int64(hot.bodyBytes)
        isComplete = true
    }

    /// One line: status, method, bytes, the URL (or the target if there is none), and Cache-Status.
    public var description: String {
        let subject = url?.description ?? String(String.UnicodeScalarView(target.unicodeScalars.map(Self.printable)))
        return "\(status) \(method) \(bytes) \(subject) (\(cacheStatus))\(isComplete ? "" : " incomplete")"
    }

    /// Replaces control characters, on which terminals act and which could end the line.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x21...0x7E).contains(scalar.value) ? scalar : "?"
    }

    /// Returns the line of a log, without its end.
    ///
    /// - Parameter format: The form of the line.
    /// - Returns: The line, in which nothing that a client sent can end it or pass for another field.
    public func line(_ format: AccessLogFormat) -> String {
        switch format {
        case .combined: combined
        case .json: json
        }
    }

    /// `host - - [time] "request" status bytes "referer" "user agent"`.
    private var combined: String {
        // Sat, 21 Nov 2026 10:00:00 GMT
        let date = Array(HTTPDate.format(time).utf8)
        func part(_ range: Range<Int>) -> String { String(decoding: date[range], as: UTF8.self) }
        let moment = "\(part(5..<7))/\(part(8..<11))/\(part(12..<16)):\(part(17..<25)) +0000"
        let request = "\(Self.escaped(method)) \(Self.escaped(target)) \(version)"
        let size = bytes > 0 ? String(bytes) : "-"
        return "\(remoteAddress ?? "-") - - [\(moment)] \"\(request)\" \(status) \(size) "
            + "\"\(Self.escaped(referer ?? "-"))\" \"\(Self.escaped(userAgent ?? "-"))\""
    }

    private var json: String {
        var members = [
            ("time", Self.quoted(time.iso8601)), ("remote", Self.quoted(remoteAddress ?? "")),
            ("method", Self.quoted(method)), ("target", Self.quoted(target)), ("version", Self.quoted(version)),
            ("status", String(status)), ("bytes", String(bytes)), ("microseconds", String(microseconds)),
            ("complete", String(isComplete)), ("cacheStatus", Self.quoted(cacheStatus)),
        ]
        if let url { members.append(("url", Self.quoted(url.description))) }
        if let referer { members.append(("referer", Self.quoted(referer))) }
        if let userAgent { members.append(("userAgent", Self.quoted(userAgent))) }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// Escapes as Apache httpd does: quotes and backslashes with a backslash, bytes that aren't printable ASCII as
    /// `\xHH`.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): result += "\\\""
            case UInt8(ascii: "\\"): result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return result
    }

    /// Quotes a JSON string (RFC 8259 §7), with everything but ASCII escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result + "\""
    }
}
