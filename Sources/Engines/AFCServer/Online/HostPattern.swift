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
