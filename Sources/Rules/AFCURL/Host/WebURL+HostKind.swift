extension WebURL {
    /// The kind of a URL's host; see https://url.spec.whatwg.org/#concept-host.
    public enum HostKind: Equatable, Sendable {
        /// A domain name, in ASCII.
        case domain
        /// An IPv4 address, four decimal numbers.
        case ipv4
        /// An IPv6 address in brackets.
        case ipv6
        /// A name that only its scheme defines; never for special schemes.
        case opaque
        /// An empty host, as in `file:///a`.
        case empty
    }

    /// The kind of the host, or nil if the URL has no authority.
    public var hostKind: HostKind? {
        guard let host else { return nil }
        guard let first = host.utf8.first else { return .empty }
        if first == UInt8(ascii: "[") { return .ipv6 }
        guard isSpecial else { return .opaque }
        return IPv4Address.endsInNumber(Array(host.utf8)[...]) ? .ipv4 : .domain
    }

    /// True if the host denotes this machine or a private network, decided without asking a resolver.
    ///
    /// Such hosts are `localhost`, names below it (RFC 6761 §6.3), and literal addresses that are loopback, private,
    /// link-local, shared or unspecified (RFC 1122, 1918, 3927, 4193, 4291, 6598). A domain name that a resolver maps
    /// to such an address is not recognized, so code that connects must check the address again.
    public var hostIsLoopbackOrPrivate: Bool {
        guard let host, let kind = hostKind else { return false }
        switch kind {
        case .domain:
            let name = host.hasSuffix(".") ? String(host.dropLast()) : host
            return name == "localhost" || name.hasSuffix(".localhost")
        case .ipv4:
            do throws(ParseError) {
                return try IPv4Address(parsing: Array(host.utf8)[...]).isPrivate
            } catch {
                // Unreachable: the parser wrote the address.
                return true
            }
        case .ipv6:
            return IPv6Address(host.utf8.dropFirst().dropLast())?.isPrivate ?? true
        case .opaque, .empty:
            return false
        }
    }
}

extension WebURL {
    /// Creates the URL of a host's root, by https on the default port; nil if the text isn't a host.
    package init?(httpsHost host: String) {
        do throws(ParseError) {
            let url = try WebURL("https://" + host + "/")
            guard url.authority == url.host, url.path == "/", !url.hasCredentials else { return nil }
            self = url
        } catch {
            return nil
        }
    }
}
