internal import AFCURL

/// A host with an optional port, as in the Host field or the first segment of a path (RFC 9110 §7.2).
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The host as a URL serializes it: lower case, IDNA, IPv6 in brackets.
    public let host: String
    /// The port if one is given.
    public let port: UInt16?

    init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Parses `uri-host [":" port]`; nil for anything else, such as a user name, a space or a letter beyond ASCII.
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

    /// The host, followed by a colon and the port if one is given.
    public var description: String { host + (port.map { ":\($0)" } ?? "") }

    /// Splits the text at the last colon, ignoring colons inside brackets.
    private static func split(_ text: String) -> (name: String, digits: String?) {
        let searched = text.lastIndex(of: "]") ?? text.startIndex
        guard let colon = text[searched...].firstIndex(of: ":") else { return (text, nil) }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// Returns true for the characters of RFC 3986 §3.2.2, without those that begin another part of a URL.
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

/// The host that a request names in its Host field (RFC 9112 §3.2), or in `:authority` of HTTP/2.
public enum NamedHost: Hashable, Sendable {
    /// No Host field.
    case missing
    /// A Host field without a value.
    case empty
    /// A host with an optional port.
    case authority(Authority)
    /// A Host field whose value isn't a host.
    case malformed
    /// More than one Host field.
    case several

    /// Parses the values of all Host fields.
    init(_ fields: [String]) {
        switch fields.count {
        case 0: self = .missing
        case 1 where fields[0].isEmpty: self = .empty
        case 1: self = Authority(fields[0]).map { .authority($0) } ?? .malformed
        default: self = .several
        }
    }

    /// The host if the request names exactly one valid host.
    public var authority: Authority? { if case .authority(let authority) = self { authority } else { nil } }

    /// Returns the reason to refuse the request with any responder; nil if the host is valid, or may be missing.
    func refusal(needsHost: Bool) -> RequestTarget.Fault? {
        switch self {
        case .missing: needsHost ? .hostMissing : nil
        case .malformed: .malformedHost
        case .several: .severalHosts
        case .empty, .authority: nil
        }
    }
}

/// Facts about host names that follow from the names alone.
enum HostNames {
    /// Removes the dot at the end of a fully qualified name (RFC 1034 §3.1).
    static func withoutDot(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }

    /// Returns true for an IP address, as a URL serializes it.
    static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 &- UInt8(ascii: "0") < 10 }
    }

    /// Returns true if a host means the client's own machine, whatever DNS says: `localhost`, names below it (RFC 6761
    /// §6.3), 127.0.0.0/8 and ::1.
    ///
    /// - Parameter host: The host as a URL serializes it, without a dot at its end.
    /// - Returns: True for a loopback host.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        guard host.hasPrefix("127.") else { return false }
        // A URL's host with only these characters is an address.
        return host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 &- UInt8(ascii: "0") < 10 }
    }
}
