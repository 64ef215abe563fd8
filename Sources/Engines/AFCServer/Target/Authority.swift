internal import AFCURL

/// A host and perhaps a port, as the Host field and the first segment of a path name them (RFC 9110 §7.2).
struct Authority: Hashable, Sendable, CustomStringConvertible {
    /// The host as a URL serialises it: lower case, IDNA, IPv6 in brackets.
    var host: String
    /// The port where one is written.
    var port: UInt16?

    init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Understands `uri-host [":" port]`; nil for anything else, such as a user name, a space or a letter beyond ASCII.
    init?(_ text: some StringProtocol) {
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
    var description: String { host + (port.map { ":\($0)" } ?? "") }

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
