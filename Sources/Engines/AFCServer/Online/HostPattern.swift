internal import AFCURL

/// A host, or all hosts below one, that a gateway serves.
public struct HostPattern: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case any
        case exactly(String)
        case below(String)
    }

    private let kind: Kind

    /// Creates a pattern from `docs.example`, `192.0.2.1`, `[2001:db8::1]`, `*.docs.example` for all names below it, or
    /// `*` for all.
    ///
    /// - Parameter text: The pattern; anything else gives nil, and so does a port.
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

    /// Returns true if the pattern matches a host.
    ///
    /// - Parameter host: The host as a URL serializes it, without a dot at its end.
    /// - Returns: True if it matches.
    func matches(_ host: String) -> Bool {
        switch kind {
        case .any: true
        case .exactly(let name): host == name
        case .below(let end): host.hasSuffix(end)
        }
    }
}
