import AFCCache
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCSQLite
import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCSearch

/// The search over real caches.
@Suite(.timeLimit(.minutes(10)))
struct SearchLibraryTests {
    static let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    /// A page of a package.
    struct Page {
        var url: String
        var body: String
        var type = "text/html; charset=utf-8"

        init(_ url: String, title: String, _ text: String, lang: String = "en", head: String = "") {
            self.url = url
            body = "<!DOCTYPE html><html lang=\(lang)><title>\(title)</title>\(head)<body><main>\(text)</main>"
        }

        init(_ url: String, plain: String) {
            self.url = url
            body = plain
            type = "text/plain; charset=utf-8"
        }
    }

    static let pages = [
        Page(
            "http://d.example/asyncio.html",
            title: "Coroutines and Tasks — Docs",
            "<h1>Coroutines</h1><dl><dt id=asyncio.gather>asyncio.gather(*aws)<dd>Run awaitables concurrently. gather gather</dl>"
        ),
        Page(
            "http://d.example/changes.html",
            title: "Changes — Docs",
            String(repeating: "<p>Many words about other things, and asyncio too.</p>", count: 40) + "<p>gather</p>"
        ),
        Page(
            "http://d.example/list.html",
            title: "List — Docs",
            "<p>A list is a sequence. Comprehension is short.</p>"
        ),
        Page(
            "http://d.example/structures.html",
            title: "Data Structures — Docs",
            "<h2>List Comprehensions</h2><p>Text.</p>"
        ),
        Page(
            "http://d.example/secret.html",
            title: "Secret",
            "<p>unseenword</p>",
            head: "<meta name=robots content=noindex>"
        ),
        Page(
            "http://d.example/print/list.html",
            title: "List — Docs",
            "<p>printword</p>",
            head: "<link rel=canonical href=\"/print/list\">"
        ),
        Page("http://d.example/print/list", title: "List", "<p>printword original</p>"),
        Page("http://d.example/copy/a.html", title: "Same", "<p>samewords in both of them</p>"),
        Page("http://d.example/copy/longer-name.html", title: "Same", "<p>samewords in both of <b>them</b></p>"),
        Page("http://d.example/tokyo.html", title: "東京タワー", "<p>東京タワーは電波塔である。</p>", lang: "ja"),
        Page("http://d.example/cafe.html", title: "Café", "<p>Crème brûlée und Läufe, laufend</p>", lang: "de"),
        Page("http://d.example/source.txt", plain: "Asyncio gather gather gather\n\nasyncio gather"),
        Page(
            "http://d.example/hostile.html",
            title: "&lt;script&gt;x",
            "<p>evilword &lt;img src=x onerror=alert(1)&gt;</p>"
        ),
        Page("http://other.example/list.html", title: "Lists elsewhere", "<p>Another list page, of another host.</p>"),
    ]

    static func package(_ name: String, _ pages: [Page], in scratch: Scratch) async throws -> String {
        let made = try pages.map { page in
            let url = try WebURL(page.url)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now),
                entry: ManifestEntry(url: url, lastModified: now, expires: nil, mediaType: page.type),
                body: .bytes(Array(page.body.utf8)),
                isCompressible: true
            )
        }
        let path = scratch.path(name + ".zip")
        _ = try await PackageWriter.write(made, to: path, options: .init(created: now, generator: "test/1"))
        return path
    }

    /// Loads pages as a package, and makes its index.
    static func cache(_ pages: [Page] = pages, in scratch: Scratch) async throws -> DiskCache {
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await package("p", pages, in: scratch), now: now)
        try await index(cache, in: scratch)
        return cache
    }

    static func index(_ cache: DiskCache, in scratch: Scratch) async throws {
        for generation in try cache.currentGenerations() {
            _ = try await SearchKeeper.makeNow(
                generation,
                in: cache,
                temporaryFolder: scratch.path,
                patience: WriterPatience()
            )
        }
    }

    /// Mounts pages as a package, and makes its index, whose file is removed.
    private static func mounted(in scratch: Scratch) async throws -> (packages: MountedPackages, SearchLibrary) {
        let packages = try MountedPackages([try await package("p", pages, in: scratch)], now: now)
        let library = SearchLibrary(packages)
        #expect(try library.search("list").missing == 1)
        let generation = try #require(try library.nextWithoutIndex())
        let made = try SearchIndexing.make(generation, .init(folder: scratch.path))
        try library.use(made, for: generation)
        made.remove()
        return (packages, library)
    }

    private static func paths(_ results: [SearchResult]) -> [String] { results.map(\.url.path) }

    @Test(
        arguments: [
            ("asyncio gather", ["/asyncio.html", "/changes.html", "/source.txt"]),
            ("asyncio.gather", ["/asyncio.html", "/source.txt"]), ("docs.coroutines.gather", ["/asyncio.html"]),
            ("docs.gather.coroutines", ["/asyncio.html"]), ("coroutines.changes", []),
            ("list comprehensions", ["/structures.html"]),
            ("comprehension", ["/list.html"]), ("unseenword", []), ("printword", ["/print/list"]),
            ("samewords", ["/copy/a.html"]), ("東京", ["/tokyo.html"]), ("京東", []), ("タワー", ["/tokyo.html"]),
            ("cafe", ["/cafe.html"]), ("CRÈME brulee", ["/cafe.html"]), ("nothinglikethis", []),
            ("gather -coroutines", ["/changes.html", "/source.txt"]), ("\"run awaitables\"", ["/asyncio.html"]),
            ("\"awaitables run\"", []), ("evilword", ["/hostile.html"]), ("' OR 1=1 --", []),
        ],
        [false, true]
    )
    func `a search finds the right pages in the right order`(
        _ expected: (query: String, paths: [String]),
        isMounted: Bool
    ) async throws {
        let (query, paths) = expected
        let scratch = try Scratch()
        let library =
            try await isMounted ? Self.mounted(in: scratch).1 : SearchLibrary(try await Self.cache(in: scratch))
        let results = try library.search(query)
        if results.isAny { return #expect(paths.isEmpty || query.contains("list")) }
        #expect(
            Array(Self.paths(results.results).prefix(max(paths.count, 1))) == paths,
            "\(Self.paths(results.results))"
        )
        #expect(!results.isCut && !results.isIncomplete && results.missing == 0)
    }

    @Test func `other forms of an English word are found after the word itself, and in no other language`() async throws
    {
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(in: scratch))
        let found = Self.paths(try library.search("comprehension").results)
        #expect(found == ["/list.html", "/structures.html"])
        #expect(try Self.paths(library.search("lauf").results).isEmpty)
        #expect(try Self.paths(library.search("sequences").results) == ["/list.html"])
    }

    @Test func `a long page that defines a term comes before short ones that mention it`() async throws {
        let directives = (0..<60).map {
            "<h2>Lamp\($0) Directive</h2><p>\(String(repeating: "Many words. ", count: 30))</p>"
        }
        var pages = [Page("http://d.example/core.html", title: "Core", directives.joined())]
        for number in 0..<20 {
            let text = "<h1>Words about Lamp7</h1><p>Set Lamp7 and Lamp7.</p>"
            pages.append(Page("http://d.example/guide\(number).html", title: "Guide \(number)", text))
        }
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(pages, in: scratch))
        #expect(Self.paths(try library.search("Lamp7").results).first == "/core.html")
        #expect(Self.paths(try library.search("lamp7 directive").results).first == "/core.html")
        #expect(Self.paths(try library.search("words about lamp7").results).first?.hasPrefix("/guide") ?? false)
    }

    @Test func `a long page whose title begins with the words comes before short ones with a heading of them`()
        async throws
    {
        let text = "<h1>shelf — Keep things</h1>" + String(repeating: "<p>Many other words about keys.</p>", count: 400)
        var pages = [Page("http://d.example/shelf.html", title: "shelf — Keep things — Docs", text)]
        for number in 0..<12 {
            let text = "<h1>What’s new in \(number)</h1><h2>shelf</h2><p>The shelf, and shelf.open().</p>"
            pages.append(Page("http://d.example/new\(number).html", title: "What’s new in \(number)", text))
        }
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(pages, in: scratch))
        #expect(Self.paths(try library.search("shelf").results).first == "/shelf.html")
    }

    @Test func `a search can be limited to a host`() async throws {
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(in: scratch))
        let all = try library.search("list").results
        #expect(Set(all.compactMap(\.url.host)) == ["d.example", "other.example"])
        #expect(try library.search("list", host: "other.example").results.map(\.url.path) == ["/list.html"])
        #expect(try library.search("list", host: "none.example").results.isEmpty)
    }

    @Test func `snippets show the words, marked, as text`() async throws {
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(in: scratch))
        let result = try #require(try library.search("gather awaitables").results.first)
        #expect(result.title == "Coroutines and Tasks — Docs")
        #expect(result.language == "en")
        #expect(result.snippet.filter(\.isMarked).map(\.text) == ["gather", "awaitables", "gather", "gather"])
        let evil = try #require(try library.search("evilword").results.first)
        #expect(evil.snippet.map(\.text).joined() == "evilword <img src=x onerror=alert(1)>")
        #expect(evil.title == "<script>x")
        let changes = try #require(try library.search("gather -coroutines").results.first)
        #expect(changes.snippet.contains { $0.isMarked && $0.text == "gather" })
        #expect(changes.snippet.map(\.text).joined().utf8.count < 1000)
    }

    @Test func `suggestions find what is being typed`() async throws {
        let scratch = try Scratch()
        let library = SearchLibrary(try await Self.cache(in: scratch))
        #expect(try Self.paths(library.suggest("corou")).first == "/asyncio.html")
        #expect(try Self.paths(library.suggest("data str")).first == "/structures.html")
        #expect(try library.suggest("c").isEmpty)
        #expect(try library.suggest("").isEmpty)
    }

    @Test func `a package without an index is counted and gets one, and an update gets another`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package("p", Self.pages, in: scratch), now: Self.now)
        let library = SearchLibrary(cache)
        #expect(try library.search("list").missing == 1)
        let first = try #require(try library.nextWithoutIndex())
        try await Self.index(cache, in: scratch)
        library.forget()
        #expect(try library.search("list").results.count >= 3)
        #expect(try library.nextWithoutIndex() == nil)
        let new = [Page("http://d.example/new.html", title: "New", "newword")]
        _ = try await cache.install(try await Self.package("p", new, in: scratch), now: Self.now)
        library.forget()
        #expect(try library.nextWithoutIndex()?.folder != first.folder)
        #expect(try library.search("list").results.isEmpty)
        _ = try await cache.remove("p")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).isEmpty)
    }

    @Test func `an index that couldn't be made is tried again, later each time`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package("p", Self.pages, in: scratch), now: Self.now)
        let library = SearchLibrary(cache)
        var now = ContinuousClock.now
        let generation = try #require(try library.nextWithoutIndex(at: now))
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            library.postpone(generation, at: now)
            #expect(try library.nextWithoutIndex(at: now + .seconds(60 * minutes - 1)) == nil)
            now += .seconds(60 * minutes)
            #expect(try library.nextWithoutIndex(at: now)?.folder == generation.folder)
        }
        try cache.close()
    }

    @Test func `an index outside of the cache is used where nothing can be written`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package("p", Self.pages, in: scratch), now: Self.now)
        let library = SearchLibrary(cache)
        let generation = try #require(try library.nextWithoutIndex())
        let made = try SearchIndexing.make(generation, .init(folder: scratch.path))
        try library.use(made, for: generation)
        made.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["p.zip", "store"])
        #expect(try library.search("asyncio gather").results.first?.url.path == "/asyncio.html")
        #expect(generation.searchIndex() == nil)
    }

    @Test func `an index that is cut off, damaged or of another generation is not used, and is made again`()
        async throws
    {
        let scratch = try Scratch()
        let cache = try await Self.cache(in: scratch)
        let generation = try #require(try cache.currentGenerations().first)
        let path = try #require(generation.searchIndex())
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        func isUsed(_ data: Data) throws -> Bool {
            try data.write(to: URL(fileURLWithPath: path))
            return try SearchLibrary(cache).nextWithoutIndex() == nil
        }
        #expect(try isUsed(good))
        #expect(try !isUsed(Data()))
        #expect(try !isUsed(good.prefix(100)))
        #expect(try !isUsed(good.prefix(4096)))
        #expect(try !isUsed(Data(repeating: 0x41, count: good.count)))
        for change in [
            "PRAGMA user_version = 99", "PRAGMA application_id = 1",
            "UPDATE about SET value = 'x' WHERE name = 'generation'",
            "CREATE VIEW v AS SELECT 1", "CREATE TRIGGER t AFTER INSERT ON page BEGIN SELECT 1; END", "DROP TABLE stem",
        ] {
            try good.write(to: URL(fileURLWithPath: path))
            let database = try LockedDatabase(path)
            try database.change { try $0.execute(change) }
            try database.close()
            #expect(try SearchLibrary(cache).nextWithoutIndex() != nil, "\(change)")
        }
        try await Self.index(cache, in: scratch)
        #expect(try SearchLibrary(cache).nextWithoutIndex() == nil)
    }

    @Test func `no damage of an index does more than keep pages from being found`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(in: scratch)
        let path = try #require(try cache.currentGenerations().first?.searchIndex())
        let good = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        var seed: UInt64 = 42
        for _ in 0..<200 {
            var bad = good
            for _ in 0..<20 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // The header stays, so that SQLite reads on.
                bad[100 + Int(seed >> 33) % (bad.count - 100)] = UInt8(truncatingIfNeeded: seed >> 20)
            }
            try Data(bad).write(to: URL(fileURLWithPath: path))
            let library = SearchLibrary(cache)
            _ = try library.search("asyncio gather")
            _ = try library.suggest("li")
        }
    }

    @Test func `a mounted package that was changed finds nothing, and fails nothing`() async throws {
        let scratch = try Scratch()
        let (packages, library) = try await Self.mounted(in: scratch)
        #expect(try library.search("comprehension").results.first?.snippet.isEmpty == false)
        #expect(try library.sites([WebURL("http://d.example/list.html")]).values.map(\.title) == ["List — Docs"])
        try scratch.write(Array("no zip".utf8), to: "p.zip")
        let results = try library.search("comprehension").results
        #expect(!results.isEmpty && results.allSatisfy(\.snippet.isEmpty))
        let generation = try #require(packages.currentGenerations().first)
        let made = try SearchIndexing.make(generation, .init(folder: scratch.path))
        defer { made.remove() }
        #expect(made.pages == 0)
    }

    @Test func `a link in the place of an index is not followed`() async throws {
        let scratch = try Scratch()
        let cache = try await Self.cache(in: scratch)
        let generation = try #require(try cache.currentGenerations().first)
        let path = try #require(generation.searchIndex())
        try FileManager.default.moveItem(atPath: path, toPath: scratch.path("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path("elsewhere"))
        #expect(generation.searchIndex() == nil)
        #expect(try SearchLibrary(cache).search("list").missing == 1)
    }

    @Test func `an unfinished index of a killed process is removed, and nothing else`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package("p", Self.pages, in: scratch), now: Self.now)
        let generation = try #require(try cache.currentGenerations().first)
        let gone = try RunningProgram("true", [])
        #expect(gone.wait() == 0)
        func leave(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: scratch.path(name), withIntermediateDirectories: false)
            try Data([1]).write(to: URL(fileURLWithPath: scratch.path(name) + "/search"))
        }
        let kept = [
            ".search.\(getpid()).afcache-tmp-1", ".search.\(gone.pid).mine", ".search.x.afcache-tmp-1",
            ".other.\(gone.pid).afcache-tmp-1",
        ]
        try (kept + [".search.\(gone.pid).afcache-tmp-1"]).forEach(leave)
        let link = ".search.\(gone.pid).afcache-tmp-2"
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path(link),
            withDestinationPath: scratch.path("store")
        )
        try SearchIndexing.make(generation, .init(folder: scratch.path)).remove()
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left.sorted() == (kept + [link, "p.zip", "store"]).sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path(kept[0])) == ["search"])
    }

    @Test func `work that is stopped leaves nothing behind`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(try await Self.package("p", Self.pages, in: scratch), now: Self.now)
        let generation = try #require(try cache.currentGenerations().first)
        #expect(throws: SearchError.self) {
            try SearchIndexing.make(generation, .init(folder: scratch.path, isCancelled: { true }))
        }
        #expect(throws: SearchError.self) {
            try SearchIndexing.make(generation, .init(folder: scratch.path("missing")))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["p.zip", "store"])
    }

    @Test func `pages of results are bounded`() async throws {
        let scratch = try Scratch()
        let pages = (0..<250).map { Page("http://d.example/\($0).html", title: "Page \($0)", "commonword number\($0)") }
        let library = SearchLibrary(try await Self.cache(pages, in: scratch))
        let first = try library.search("commonword")
        #expect(first.count == SearchLibrary.Limits.results)
        #expect(first.results.count == SearchLibrary.Limits.pageSize)
        let last = try library.search("commonword", page: 19)
        #expect(last.results.count == 10)
        #expect(Set(first.results.map(\.url)).isDisjoint(with: last.results.map(\.url)))
        #expect(try library.search("commonword", page: 20).results.isEmpty)
        #expect(try library.search("commonword", page: .max / 100).results.isEmpty)
    }

    @Test func `sites are described by their start pages`() async throws {
        let scratch = try Scratch()
        let home = Page("http://s.example/", title: "The site", "text", lang: "fr", head: "<link rel=icon href=i.svg>")
        var icon = Page("http://s.example/i.svg", plain: "<svg xmlns='http://www.w3.org/2000/svg'/>")
        icon.type = "image/svg+xml"
        let library = SearchLibrary(try await Self.cache([home, icon], in: scratch))
        let start = try WebURL("http://s.example/")
        let site = try #require(try library.sites([start])[start])
        #expect(site.title == "The site")
        #expect(site.language == "fr")
        #expect(site.icon?.hasPrefix("data:image/svg+xml;base64,") == true)
        #expect(StoredSite.imageType(Array("<html><script>".utf8), stated: "text/html") == nil)
        #expect(StoredSite.imageType(Array("<html><script>".utf8), stated: "image/png") == nil)
    }
}
