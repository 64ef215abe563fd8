internal import AFCDiscovery
internal import AFCHTTP
internal import AFCURL

/// A body whose references lead to the other files of an export.
struct ExportedPage {
    /// The largest body in which references are replaced, in bytes.
    static let limit: Int64 = 32 << 20

    /// The body as it is written.
    private(set) var bytes: [UInt8]
    /// The text of the page; nil for other bodies.
    private(set) var text: PageText?
    /// What became of its scripts.
    private(set) var scripts = PageScripts.Fate.none

    /// Returns true if the references of a type are replaced.
    ///
    /// Sitemaps and feeds keep the addresses of the site, since no browser follows them.
    static func mayChange(_ type: MediaType) -> Bool {
        let essence = type.essence
        return !["application/xml", "text/xml"].contains(essence) && !essence.hasSuffix("rss+xml")
            && !essence.hasSuffix("atom+xml") && ReferenceRewriter.mayRewrite(mediaType: type.description)
    }

    /// Replaces the references of a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its media type.
    ///   - url: Its URL.
    ///   - path: The path of its file.
    ///   - choice: The user's choice about scripts.
    ///   - map: Returns the URL that stands for the file of a URL; nil if there is none.
    init(
        _ body: [UInt8],
        _ type: MediaType,
        url: WebURL,
        path: String,
        _ choice: PageScripts.Choice,
        map: @escaping (WebURL) -> WebURL?
    ) {
        bytes = body
        let isPage = type.essence == "text/html" || type.essence == "application/xhtml+xml"
        let charset = type.parameter("charset")
        if isPage {
            let text = body.withUnsafeBufferPointer {
                PageText(html: $0, charset: charset, isXML: type.essence != "text/html")
            }
            scripts = PageScripts.fate(of: body, text: text, choice)
            self.text = text
        }
        guard let shown = ExportPlan.url(of: path) else { return }
        var rewriter = ReferenceRewriter(url: url, shown: shown, map: map)
        rewriter.isForFiles = true
        // The page's own policies name hosts and digests that files don't have.
        rewriter.policy = { _, _ in "" }
        if isPage {
            var addition = PageAddition(
                script: Self.fence(allowsScripts: scripts == .kept || scripts == .uncertain),
                imports: .init(),
                leadsOut: { _ in false },
                policy: { _, _ in "" }
            )
            addition.isForEachPage = true
            rewriter.addition = addition
        }
        if case .rewritten(let result, _, _) = rewriter.rewrite(body, mediaType: type.description, charset: charset) {
            bytes = result
        }
    }

    /// Returns the policy of each page: it loads files only, so that opening it requests nothing from a network.
    private static func fence(allowsScripts: Bool) -> String {
        let sources = "'self' file: data: blob:"
        let scripts = allowsScripts ? "" : "; script-src 'none'"
        return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src \(sources) 'unsafe-inline' "
            + "'unsafe-eval'\(scripts)\">"
    }
}
