public import AFCCrawlRules
public import AFCCredentials
public import AFCOrigin
public import AFCText
internal import AFCURL

extension OriginProxy {
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
        self.init(host: host, port: port, authorization: credentials.map { Secret($0.fieldValue) })
    }
}
