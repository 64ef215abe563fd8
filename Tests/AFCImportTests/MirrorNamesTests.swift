import AFCHTTP
import Testing

@testable import AFCArchive

/// The URLs of files in mirrors by wget 1.21 and wget2 2.0, as runs of these programs named them.
struct MirrorNamesTests {
    /// Returns the URL of each file, its aliases, and its type; a file that doesn't count has none.
    private static func targets(_ paths: [String]) -> [String] {
        let names = MirrorNames(Set(paths))
        return paths.map { path in
            guard let target = names.target(of: path) else { return "-" }
            return ([target.path] + target.aliases).joined(separator: " ")
        }
    }

    @Test(arguments: [
        (
            ["index.html", "sub/index.html", "sub/x.html", "noct"],
            [" index.html", "sub/ sub/index.html", "sub/x.html", "noct"]
        ),
        // Queries, with names for changed links.
        (
            ["q?a=1&b=2", "q?", "index.html?x", "s.css?7"],
            ["q?a=1&b=2 q%3Fa=1&b=2", "q? q%3F", "?x index.html?x index.html%3Fx", "s.css?7 s.css%3F7"]
        ),
        // --restrict-file-names=windows; the sign is in other names, too.
        (
            ["q@a=1", "q@", "s.css@7", "@user", "react@18/x", "logo@2x.png"],
            ["q?a=1 q@a=1", "q? q@", "s.css?7 s.css@7", "@user", "react@18/x", "logo@2x.png"]
        ),
        (["a?b", "q@a=1"], ["a?b a%3Fb", "q@a=1"]),
        // --adjust-extension: pages with a query tell it from pages with names of their own.
        (["q?a=1.html", "about.html", "x/index.html"], ["q?a=1 q%3Fa=1.html", "about.html about", "x/ x/index.html"]),
        (["q?a=1.html", "go?b", "go?c"], ["q?a=1.html q%3Fa=1.html", "go?b go%3Fb", "go?c go%3Fc"]),
        (["q?a=1.html", "about", "about.html"], ["q?a=1 q%3Fa=1.html", "about", "about.html"]),
        // --backup-converted keeps the page that the server sent.
        (
            ["page.html", "page.html.orig", "q?a.html", "q?a.orig", "s.css?7.css", "s.css?7orig"],
            ["-", "page.html", "-", "q?a", "-", "s.css?7"]
        ),
        (
            ["clash.html", "clash.orig", "clash/index.html", "clash/index.html.orig"],
            ["-", "clash", "-", "clash/ clash/index.html"]
        ),
        (["config.orig", "p.html"], ["config.orig", "p.html"]),
        // Pages that wget kept coded.
        (["g.html.gz", "x.tar.gz", "b.html.br", "d.html.zlib"], ["g.html g.html.gz", "x.tar.gz", "b.html", "d.html"]),
        (["g.html", "g.html.gz"], ["g.html", "g.html.gz"]),
        // Names that aren't URLs; escapes that wget wrote stay.
        (["a b#c%d%2Fe.html", "f\\g\"h"], ["a%20b%23c%25d%2Fe.html", "f%5Cg%22h"]),
        (["é.html", "a:b", "%2e%2e"], ["é.html", "a:b", "%2e%2e"]),
    ])
    func `a file has the URL by which wget asked for it`(paths: [String], expected: [String]) {
        let found = Self.targets(paths)
        // The order of aliases with a query is theirs.
        #expect(found == expected)
    }

    @Test(
        arguments: [
            ("a.png", "image/png"), ("q?a=1.html", "text/html"), ("s.css?7", "text/css"), ("noct", nil),
            ("q.orig", nil),
            ("c.orig", "text/html"),
        ] as [(String, String?)]
    )
    func `the name says the type`(path: String, type: String?) {
        let names = MirrorNames(["a.png", "q?a=1.html", "s.css?7", "noct", "q.orig", "c.orig", "c.html"])
        #expect(names.target(of: path)?.type?.essence == type)
        #expect(names.hasOriginals)
    }
}
