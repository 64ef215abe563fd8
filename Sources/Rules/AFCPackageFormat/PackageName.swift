internal import AFCURL

/// The rule for the names of packages in a cache.
public enum PackageName {
    /// Returns true if a package may have the name: one line of 1 to 255 bytes, since names are displayed and listed.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether a cache accepts it.
    public static func isValid(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return !name.isEmpty && name.utf8.count <= 255 && isPlain
    }
}

/// The places from which packages come.
public enum PackageSource {
    /// Returns true if a source is a URL or the name of an artifact in a registry, and not a path.
    ///
    /// - Parameter from: The source.
    /// - Returns: Whether it begins with one of the schemes.
    public static func isRemote(_ from: String) -> Bool {
        ["https://", "http://", "oci://", "s3://"].contains { from.hasPrefix($0) }
    }

    /// Returns a source in the form that the other functions read: its scheme in lower case (RFC 3986 §3.1), and the path
    /// of a `file:` URL of this machine.
    ///
    /// - Parameter from: The source as a user wrote it.
    /// - Returns: The source; a path, and a URL with another scheme, as it is.
    public static func normalized(_ from: String) -> String {
        guard let colon = from.firstIndex(of: ":") else { return from }
        let scheme = from[..<colon].lowercased()
        let rest = from[from.index(after: colon)...]
        switch scheme {
        case "https", "http", "oci", "s3": return rest.hasPrefix("//") ? scheme + ":" + rest : from
        case "oci-layout": return scheme + ":" + rest
        case "file":
            // RFC 8089 §2.
            guard let host = ["//localhost/", "///"].first(where: rest.hasPrefix) else { return from }
            let path = rest.dropFirst(host.utf8.count - 1)
            return String(validating: PercentDecoding.decode(path.utf8), as: UTF8.self) ?? from
        default: return from
        }
    }

    /// Returns a source for messages, which others may read: a URL has `?…` in place of its query, since that may have
    /// a token.
    ///
    /// - Parameter from: The source.
    /// - Returns: The source without what may be secret.
    public static func shown(_ from: String) -> String {
        guard isHTTP(from), let mark = from.firstIndex(of: "?") else { return from }
        return from[..<mark] + "?…"
    }

    private static func isHTTP(_ from: String) -> Bool { from.hasPrefix("https://") || from.hasPrefix("http://") }
}
