public import AFCHTTP
public import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The form of a line of an access log.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The combined log format of Apache httpd and nginx.
    case combined
    /// One JSON object a line.
    case json
}

/// What a log tells of one answer.
public struct AccessRecord: Sendable, Equatable, CustomStringConvertible {
    /// The request's method.
    public var method: String
    /// The request target as sent; it may hold anything that a client wants in a log.
    public var target: String
    /// The protocol, such as `HTTP/1.1`.
    public var version: String
    /// The client's address.
    public var remoteAddress: String?
    /// What the client says about where it found the link.
    public var referer: String?
    /// What the client says about itself.
    public var userAgent: String?
    /// When the request came.
    public var time: Timestamp
    /// How long it took from the request's head on, in microseconds.
    public var microseconds: Int64 = 0
    /// The resource that was meant, where one was.
    public var url: WebURL?
    /// The status that went out.
    public var status: Int
    /// The bytes of the body that were handed to the connection.
    public var bytes: Int64 = 0
    /// What Cache-Status says.
    public var cacheStatus: String
    /// Whether the whole answer was handed to the connection; not so when the client left or a body was damaged.
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
        method = head.method.rawValue
        target = head.uri
        version = "HTTP/1.1"
        referer = head.headers.first(name: "referer")
        userAgent = head.headers.first(name: "user-agent")
        time = hot.repetition.made
        url = hot.url
        status = hot.status
        cacheStatus = hot.cacheStatus
        bytes = Int64(hot.bodyBytes)
        isComplete = true
    }

    /// One line: status, method, bytes, the URL that was meant or else the target, and Cache-Status.
    public var description: String {
        let subject = url?.description ?? String(String.UnicodeScalarView(target.unicodeScalars.map(Self.printable)))
        return "\(status) \(method) \(bytes) \(subject) (\(cacheStatus))\(isComplete ? "" : " incomplete")"
    }

    /// Terminals act on control characters, and a line must stay one.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x21...0x7E).contains(scalar.value) ? scalar : "?"
    }

    /// The line of a log, without its end.
    ///
    /// - Parameter format: How it looks.
    /// - Returns: The line, in which nothing that a client sent can end it or stand for something else.
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

    /// As Apache httpd does: quotes and backslashes with a backslash, what isn't printable ASCII as `\xHH`.
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

    /// RFC 8259 §7, with everything but ASCII escaped.
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
