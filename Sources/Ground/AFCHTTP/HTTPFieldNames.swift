public import HTTPTypes

/// Field names that this project uses and HTTPTypes has no constants for.
extension HTTPField.Name {
    /// RFC 9211.
    public static let cacheStatus = registered("Cache-Status")
    /// RFC 9213 §3.1.
    public static let cdnCacheControl = registered("CDN-Cache-Control")
    /// RFC 9111 §5.4.
    public static let pragma = registered("Pragma")

    /// A name that is written in this file, so it is a token.
    private static func registered(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is not a field name") }
        return name
    }
}
