internal import AFCURL

/// A host and perhaps a port, as the Host field and the first segment of a path name them (RFC 9110 §7.2).
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The host as a URL serialises it: lower case, IDNA, IPv6 in brackets.
    public let host: String
    /// The port where one is written.
    public let port: UInt16?

    init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Reads `uri-host [":" port]`; nil for anything else, such as a user name, a space or a letter beyond ASCII.
    public init?(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        let (name, digits) = Self.split(String(text))
        guard !name.isEmpty, digits?.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) ?? true else { return nil }
        var port: UInt16?
        if let digits, !digits.isEmpty {
            guard let number = UInt16(digits) else { return nil }
            port = number
        }
        guard let url = try? WebURL("http://\(name)/"), let host = url.host, url.port == nil, !url.hasCredentials else {
            return nil
        }
        self.init(host: host, port: port)
    }

    /// The host, and a colon and the port where one is written.
    public var description: String { host + (port.map { ":\($0)" } ?? "") }

    /// The text before the last colon and that after it, with colons inside brackets left alone.
    private static func split(_ text: String) -> (name: String, digits: String?) {
        let searched = text.lastIndex(of: "]") ?? text.startIndex
        guard let colon = text[searched...].firstIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// The characters of RFC 3986 §3.2.2, without those that begin another part of a URL.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: allowedMarks.contains(byte)
        }
    }

    private static let allowedMarks = Set("-._~%!$&'()*+,;=[]:".utf8)
}

/// Whom a request means by its Host field (RFC 9112 §3.2), or by `:authority` in HTTP/2.
public enum NamedHost: Hashable, Sendable {
    /// There is no such field.
    case missing
    /// There is one, without a value.
    case empty
    /// A host, and perhaps a port.
    case authority(Authority)
    /// There is one, and its value is no host.
    case malformed
    /// There is more than one.
    case several

    /// Reads the values of all Host fields.
    init(_ fields: [String]) {
        switch fields.count {
        case 0: self = .missing
        case 1 where fields[0].isEmpty: self = .empty
        case 1: self = Authority(fields[0]).map { .authority($0) } ?? .malformed
        default: self = .several
        }
    }

    /// The host, where the request says once, and rightly, whom it means.
    public var authority: Authority? { if case .authority(let authority) = self { authority } else { nil } }

    /// Why a request is refused, whoever answers; nil where it says whom it means, or needn't.
    func refusal(needsHost: Bool) -> RequestTarget.Fault? {
        switch self {
        case .missing: needsHost ? .hostMissing : nil
        case .malformed: .malformedHost
        case .several: .severalHosts
        case .empty, .authority: nil
        }
    }
}

/// What the names of hosts say by themselves.
enum HostNames {
    /// A name without the dot that ends it where it is fully qualified (RFC 1034 §3.1).
    static func withoutDot(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }

    /// Whether a host leads to the machine that asks, whatever servers of names say: `localhost`, names below it (RFC 6761 §6.3),
    /// 127.0.0.0/8 and ::1.
    ///
    /// - Parameter host: The host as a URL serialises it, without a dot at its end.
    /// - Returns: Whether it does.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        guard host.hasPrefix("127.") else { return false }
        // A URL's host whose characters are these is an address.
        return host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 &- UInt8(ascii: "0") < 10 }
    }
}
