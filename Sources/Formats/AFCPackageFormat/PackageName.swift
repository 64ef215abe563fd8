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
