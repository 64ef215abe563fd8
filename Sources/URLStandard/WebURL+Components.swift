extension WebURL {
    /// The scheme in lower case, without its colon.
    public var scheme: String { text(0, layout.schemeEnd) }

    /// The host as serialised, or nil where the URL has no authority; IPv6 addresses have their brackets.
    public var host: String? { layout.hasAuthority ? text(layout.hostStart, layout.hostEnd) : nil }

    /// The port, or nil where it is the scheme's default.
    public var port: UInt16? { layout.hasPort ? layout.port : nil }

    /// The port, the scheme's default where none is written; nil for schemes without one.
    public var effectivePort: UInt16? { port ?? SpecialScheme(scheme)?.defaultPort }

    /// The path as serialised, percent-escapes as they stand.
    public var path: String { text(layout.pathStart, layout.pathEnd) }

    /// The query as serialised, without its `?`, or nil where there is none.
    public var query: String? {
        let end = UInt32(serialization.utf8.count)
        return layout.pathEnd < end ? text(layout.pathEnd + 1, end) : nil
    }

    /// The user name as serialised, or an empty text.
    public var username: String { text(layout.authorityStart, layout.usernameEnd) }

    /// The password as serialised, or an empty text.
    public var password: String {
        guard layout.hostStart > layout.usernameEnd + 1 else { return "" }
        return text(layout.usernameEnd + 1, layout.hostStart - 1)
    }

    /// Whether the URL has a user name or a password.
    public var hasCredentials: Bool { layout.hostStart > layout.authorityStart }

    /// Whether the path is one opaque text, as in `mailto:someone`.
    public var hasOpaquePath: Bool { layout.hasOpaquePath }

    /// Whether the scheme is one of the standard's special schemes: http, https, ws, wss, ftp, file.
    public var isSpecial: Bool { SpecialScheme(scheme) != nil }

    /// Whether the scheme is http or https.
    public var isHTTP: Bool {
        switch serialization.utf8.prefix(Int(layout.schemeEnd)).count {
        case 4: serialization.hasPrefix("http:")
        case 5: serialization.hasPrefix("https:")
        default: false
        }
    }

    /// Scheme, host and port as one text, for example `https://docs.example:8443`.
    public var origin: String {
        guard let host else { return scheme + ":" }
        return scheme + "://" + host + (port.map { ":\($0)" } ?? "")
    }

    /// The same URL without user name and password.
    public var removingCredentials: WebURL {
        guard hasCredentials else { return self }
        var layout = layout
        let cut = layout.hostStart - layout.authorityStart
        layout.usernameEnd = layout.authorityStart
        layout.hostStart -= cut
        layout.hostEnd -= cut
        layout.pathStart -= cut
        layout.pathEnd -= cut
        let kept = text(0, self.layout.authorityStart) + text(self.layout.hostStart, UInt32(serialization.utf8.count))
        return WebURL(serialization: kept, layout: layout)
    }

    /// Whether the host names this machine or a private network by itself, without asking a resolver.
    ///
    /// That is `localhost`, names below it, and literal addresses that are loopback, private, link-local, shared or
    /// unspecified (RFC 1918, 3927, 4193, 6598, 6761).
    public var hostIsPrivate: Bool {
        guard let host, isSpecial else { return false }
        if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".localhost.") || host == "localhost."
        {
            return true
        }
        if host.hasPrefix("["), let address = IPv6Address(host.utf8.dropFirst().dropLast()) { return address.isPrivate }
        return IPv4Address(serialized: host)?.isPrivate ?? false
    }

    private func text(_ start: UInt32, _ end: UInt32) -> String {
        let view = serialization.utf8
        let lower = view.index(view.startIndex, offsetBy: Int(start))
        let upper = view.index(view.startIndex, offsetBy: Int(end))
        return String(serialization[lower..<upper])
    }
}

/// The schemes that the standard treats specially, with their default ports.
enum SpecialScheme: String {
    case http, https, ws, wss, ftp, file

    init?(_ scheme: String) { self.init(rawValue: scheme) }

    var defaultPort: UInt16? {
        switch self {
        case .http, .ws: 80
        case .https, .wss: 443
        case .ftp: 21
        case .file: nil
        }
    }
}
