import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCDiscovery

/// The choice of guesses by itself: a site is a set of paths, and the answers come after each round.
struct ScriptGuessesTests {
    private static let host = "http://d.example"

    /// A page or script, with the paths of the page that loads it and of the seed.
    private struct File {
        var path: String
        var texts: [ScriptText]
        var page: String?
        var base: String?
    }

    /// Guesses until nothing is left; returns the paths in the order of the requests, and the guesses themselves.
    private func run(
        _ files: [File],
        site: Set<String>,
        known: Set<String> = [],
        missed: [String] = [],
        answers: Int = 0,
        seed: String = "/",
        pages: [(id: Int64, path: String, scripts: [String])] = []
    ) throws -> (asked: [String], leftOut: Int) {
        var guesses = ScriptGuesses(seeds: [try WebURL(Self.host + seed)])
        for page in pages {
            let scripts = try page.scripts.map { try WebURL(Self.host + $0) }
            _ = guesses.note(scripts, by: try WebURL(Self.host + page.path), id: page.id)
        }
        for (number, file) in files.enumerated() {
            let item = CrawlItem(
                FoundURL(
                    try WebURL(Self.host + file.path),
                    role: .requisite,
                    destination: file.page == nil ? .document : .script
                ),
                id: Int64(number + 1),
                redirects: 0,
                chain: 0,
                referrer: try file.page.map { CrawlReferrer(id: 0, url: try WebURL(Self.host + $0)) }
            )
            let base = try file.base.map { try WebURL(Self.host + $0) }
            guesses.add(file.texts, of: item, isPage: file.page == nil, base: base)
        }
        for path in missed { guesses.noteMiss(try WebURL(Self.host + path), id: 400) }
        for path in known { guesses.note(try WebURL(Self.host + path), id: 500) }
        let found = Set(try known.map { URLKey(try WebURL(Self.host + $0)) })
        let there = Set(try site.map { URLKey(try WebURL(Self.host + $0)) })
        var asked: [String] = []
        var keys: Set<URLKey> = []
        while true {
            let chosen = guesses.next(at: GuessRound(nextID: 1_000_000, answers: answers)) { key, _, _ in
                if found.contains(key) { return .found }
                return keys.contains(key) ? .answered(exists: there.contains(key)) : .new
            }.guesses
            if chosen.isEmpty { return (asked, guesses.leftOut) }
            asked += chosen.map { String($0.url.description.dropFirst(Self.host.utf8.count)) }
            keys.formUnion(chosen.map { URLKey($0.url) })
            try #require(asked.count < 10_000)
        }
    }

    private func named(_ tail: String, _ head: ScriptText.Head = .none) -> ScriptText { ScriptText(tail, .named, head) }

    private func loaded(_ tail: String, _ head: ScriptText.Head = .none) -> ScriptText {
        ScriptText(tail, .loaded, head)
    }

    @Test func `an address is tried against the page, the script and the seed, in this order`() throws {
        let script = File(path: "/js/app.js", texts: [loaded("data/list.json")], page: "/guide/")
        #expect(
            try run([script], site: []).asked == ["/guide/data/list.json", "/js/data/list.json"],
            "a tail that two folders lack isn't tried in a third"
        )
        #expect(try run([script], site: ["/guide/data/list.json"]).asked == ["/guide/data/list.json"])
    }

    @Test func `a second page in another folder that loads the script is a base`() throws {
        let script = File(path: "/js/app.js", texts: [loaded("data/list.json")], page: "/guide/a.html")
        let pages: [(Int64, String, [String])] = [
            (0, "/guide/a.html", ["/js/app.js"]), (50, "/guide/b.html", ["/js/app.js"]),
            (51, "/shop/a.html", ["/js/app.js"]), (52, "/third/", ["/js/app.js"]),
        ]
        #expect(
            try run([script], site: [], pages: pages).asked == [
                "/guide/data/list.json", "/shop/data/list.json", "/js/data/list.json",
            ]
        )
        let later = [pages[0], (2_000_000, "/shop/", ["/js/app.js"])]
        #expect(try run([script], site: [], pages: later).asked == ["/guide/data/list.json", "/js/data/list.json"])
        let end = File(path: "/js/app.js", texts: [loaded("data/list.json", .unknown)], page: "/guide/a.html")
        #expect(
            try run([end], site: [], pages: pages).asked == [
                "/data/list.json", "/guide/data/list.json", "/shop/data/list.json",
            ]
        )
    }

    @Test func `the second page counts for the scripts that a script loads`() throws {
        let files = [
            File(path: "/js/app.js", texts: [], page: "/guide/"),
            File(path: "/js/part.js", texts: [loaded("x/a.json")], page: "/js/app.js"),
        ]
        let pages: [(Int64, String, [String])] = [(0, "/guide/", ["/js/app.js"]), (50, "/shop/", ["/js/app.js"])]
        #expect(try run(files, site: ["/shop/x/a.json"], pages: pages).asked == ["/guide/x/a.json", "/shop/x/a.json"])
    }

    @Test func `a page of two that load a script is passed on once`() throws {
        var guesses = ScriptGuesses(seeds: [])
        let script = try WebURL(Self.host + "/app.js")
        func note(_ path: String) throws -> [ScriptLoad] {
            guesses.note([script], by: try WebURL(Self.host + path), id: 1)
        }
        #expect(try note("/a/") == [ScriptLoad(script, isSecond: false)])
        #expect(try note("/a/b.html") == [])
        #expect(try note("/b/") == [ScriptLoad(script, isSecond: true)])
        #expect(try note("/c/") == [])
    }

    @Test func `the end of an address is tried against the seed first`() throws {
        let script = File(path: "/js/app.js", texts: [loaded("data/list.json", .unknown)], page: "/guide/")
        #expect(try run([script], site: []).asked == ["/data/list.json", "/guide/data/list.json"])
    }

    @Test func `a program after something unknown is tried beside its script first`() throws {
        let script = File(path: "/js/app.js", texts: [loaded("find-worker.js", .unknown)], page: "/guide/")
        #expect(try run([script], site: ["/js/find-worker.js"]).asked == ["/js/find-worker.js"])
    }

    @Test(arguments: [
        ("../list.json", ScriptText.Head.none, ScriptText.Strength.loaded, 0), ("list.json", .unknown, .loaded, 0),
        ("list.json", .none, .named, 0), ("list.json", .none, .loaded, 2), ("x/list.json", .unknown, .loaded, 2),
    ])
    func `a name that was wrong elsewhere isn't tried, unless it is relative to what loads it`(
        tail: String,
        head: ScriptText.Head,
        strength: ScriptText.Strength,
        count: Int
    ) throws {
        let script = File(path: "/a/js/app.js", texts: [ScriptText(tail, strength, head)], page: "/a/guide/")
        #expect(try run([script], site: [], missed: ["/list.json"]).asked.count == count)
    }

    @Test(arguments: [("/guide/x/index.json", 0), ("/js/x/index.json", 0), ("/x/other.json", 2)])
    func `the script with the same data as a JSON file isn't tried`(known: String, count: Int) throws {
        let script = File(path: "/js/app.js", texts: [loaded("x/index.js")], page: "/guide/")
        #expect(try run([script], site: [], known: [known]).asked.count == count)
    }

    @Test func `data of another host must be loaded, and not only named`() throws {
        let address = "https://other.invalid/list.json"
        let script = File(path: "/js/app.js", texts: [named(address)], page: "/")
        #expect(try run([script], site: []).asked.isEmpty)
        #expect(try run([File(path: "/js/app.js", texts: [loaded(address)], page: "/")], site: []).asked.count == 1)
    }

    @Test func `a text with more parents than its base has folders isn't relative to it`() throws {
        let script = File(path: "/a/b/app.js", texts: [named("../x/list.json"), loaded("../y.json")], page: "/")
        #expect(Set(try run([script], site: []).asked) == ["/a/x/list.json", "/a/y.json"])
    }

    @Test func `after two wrong guesses against further bases, only the first base is tried`() throws {
        let texts = (0..<8).map { loaded("x/\($0)/a\($0).txt") }
        let script = File(path: "/js/app.js", texts: texts, page: "/guide/")
        let asked = try run([script], site: ["/guide/x/7/a7.txt"]).asked
        #expect(asked.filter { $0.hasPrefix("/js/") }.count == 2)
        let few = File(path: "/js/app.js", texts: Array(texts.prefix(4)), page: "/guide/")
        let there = try run([few], site: Set((0..<4).map { "/js/x/\($0)/a\($0).txt" })).asked
        #expect(there.filter { $0.hasPrefix("/js/") }.count == 4, "until one is right")
    }

    @Test func `what a worker imports is tried in its folder only`() throws {
        let script = File(path: "/js/w.js", texts: [loaded("a.js", .script)], page: "/guide/")
        #expect(try run([script], site: []).asked == ["/js/a.js"])
    }

    @Test func `a page's base counts, also for its scripts`() throws {
        let page = File(path: "/guide/a.html", texts: [loaded("x/a.json")], base: "/b/")
        #expect(try run([page], site: ["/b/x/a.json"]).asked == ["/b/x/a.json"])
        let script = File(path: "/js/app.js", texts: [loaded("x/b.json")], page: "/guide/a.html")
        #expect(
            try run([page, script], site: ["/b/x/a.json", "/b/x/b.json"]).asked == ["/b/x/a.json", "/b/x/b.json"]
        )
    }

    @Test func `if the crawl knows one of the URLs, no other is tried`() throws {
        let script = File(path: "/js/app.js", texts: [loaded("i/logo.svg")], page: "/guide/")
        #expect(try run([script], site: [], known: ["/js/i/logo.svg"]).asked == [])
    }

    @Test(arguments: [
        ("/other/find.js", []), ("/other/find.mjs", ["/js/find.js", "/find.js"]),
        ("/find.js/x", ["/js/find.js", "/find.js"]),
    ])
    func `a script that is known elsewhere isn't tried by its name after something unknown`(
        known: String,
        asked: [String]
    ) throws {
        let script = File(path: "/js/app.js", texts: [loaded("find.js", .unknown)], page: "/guide/")
        #expect(try run([script], site: [], known: [known]).asked == asked)
    }

    @Test func `a script's name with a folder, or with nothing before it, is tried although it is known elsewhere`()
        throws
    {
        let script = File(
            path: "/js/app.js",
            texts: [loaded("find.js"), loaded("a/find.js", .unknown)],
            page: "/guide/"
        )
        let asked = try run([script], site: [], known: ["/other/find.js"]).asked
        #expect(Set(asked) == ["/guide/find.js", "/js/find.js", "/a/find.js", "/guide/a/find.js"])
    }

    @Test(arguments: [
        ("api/specs.md", "/guide/api/specs.html", 0), ("api/specs.md", "/guide/api/specs/", 0),
        ("api/README.md", "/guide/api/", 0), ("api/README.md", "/guide/api/index.html", 0),
        ("api/specs.md", "/guide/api/", 2), ("api/specs.txt", "/guide/api/specs.html", 2),
    ])
    func `Markdown isn't tried if the crawl knows the page that was made of it`(tail: String, known: String, count: Int)
        throws
    {
        let page = File(path: "/guide/", texts: [loaded(tail)])
        #expect(try run([page], site: [], known: [known]).asked.count == count)
    }

    @Test func `what a script only names isn't tried outside the start folder, unlike what a page names`() throws {
        let script = File(
            path: "/a/js/app.js",
            texts: [named("../../i/af.json"), loaded("../../i/bn.json")],
            page: "/a/"
        )
        #expect(try run([script], site: [], seed: "/a/").asked == ["/i/bn.json"])
        let near = File(path: "/a/js/x/app.js", texts: [named("../i/af.json")], page: "/a/js/")
        #expect(try run([near], site: [], seed: "/a/").asked == ["/a/i/af.json", "/a/js/i/af.json"])
        #expect(
            try run([File(path: "/a/p/", texts: [named("../../i/x.json")])], site: [], seed: "/a/").asked == [
                "/i/x.json"
            ]
        )
    }

    @Test(arguments: [
        ("list.json", ScriptText.Head.none, ScriptText.Strength.named, ["/guide/list.json"]),
        ("list.json", .none, .loaded, ["/guide/list.json", "/js/list.json"]),
        ("x/list.json", .none, .named, ["/guide/x/list.json", "/js/x/list.json"]),
    ])
    func `a name without a folder that a script only names is tried against one base`(
        tail: String,
        head: ScriptText.Head,
        strength: ScriptText.Strength,
        asked: [String]
    ) throws {
        let script = File(path: "/js/app.js", texts: [ScriptText(tail, strength, head)], page: "/guide/")
        #expect(try run([script], site: []).asked == asked)
    }

    @Test func `names without a folder that scripts only name are given up after four wrong guesses`() throws {
        let files = (0..<20).map {
            File(path: "/js/a\($0).js", texts: [named("n\($0).\($0 % 2 == 0 ? "json" : "csv")")], page: "/")
        }
        #expect(try run(files, site: []).asked.count == 4)
        let half = try run(files, site: Set((0..<10).map { "/n\($0).\($0 % 2 == 0 ? "json" : "csv")" })).asked
        #expect(half.count > 4, "unless one in four is right")
    }

    @Test(arguments: [
        (ScriptText.Strength.named, ScriptText.Head.none, "fonts.json", 0), (.named, .unknown, "fonts.json", 0),
        (.loaded, .none, "fonts.json", 1), (.loaded, .unknown, "fonts.json", 1), (.named, .none, "x/fonts.json", 1),
        (.named, .none, "core.wasm", 0), (.loaded, .unknown, "core.wasm", 0),
    ])
    func `a name that a script only names isn't tried if the crawl has such a file elsewhere`(
        strength: ScriptText.Strength,
        head: ScriptText.Head,
        tail: String,
        count: Int
    ) throws {
        let script = File(path: "/app.js", texts: [ScriptText(tail, strength, head)], page: "/")
        #expect(try run([script], site: [], known: ["/assets/fonts.json", "/assets/core.wasm"]).asked.count == count)
    }

    @Test(arguments: [("/js/game.wasm", 0), ("/js/other.wasm", 1), ("/game.wasm", 1)])
    func `the program that a compiler has named isn't tried beside one with the script's name`(
        known: String,
        count: Int
    ) throws {
        let script = File(path: "/js/game.js", texts: [named("engine.release.wasm")], page: "/")
        #expect(try run([script], site: [], known: [known]).asked.count == count)
    }

    @Test(
        arguments: [
            ("../v.json", ScriptText.Head.unknown, "/a/", []), ("../v.json", .unknown, "/a/b/", []),
            ("../v.json", .none, "/a/b/", ["/a/b/v.json", "/a/v.json"]),
        ] as [(String, ScriptText.Head, String, [String])]
    )
    func `an address with parents after something unknown doesn't lead out of the start folders`(
        tail: String,
        head: ScriptText.Head,
        seed: String,
        asked: [String]
    ) throws {
        let script = File(path: seed + "js/app.js", texts: [loaded(tail, head)], page: seed + "guide/")
        #expect(try run([script], site: [], seed: seed).asked.filter { !$0.hasPrefix(seed + "js/v") } == asked)
    }

    @Test(arguments: [
        ("/index.json", "/docs/", "/docs/index.json", 0), ("/index.json", "/docs/", "/docs/other.json", 1),
        ("/docs/index.json", "/docs/", "/docs/docs/index.json", 1), ("/index.json", "/", "/docs/index.json", 1),
    ])
    func `an address from the root isn't tried if the crawl has its path below a start folder`(
        tail: String,
        seed: String,
        known: String,
        count: Int
    ) throws {
        let script = File(path: "/docs/app.js", texts: [loaded(tail)], page: "/docs/")
        #expect(try run([script], site: [], known: [known], seed: seed).asked.count == count)
    }

    @Test func `a file's pictures are given up after four wrong guesses`() throws {
        let texts = (0..<40).map { loaded("d\($0)/a.\($0 % 2 == 0 ? "png" : "gif")", .unknown) }
        #expect(try run([File(path: "/js/app.js", texts: texts, page: "/")], site: []).asked.count == 4)
    }

    @Test func `the base that was right is tried first from then on`() throws {
        let texts = [loaded("a/one.json")] + (0..<5).map { named("b/n\($0).json") }
        let site = Set(["/js/a/one.json"] + (0..<5).map { "/js/b/n\($0).json" })
        let asked = try run([File(path: "/js/app.js", texts: texts, page: "/")], site: site).asked
        #expect(asked.count <= 4 + site.count && site.isSubset(of: asked))
    }

    @Test(arguments: [(ScriptText.Strength.named, 3), (.loaded, 12)])
    func `a file's texts are given up after some wrong guesses`(strength: ScriptText.Strength, misses: Int) throws {
        let texts = (0..<40).map { ScriptText("d\($0)/a.\($0 % 2 == 0 ? "json" : "csv")", strength, .none) }
        #expect(try run([File(path: "/js/app.js", texts: texts, page: "/")], site: []).asked.count == misses)
    }

    @Test func `bare names come last, and two wrong ones end them`() throws {
        let texts = (0..<9).map { loaded("n\($0).json") } + [loaded("z/a.json")]
        let asked = try run([File(path: "/app.js", texts: texts, page: "/")], site: ["/z/a.json"]).asked
        #expect(asked.first == "/z/a.json")
        let bare = try run([File(path: "/app.js", texts: Array(texts.dropLast()), page: "/")], site: []).asked
        #expect(bare.count <= 12)
    }

    @Test(arguments: [(1, 200), (20, 200), (4, 64)])
    func `a file yields a limited number of guesses, unless nearly all are right`(wrong: Int, count: Int) throws {
        let texts = (0..<200).map { loaded("d/n\($0).json") }
        let site = Set((0..<200).filter { wrong == 1 || $0 % wrong != 3 }.map { "/d/n\($0).json" })
        #expect(try run([File(path: "/app.js", texts: texts, page: "/")], site: site).asked.count == count)
    }

    @Test func `a suffix that the site lacks is given up`() throws {
        let files = (0..<20).map { File(path: "/s\($0)/", texts: [loaded("d/n\($0).md"), loaded("d/n\($0).txt")]) }
        let site = Set((0..<20).map { "/s\($0)/d/n\($0).txt" })
        let asked = try run(files, site: site).asked
        #expect(asked.count { $0.hasSuffix(".md") } == 8 && site.isSubset(of: asked))
    }

    @Test func `a crawl has a limited number of wrong guesses, and the rest is counted`() throws {
        let suffixes = ["json", "txt", "bin", "dat", "csv", "xml", "pdf"]
        let files = (0..<1000).map { File(path: "/p\($0)/", texts: [loaded("d/n\($0).\(suffixes[$0 % 7])")]) }
        let (asked, leftOut) = try run(files, site: [])
        #expect(asked.count == 24)
        #expect(leftOut > 900)
        #expect(try run(files, site: [], answers: 5000).asked.count == 50)
    }

    @Test func `a base that lacks nearly everything is left for what is loaded`() throws {
        let suffixes = ["json", "csv", "yaml"]
        let files = (0..<20).map { File(path: "/s\($0).html", texts: [named("d/n\($0).\(suffixes[$0 % 3])")]) }
        #expect(try run(files, site: []).asked.count == 12)
    }

    @Test func `the order is that of strength and URL`() throws {
        let texts = [named("b/x.json"), loaded("c/y.txt"), loaded("a/z.txt")]
        let site: Set = ["/b/x.json", "/c/y.txt", "/a/z.txt"]
        #expect(
            try run([File(path: "/app.js", texts: texts, page: "/")], site: site).asked == [
                "/a/z.txt", "/c/y.txt", "/b/x.json",
            ]
        )
    }

    @Test func `two files that name one address ask once`() throws {
        let files = ["/a.html", "/b.html"].map { File(path: $0, texts: [loaded("d/x.json")]) }
        #expect(try run(files, site: ["/d/x.json"]).asked == ["/d/x.json"])
    }
}
