import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackager
import AFCURL
import TestOrigin
import Testing

/// Sites that answer each unknown path with their page.
struct FallbackPageTests {
    private typealias Answer = TestOrigin.Answer

    private let page = Answer.html(
        """
        <link rel=icon href=favicon.ico><link rel=stylesheet href=static/css/main.css>
        <script src=static/js/main.js></script><img src=img/missing.png>
        """
    )

    @Test func `a missing image of an application costs one request`() async throws {
        let (targets, report) = try await crawled([
            "*": [page], "/favicon.ico": [.text("i", type: "image/x-icon")],
            "/static/css/main.css": [.text("p { }", type: "text/css")],
            "/static/js/main.js": [.text("f()", type: "text/javascript")],
        ])
        // Besides, the manifest of one bundler is guessed.
        let wanted = ["/", "/favicon.ico", "/img/missing.png", "/static/css/main.css", "/static/js/main.js"]
        #expect(targets.filter { $0 != "/asset-manifest.json" }.sorted() == wanted)
        #expect(report.misplacedCount == 1)
        #expect(report.misplaced.map(\.path) == ["/img/missing.png"])
        #expect(report.outcome == .complete)
    }

    @Test func `missing images in two folders cost two requests`() async throws {
        let page = Answer.html("<link rel=icon href=data:,><img src=images/a.png><img src=photos/b.png><a href=/>x</a>")
        let (targets, report) = try await crawled(["*": [page]])
        #expect(targets.sorted() == ["/", "/images/a.png", "/photos/b.png"])
        #expect(report.misplacedCount == 2)
    }

    @Test func `missing scripts, styles, fonts and media aren't searched as pages`() async throws {
        let page = Answer.html(
            """
            <link rel=icon href=data:,><script src=a/s.js></script><script type=module src=b/m.js></script>
            <link rel=stylesheet href=c/s.css><style>@font-face { font-family: f; src: url(d/f.woff2) }</style>
            <video src=e/v.mp4></video><link rel=manifest href=f/m.json>
            """
        )
        let (targets, report) = try await crawled(["*": [page]])
        let wanted = ["/", "/a/s.js", "/b/m.js", "/c/s.css", "/d/f.woff2", "/e/v.mp4", "/f/m.json"]
        #expect(targets.sorted() == wanted)
        #expect(report.misplacedCount == 6)
    }

    /// The URL is found as an image before, after or together with the link.
    @Test(
        arguments: [
            "<img src=/x><a href=/x>x</a>", "<a href=/x>x</a><img src=/x>", "<img src=/x><a href=/later>l</a>",
            "<a href=/later>l</a><img src=/x>", "<img src=/r><a href=/later-r>l</a>", "<img src=/x><a href=/far>f</a>",
        ]
    )
    func `a page that is also an image of another is searched once something links to it`(start: String) async throws {
        let icon = "<link rel=icon href=data:,>"
        let routes: [String: [Answer]] = [
            "/": [.html(icon + start)], "/later": [.html(icon + "<a href=/x>x</a>")], "/r": [.redirect("/x")],
            "/later-r": [.html(icon + "<a href=/r>r</a>")], "/far": [.html(icon + "<a href=/later>l</a>")],
            "/x": [.html(icon + "<a href=/found>f</a><link rel=stylesheet href=/found.css>")],
            "/found": [.html(icon)], "/found.css": [.text("p { }", type: "text/css")],
        ]
        let (targets, report) = try await crawled(routes)
        #expect(targets.contains("/found"))
        #expect(targets.contains("/found.css"))
        #expect(report.failures.isEmpty)
        #expect(Set(targets).count == targets.count)
    }

    @Test func `a page that only a nofollow link leads to isn't searched`() async throws {
        let routes: [String: [Answer]] = [
            "/": [.html("<link rel=icon href=data:,><img src=/x><a rel=nofollow href=/x>x</a>")],
            "/x": [.html("<link rel=icon href=data:,><a href=/found>f</a>")],
        ]
        #expect(try await crawled(routes) { $0.obeysNofollow = true }.targets.sorted() == ["/", "/x"])
    }
}
