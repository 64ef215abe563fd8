public import AFCCrawlRules
public import AFCText
internal import AFCURL

/// An HTTP proxy that all requests go through: https by CONNECT, http in absolute form (RFC 9110 §9.3.6, RFC 9112 §3.2.2).
///
/// It looks names up itself, so what they resolve to isn't checked here.
public struct ProxyServer: Sendable, Equatable {
    /// The proxy's host as a URL has it.
    public let host: String
    /// The proxy's port.
    public let port: UInt16
    /// What the proxy asks for, or nil.
    public let credentials: BasicCredentials?

    /// The environment's variable with `user:password` for the proxy.
    public static let variable = "AFCACHE_PROXY_BASIC"

    /// Reads `http://host:port`.
    ///
    /// - Parameters:
    ///   - text: The proxy's URL; the scheme may be left out.
    ///   - credentials: What the proxy asks for, from the environment.
    /// - Throws: ``PackagingError`` where it is no such URL, or has a password in it.
    public init(_ text: String, credentials: BasicCredentials? = nil) throws(PackagingError) {
        let url: WebURL?
        do throws(WebURL.ParseError) {
            url = try WebURL(text.contains("://") ? text : "http://" + text)
        } catch {
            url = nil
        }
        // What can't be told apart from a password isn't shown.
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
