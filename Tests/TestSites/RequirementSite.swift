/// A site with one URL for each way of referring to one, and decoys that look like URLs and are none.
///
/// Each URL is named by its way. A crawl that begins at ``seed`` and follows the links of its host has to ask for all in
/// ``required`` and ``linked``, and for none of ``decoys``. Every body is what its type says, so that a browser shows it.
public enum RequirementSite {
    /// What the origin answers at one target.
    public struct Route: Sendable {
        /// Path and query as they stand in the request.
        public var path: String
        /// The status.
        public var status = 200
        /// The fields; Content-Length is left to the origin.
        public var fields: [(name: String, value: String)]
        /// The body.
        public var body: [UInt8]
    }

    /// Where a crawl begins.
    public static let seed = "/"

    /// Where the sitemaps are named.
    public static let robots = "/robots.txt"

    /// What pages need to look as they should, in order and each once.
    public static let required = targets { $0.role == .requisite }

    /// Where a reader can go, in order and each once.
    public static let linked = targets { $0.role == .link }

    /// What nothing refers to.
    public static let decoys = parts.flatMap(\.decoys).sorted()
    /// The targets that a script may load, because it or an attribute names them; they are answered 404.
    public static let guesses = [
        "/d/js/fetch.js", "/d/data-src.png", "/d/data-href.html", "/d/js/computed.js", "/d/js/interpolated.js",
        "/d/js/url-without-base.js", "/d/template.png", "/d/script-template.js",
    ]

    /// Pages for a browser to show, each of which shows what others don't.
    public static let pages = parts.flatMap(\.pages).map(\.path)

    /// What the origin answers, the decoys left out: those are answered 404.
    ///
    /// - Parameter origin: Scheme, host and port, for what has to be written as an absolute URL.
    /// - Returns: The routes, one for each target.
    public static func routes(origin: String) -> [Route] {
        let host = String(origin.drop { $0 != "/" }.dropFirst(2))
        var routes: [String: Route] = [:]
        for path in required + linked { routes[path] = Bodies.route(path) }
        for page in parts.flatMap({ $0.pages + $0.files }) {
            routes[page.path] = page.route { $0.replacing("{origin}", with: origin).replacing("{host}", with: host) }
        }
        return routes.values.sorted { $0.path < $1.path }
    }

    static let parts = [
        Start.part, Markup.images, Markup.media, Markup.frames, Markup.head, Markup.addresses, Markup.encodings,
        Styles.part,
        Drawings.part, Modules.part, Fields.part, SiteLevel.part,
    ]

    private static func targets(where isIncluded: (Way) -> Bool) -> [String] {
        var seen: Set<String> = []
        return parts.flatMap(\.ways).filter(isIncluded).map(\.path).filter { seen.insert($0).inserted }
    }
}

/// How a URL is referred to.
struct Way: Sendable {
    enum Role: Sendable { case requisite, link }

    var path: String
    var role: Role

    static func requisite(_ path: String) -> Way { Way(path: path, role: .requisite) }
    static func link(_ path: String) -> Way { Way(path: path, role: .link) }
}

/// A text that the origin serves as it stands here.
struct File: Sendable {
    var path: String
    var status = 200
    var type: String?
    var fields: [(name: String, value: String)] = []
    var text: String
    /// How the text becomes bytes.
    var encode: @Sendable (String) -> [UInt8] = { Array($0.utf8) }

    func route(_ fill: (String) -> String) -> RequirementSite.Route {
        var fields = fields.map { (name: $0.name, value: fill($0.value)) }
        if let type { fields.insert((name: "Content-Type", value: type), at: 0) }
        return RequirementSite.Route(path: path, status: status, fields: fields, body: encode(fill(text)))
    }

    static func page(_ path: String, _ text: String, fields: [(name: String, value: String)] = []) -> File {
        File(path: path, type: "text/html; charset=utf-8", fields: fields, text: "<!DOCTYPE html>" + text)
    }
}

/// One group of ways: the pages that show them, other files, what has to be found, and what must not be.
struct Part: Sendable {
    var pages: [File]
    var files: [File] = []
    var ways: [Way]
    var decoys: [String] = []

    init(pages: [File], files: [File] = [], requisites: [String] = [], links: [String] = [], decoys: [String] = []) {
        self.pages = pages
        self.files = files
        ways = requisites.map(Way.requisite) + links.map(Way.link)
        self.decoys = decoys
    }
}

/// The page that leads to all others.
enum Start {
    static let part = Part(
        pages: [
            .page(
                "/",
                "<title>Requirements</title>"
                    + paths.map { "<p><a href='\($0)'>\($0)</a>" }.joined()
            )
        ],
        links: ["/"] + paths
    )

    /// What belongs to a frame or is found elsewhere isn't linked from here.
    private static let paths = [
        "/images.html", "/media.html", "/frames.html", "/frameset.html", "/head.html", "/addresses.html", "/base.html",
        "/latin1.html", "/utf16.html", "/untyped", "/page.xhtml", "/css.html", "/svg.html", "/modules.html",
        "/importmap.html",
        "/classic.html", "/fields.html", "/refresh-field.html", "/refresh.html", "/refresh-quoted.html",
        "/redirects.html",
        "/manifest.html", "/feeds.html", "/plain.txt",
    ]
}
