extension WebURL {
    /// The scheme in lower case, without its colon.
    public var scheme: String { text(0, offsets.schemeEnd) }

    /// The host as serialized, or nil if the URL has no authority; IPv6 addresses include their brackets.
    ///
    /// The host is empty in URLs such as `file:///a`.
    public var host: String? {
        offsets.hasAuthority ? text(Int(offsets.hostStart), Int(offsets.hostEnd)) : nil
    }

    /// The port, or nil if none is written or it is the scheme's default.
    public var port: UInt16? {
        guard offsets.hasAuthority, offsets.pathStart > offsets.hostEnd else { return nil }
        return UInt16(text(Int(offsets.hostEnd) + 1, Int(offsets.pathStart)))
    }

    /// The port, or the scheme's default if none is written; nil for schemes without a default.
    public var effectivePort: UInt16? { port ?? offsets.kind.defaultPort }

    /// The path as serialized, with its percent-escapes; begins with `/` for special schemes.
    public var path: String { text(Int(offsets.pathStart), Int(offsets.pathEnd)) }

    /// The query as serialized, without its `?`, or nil if there is none.
    public var query: String? {
        let end = serialization.utf8.count
        return offsets.pathEnd < end ? text(Int(offsets.pathEnd) + 1, end) : nil
    }

    /// The user name as serialized; empty if there is none.
    public var username: String { text(offsets.authorityStart, Int(offsets.usernameEnd)) }

    /// The password as serialized; empty if there is none.
    public var password: String {
        guard offsets.hostStart > offsets.usernameEnd + 1 else { return "" }
        return text(Int(offsets.usernameEnd) + 1, Int(offsets.hostStart) - 1)
    }

    /// True if the URL has a user name or a password.
    public var hasCredentials: Bool { offsets.hostStart > offsets.authorityStart }

    /// True if the path is opaque, as in `mailto:someone`.
    public var hasOpaquePath: Bool { offsets.hasOpaquePath }

    /// True if the scheme is one of the standard's special schemes: http, https, ws, wss, ftp, file.
    public var isSpecial: Bool { offsets.kind.isSpecial }

    /// True if the scheme is http or https.
    public var isHTTP: Bool { offsets.kind == .http || offsets.kind == .https }

    /// Scheme, host and port as one text, for example `https://docs.example:8443`.
    ///
    /// If the standard's origin is opaque (file, schemes that aren't special), this still distinguishes scheme and
    /// host, for example `file://`.
    public var origin: String {
        let start = offsets.authorityStart
        if hasCredentials { return text(0, start) + text(Int(offsets.hostStart), offsets.authorityEnd) }
        return text(0, offsets.authorityEnd)
    }

    /// The host and port as in the Host field (RFC 9110 §7.2); empty if there is no host.
    public var authority: String {
        offsets.hasAuthority ? text(Int(offsets.hostStart), offsets.authorityEnd) : ""
    }

    /// The path and query as in a request line (RFC 9112 §3.2.1), with their percent-escapes.
    public var requestTarget: String { text(Int(offsets.pathStart), serialization.utf8.count) }

    /// The same URL without user name and password.
    public var removingCredentials: WebURL {
        guard hasCredentials else { return self }
        var offsets = offsets
        offsets.cutCredentials()
        let host = Int(self.offsets.hostStart)
        let kept = text(0, offsets.authorityStart) + text(host, serialization.utf8.count)
        return WebURL(serialization: kept, offsets: offsets)
    }

    /// The same URL without its query.
    public var removingQuery: WebURL {
        guard offsets.pathEnd < serialization.utf8.count else { return self }
        return WebURL(serialization: text(0, Int(offsets.pathEnd)), offsets: offsets)
    }

    /// The URL for messages, which others may read: without user name and password, and with `?…` in place of a query,
    /// since that may have a token.
    public var shown: String { removingCredentials.removingQuery.description + (query == nil ? "" : "?…") }

    func text(_ start: Int, _ end: Int) -> String { String(slice(start, end)) }

    func slice(_ start: Int, _ end: Int) -> Substring {
        let view = serialization.utf8
        let lower = view.index(view.startIndex, offsetBy: start)
        return serialization[lower..<view.index(lower, offsetBy: end - start)]
    }
}
