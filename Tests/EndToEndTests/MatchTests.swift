import TestOrigin
import TestSupport
import Testing

/// Searches and other queries of a static site, as docs/reference/matching.md promises them, with the built program.
struct MatchTests {
    /// A cache with a page as Sphinx makes it, which searches with a script.
    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<title>Search</title><p>search".utf8), to: "in/search.html")
        try scratch.write(Array("p { }".utf8), to: "in/_static/s.css")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let load = ["load", "p.zip", "--cache", "store"]
        #expect(try Program.run(Program.afcache, load, in: scratch.path).status == 0)
        return scratch
    }

    private static func fetch(
        _ target: String,
        _ scratch: Scratch,
        _ options: [String],
        _ curl: [String] = []
    ) async throws -> String {
        let arguments = ["serve", "--port", "0", "--cache", scratch.path("store")] + options
        let server = try RunningProgram(Program.afcache, arguments)
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        let format = "%{http_code} %header{cache-status}"
        let url = "\(address)d.example\(target)"
        return try Program.run("curl", ["-sS", "-o", scratch.path("body"), "-w", format, url] + curl).text
    }

    @Test(arguments: [[], ["--match", "query"], ["--match", "loose"]])
    func `a search on a static site gets the search page`(options: [String]) async throws {
        let scratch = try Self.made()
        let answer = try await Self.fetch("/search.html?q=word&check_keywords=yes&area=default", scratch, options)
        #expect(answer.hasPrefix("200 afcache; hit; "), "\(answer)")
        #expect(answer.contains(#"; key="http://d.example/search.html"; detail="#), "\(answer)")
        #expect(answer.hasSuffix("query-ignored"), "\(answer)")
        #expect(try scratch.read("body") == Array("<title>Search</title><p>search".utf8))
    }

    @Test func `with exact matching, and where nothing fits, the status is 504`() async throws {
        let scratch = try Self.made()
        #expect(try await Self.fetch("/search.html?q=word", scratch, ["--match", "exact"]).hasPrefix("504 "))
        #expect(try await Self.fetch("/find.html?q=word", scratch, []).hasPrefix("504 "))
    }

    @Test func `get finds what serve finds, in a cache and in a package`() throws {
        let scratch = try Self.made()
        for place in [["--cache", "store"], ["--package", "p.zip"]] {
            let get = ["get", "http://d.example/_static/s.css?v=1700000000"] + place
            let found = try Program.run(Program.afcache, get, in: scratch.path)
            #expect(found.status == 0)
            #expect(found.text == "p { }")
            let note = "note: 'http://d.example/_static/s.css' answers, because the query makes no difference\n"
            #expect(found.errors.contains(note), "\(found.errors)")
            let head = try Program.run(Program.afcache, get + ["-i", "-q"], in: scratch.path)
            #expect(head.text.contains(#"; key="http://d.example/_static/s.css"; detail="#), "\(head.text)")
            #expect(head.text.contains("query-equal"), "\(head.text)")
            let exact = try Program.run(Program.afcache, get + ["--match", "exact"], in: scratch.path)
            #expect(exact.status == 3)
        }
    }

    @Test func `a navigation without the slash is redirected, with serve and get, in a cache and in a package`()
        async throws
    {
        let scratch = try Scratch()
        try scratch.write(Array("<p>guide".utf8), to: "in/guide/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        #expect(try Program.run(Program.afcache, ["load", "p.zip", "--cache", "store"], in: scratch.path).status == 0)
        for place in [["--cache", "store"], ["--package", "p.zip"]] {
            let get = ["get", "http://d.example/guide"] + place
            let plain = try Program.run(Program.afcache, get, in: scratch.path)
            #expect(plain.status == 3)
            let offer =
                "note: a browser that opens it is redirected to 'http://d.example/guide/'; use '--navigate' to get that\n"
            #expect(plain.errors.contains(offer), "\(plain.errors)")
            let found = try Program.run(Program.afcache, get + ["--navigate", "-i"], in: scratch.path)
            #expect(found.status == 0)
            #expect(found.errors == "note: a redirect leads to 'http://d.example/guide/', which is stored\n")
            #expect(found.text.hasPrefix("HTTP/1.1 308 Permanent Redirect\r\n"), "\(found.text)")
            #expect(found.text.contains("\r\nLocation: ./guide/\r\n"), "\(found.text)")
        }
        let answer = try await Self.fetch("/guide", scratch, [], ["-H", "Accept: text/html", "-L"])
        #expect(answer.hasPrefix("200 "), "\(answer)")
        #expect(try scratch.read("body") == Array("<p>guide".utf8))
    }

    @Test func `what the crawl found absent is absent offline, also after repack`() async throws {
        let scratch = try Scratch()
        let page = TestOrigin.Answer.html("<link rel=icon href=data:,><img src=gone.png>")
        let base = try await TestOrigin.withOrigin(["/": [page]]) { origin throws -> String in
            let pack = ["pack", origin.base + "/", "-o", "p.zip", "--ignore-robots"]
            #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
            return origin.base
        }
        #expect(try Program.run(Program.afcache, ["repack", "p.zip", "-o", "q.zip"], in: scratch.path).status == 0)
        #expect(try Program.run(Program.afcache, ["load", "q.zip", "--cache", "store"], in: scratch.path).status == 0)
        for place in [["--cache", "store"], ["--package", "p.zip"], ["--package", "q.zip"]] {
            let get = try Program.run(Program.afcache, ["get", base + "/gone.png"] + place, in: scratch.path)
            #expect(get.status == 3)
            #expect(get.errors.hasSuffix("is not on the site: its server answered 404 when the package was made\n"))
        }
        let server = try RunningProgram(Program.afcache, ["serve", "--port", "0", "--cache", scratch.path("store")])
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count).dropLast()
        for (path, accept, expected) in [
            ("/gone.png", "image/*", "404 "), ("/gone.png", "text/html", "404 "), ("/other.png", "image/*", "504 "),
        ] {
            let options = [
                "-sS", "-o", scratch.path("body"), "-w", "%{http_code} %header{cache-status}", "-H",
                "Accept: \(accept)",
            ]
            let answer = try Program.run("curl", options + ["--noproxy", "", "-x", String(address), base + path]).text
            #expect(answer.hasPrefix(expected), "\(path) \(answer)")
            #expect(answer.hasSuffix("absent") == (expected == "404 "), "\(answer)")
            let body = String(decoding: try scratch.read("body"), as: UTF8.self)
            if accept == "image/*", path == "/gone.png" { #expect(body.isEmpty) }
            if accept == "text/html" { #expect(body.contains("server answered 404 Not Found")) }
        }
    }

    @Test func `a package with rules that can't be used is refused by lint and load`() throws {
        let scratch = try Scratch()
        let manifest = "http://d.example/a ; NULL ; NULL ; text/plain\n"
        let members = [
            RawZip.Member(".afcache/match.json", #"{"rules":[{"path":"/api/*"}]}"#), RawZip.Member("d.example/a"),
            RawZip.Member("manifest.afcache", manifest),
        ]
        try scratch.write(RawZip(members).bytes, to: "p.zip")
        let lint = try Program.run(Program.afcache, ["lint", "p.zip"], in: scratch.path)
        #expect(lint.status == 1)
        #expect(lint.text.contains("sidecar.bad-match"), "\(lint.text)")
        #expect(lint.text.contains("rule 1 must have either 'ignore' or 'keep', a list of names"), "\(lint.text)")
        let load = try Program.run(Program.afcache, ["load", "p.zip", "--cache", "store"], in: scratch.path)
        #expect(load.status == 10)
        #expect(load.errors.contains("rule 1 must have either 'ignore' or 'keep'"), "\(load.errors)")
    }

    @Test func `a rule of the package counts with loose matching, also after repack`() throws {
        let scratch = try Scratch()
        let manifest = "http://d.example/a?id=1&nonce=x ; NULL ; NULL ; application/json ; d.example/a\n"
        let members = [
            RawZip.Member(".afcache/match.json", #"{"rules":[{"path":"/a","keep":["id"]}]}"#),
            RawZip.Member("d.example/a"), RawZip.Member("manifest.afcache", manifest),
        ]
        try scratch.write(RawZip(members).bytes, to: "p.zip")
        let repack = try Program.run(Program.afcache, ["repack", "p.zip", "-o", "q.zip"], in: scratch.path)
        #expect(repack.status == 0, "\(repack.errors)")
        for package in ["p.zip", "q.zip"] {
            let get = ["get", "http://d.example/a?nonce=y&id=1", "--package", package]
            #expect(try Program.run(Program.afcache, get, in: scratch.path).status == 3)
            let loose = try Program.run(Program.afcache, get + ["--match", "loose", "-q"], in: scratch.path)
            #expect(loose.status == 0 && loose.text == "body", "\(loose.errors)")
        }
    }
}
