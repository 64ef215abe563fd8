internal import AFCURL

/// A host, or all hosts below one, for which a gateway answers.
public struct HostPattern: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case any
        case exactly(String)
        case below(String)
    }

    private let kind: Kind

    /// Reads `docs.example`, `192.0.2.1`, `[2001:db8::1]`, `*.docs.example` for every name below that one, or `*` for all.
    ///
    /// - Parameter text: The pattern; nil for anything else, also with a port.
    public init?(_ text: String) {
        if text == "*" {
            kind = .any
            return
        }
        let isBelow = text.hasPrefix("*.")
        let isIPv6 = text.contains(":") && !text.hasPrefix("[")
        let name = isBelow ? String(text.dropFirst(2)) : isIPv6 ? "[\(text)]" : text
        guard let authority = Authority(name), authority.port == nil, !name.hasSuffix(":"), !name.contains("*") else {
            return nil
        }
        let host = HostNames.withoutDot(authority.host)
        kind = isBelow ? .below("." + host) : .exactly(host)
    }

    /// Whether a host is meant.
    ///
    /// - Parameter host: The host as a URL serialises it, without a dot at its end.
    /// - Returns: Whether it is.
    func matches(_ host: String) -> Bool {
        switch kind {
        case .any: true
        case .exactly(let name): host == name
        case .below(let end): host.hasSuffix(end)
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
