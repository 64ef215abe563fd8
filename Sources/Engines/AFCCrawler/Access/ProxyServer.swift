public import AFCCrawlRules
public import AFCCredentials
public import AFCText
internal import AFCURL

/// An HTTP proxy that forwards all requests.
///
/// It gets https requests by CONNECT, and http requests in absolute form (RFC 9110 §9.3.6, RFC 9112 §3.2.2).
///
/// The proxy resolves host names, so their addresses aren't checked here.
public struct ProxyServer: Sendable, Equatable {
    /// The proxy's host, as written in a URL.
    public let host: String
    /// The proxy's port.
    public let port: UInt16
    /// The credentials for the proxy, or nil.
    public let credentials: BasicCredentials?

    /// The environment variable that holds `user:password` for the proxy.
    public static let variable = "AFCACHE_PROXY_BASIC"

    /// Reads `http://host:port`.
    ///
    /// - Parameters:
    ///   - text: The proxy's URL; the scheme is optional.
    ///   - credentials: The credentials for the proxy, from the environment.
    /// - Throws: `PackagingError` if the text is not such a URL, or contains a password.
    public init(_ text: String, credentials: BasicCredentials? = nil) throws(PackagingError) {
        let url: WebURL?
        do throws(WebURL.ParseError) {
            url = try WebURL(text.contains("://") ? text : "http://" + text)
        } catch {
            url = nil
        }
        // The text may contain a password, so the error doesn't show it.
        guard !text.contains("@") else {
            let message = "other users can see a password in it; put 'user:password' in \(Self.variable)"
            throw PackagingError(.badOption, subject: "proxy", message: message)
        }
        guard let url, url.scheme == "http", let host = url.host, let port = url.effectivePort, url.requestTarget == "/"
        else {
            let message = "\(PrintableText.quoted(text)) isn't of the form http://host:port"
            throw PackagingError(.badOption, subject: "proxy", message: message)
        }
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}
