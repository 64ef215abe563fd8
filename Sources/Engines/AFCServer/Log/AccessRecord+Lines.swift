internal import AFCCaching
internal import AFCHTTP

/// How a line of an access log looks.
public enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The combined log format of Apache httpd and nginx.
    case combined
    /// One JSON object a line.
    case json
}

extension AccessRecord {
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
