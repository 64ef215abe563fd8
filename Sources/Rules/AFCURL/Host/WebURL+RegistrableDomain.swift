#if PublicSuffixes
internal import CLibpsl
#endif

extension WebURL {
    /// The registrable domain of the host: its public suffix and one more label, for example `news.example` for
    /// `www.news.example`.
    ///
    /// Nil for addresses, for hosts that are public suffixes themselves (`co.uk`, `github.io`, every single label), and
    /// for schemes whose hosts aren't domains. A dot at the end of the host is kept. The list is the one built into
    /// libpsl; a top-level domain that isn't on it is a public suffix. Without the trait PublicSuffixes it is always nil.
    /// See
    /// https://url.spec.whatwg.org/#host-registrable-domain.
    public var registrableDomain: String? {
        guard hostKind == .domain, let host else { return nil }
        let isDotted = host.utf8.last == UInt8(ascii: ".")
        let name = isDotted ? String(host.dropLast()) : host
        // Names with empty labels are invalid, which libpsl doesn't check.
        guard
            !name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
        else { return nil }
        #if PublicSuffixes
        let length: Int? = name.withCString { text in
            guard let list = psl_builtin(), let domain = psl_registrable_domain(list, text) else { return nil }
            // The result points into the argument.
            return name.utf8.count - (domain - text)
        }
        return length.map { String(host.suffix($0 + (isDotted ? 1 : 0))) }
        #else
        // Without the list, every host is one of its own.
        return nil
        #endif
    }
}
