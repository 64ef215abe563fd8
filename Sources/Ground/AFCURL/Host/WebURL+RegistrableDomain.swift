internal import CLibpsl

extension WebURL {
    /// The part of the host that somebody registered: its public suffix and one label more, `news.example` of
    /// `www.news.example`.
    ///
    /// Nil for addresses, for hosts that are public suffixes themselves (`co.uk`, `github.io`, every single label), and for
    /// schemes whose hosts aren't domains. A dot at the host's end stays. The list is the one that libpsl was built with; a
    /// top-level domain that isn't on it is a public suffix. See https://url.spec.whatwg.org/#host-registrable-domain.
    public var registrableDomain: String? {
        guard hostKind == .domain, let host else { return nil }
        let isDotted = host.utf8.last == UInt8(ascii: ".")
        let name = isDotted ? String(host.dropLast()) : host
        // Empty labels are no names, and libpsl doesn't look for them.
        guard
            !name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
        else { return nil }
        let length: Int? = name.withCString { text in
            guard let list = psl_builtin(), let domain = psl_registrable_domain(list, text) else { return nil }
            // The answer is a place in the question.
            return name.utf8.count - (domain - text)
        }
        return length.map { String(host.suffix($0 + (isDotted ? 1 : 0))) }
    }
}
