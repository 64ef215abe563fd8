import Foundation
import TestOrigin
import TestSupport
import Testing

/// What a server of a package didn't have comes with the next crawl, with the built program.
struct MissingTests {
    private static let site: [String: [TestOrigin.Answer]] = [
        "/": [.html("<link rel=icon href=data:,><script>load(name())</script>start")],
        "/menu.json": [.text("{}", type: "application/json")],
        "/hidden": [.html("<link rel=icon href=data:,>hidden")],
    ]

    /// Serves a package, requests targets, and returns their statuses and what the program wrote to standard error.
    private static func serve(
        _ scratch: Scratch,
        _ base: String,
        _ requests: [(path: String, accept: String)],
        _ options: [String]
    ) async throws -> (statuses: [String], errors: String) {
        let server = try RunningProgram(Program.afcache, ["serve", scratch.path("p.zip"), "--port", "0"] + options)
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count).dropLast()
        let statuses = try requests.map { path, accept in
            let format = ["-sS", "-o", scratch.path("body"), "-w", "%{http_code}", "-H", "Accept: \(accept)"]
            return try Program.run("curl", format + ["--noproxy", "", "-x", String(address), base + path]).text
        }
        #expect(server.stop() == 0)
        return (statuses, server.errors)
    }

    @Test func `readers are told how many URLs a crawl didn't find`() async throws {
        let scratch = try Scratch()
        // The icon is a guess.
        let site: [String: [TestOrigin.Answer]] = ["/": [.html("<img src=/none.png><a href=/gone>gone</a>start")]]
        try await TestOrigin.withOrigin(site) { origin async throws in
            let pack = ["pack", origin.base + "/", "-o", scratch.path("p.zip"), "--ignore-robots", "--fail-on", "none"]
            #expect(try Program.run(Program.afcache, pack).status == 0)
        }
        for options in [["--cache", scratch.path("c")], [scratch.path("p.zip")]] {
            if options.count > 1 {
                let load = try Program.run(Program.afcache, ["load", scratch.path("p.zip")] + options)
                #expect(load.status == 0, "\(load.errors)")
            }
            let server = try RunningProgram(Program.afcache, ["serve", "--port", "0"] + options)
            let address = try #require(try await server.firstLine()).dropFirst("serving at ".count).dropLast()
            let home = try Program.run("curl", ["-sS", "--noproxy", "*", String(address)]).text
            #expect(home.contains(" · 2 URLs not found</span>"), "\(home)")
            #expect(server.stop() == 0)
        }
        let export = ["export", scratch.path("p.zip"), "-o", scratch.path("p.html")]
        #expect(try Program.run(Program.afcache, export).status == 0)
        #expect(String(decoding: try scratch.read("p.html"), as: UTF8.self).contains(" · 2 URLs not found<"))
    }

    @Test func `a missing URL is named at the end, added by an update, and then there`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(Self.site) { origin in
            let package = scratch.path("p.zip")
            let pack = ["pack", origin.base + "/", "-o", package, "--ignore-robots"]
            #expect(try Program.run(Program.afcache, pack).status == 0)
            let requests = [
                ("/menu.json?token=s3cret", "*/*"), ("/menu.json", "*/*"), ("/hidden", "text/html"),
                ("/none.js", "*/*"), ("/", "*/*"),
            ]
            let list = scratch.path("missing.txt")
            let first = try await Self.serve(scratch, origin.base, requests, ["--missing", list])
            #expect(first.statuses == ["504", "504", "504", "504", "200"])
            #expect(
                first.errors.contains("note: 3 URLs of packaged hosts were requested and not stored:\n"),
                "\(first.errors)"
            )
            #expect(
                first.errors.contains("  2 requests for \(origin.base)/menu.json?… (requisite)\n"),
                "\(first.errors)"
            )
            let text = String(decoding: try scratch.read("missing.txt"), as: UTF8.self)
            #expect(
                text.split(separator: "\n").dropFirst() == [
                    "2 requisite \(origin.base)/menu.json", "1 page \(origin.base)/hidden",
                    "1 requisite \(origin.base)/none.js",
                ]
            )
            #expect(!text.contains("s3cret") && !first.errors.contains("s3cret"))

            let update = try Program.run(Program.afcache, pack + ["--update", "--add-missing", list])
            #expect(update.status == 0, "\(update.errors)")
            let second = try await Self.serve(scratch, origin.base, requests, ["--missing", "-"])
            #expect(second.statuses == ["200", "200", "200", "404", "200"])
            #expect(!second.errors.contains("not stored"), "\(second.errors)")
        }
    }

    @Test func `the URL that a crawl invents for the page for missing URLs isn't listed as a resource`() async throws {
        let scratch = try Scratch()
        var site = Self.site
        for path in ["/afcache-missing-page", "/afcache-missing/page.html"] {
            let body = Array("<link rel=stylesheet href=/s.css>nothing here".utf8)
            site[path] = [TestOrigin.Answer(404, [("Content-Type", "text/html")], body: body)]
        }
        site["/s.css"] = [.text("p{}", type: "text/css")]
        try await TestOrigin.withOrigin(site) { origin in
            let package = scratch.path("p.zip")
            let pack = ["pack", origin.base + "/", "-o", package, "--ignore-robots"]
            #expect(try Program.run(Program.afcache, pack).status == 0)
            #expect(try Program.run(Program.afcache, ["load", package, "--cache", scratch.path("c")]).status == 0)
            for place in [[package], ["--cache", scratch.path("c")]] {
                let listed = try Program.run(Program.afcache, ["ls", "--json"] + place).text
                #expect(listed.contains("\"\(origin.base)/s.css\""), "the package has the page and what it needs")
                #expect(!listed.contains("afcache-missing"), "\(listed)")
            }
            let list = scratch.path("missing.txt")
            let requests = [("/x", "text/html"), ("/afcache-missing/page.html", "text/html")]
            let served = try await Self.serve(scratch, origin.base, requests, ["--missing", list])
            #expect(served.statuses == ["404", "404"])
            let text = String(decoding: try scratch.read("missing.txt"), as: UTF8.self)
            #expect(text.split(separator: "\n").dropFirst() == ["1 page \(origin.base)/x"])
        }
    }

    @Test func `a list with an error is refused, and a file that can't be written before the server starts`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("x y\n".utf8), to: "list")
        let pack = ["pack", "http://d.example/", "-o", "p.zip", "--add-missing", "list"]
        let refused = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(refused.status == 64 && refused.errors.contains("list:1: a line has a URL"), "\(refused.errors)")
        let serve = ["serve", "p.zip", "--missing", "none/list"]
        #expect(try Program.run(Program.afcache, serve, in: scratch.path).status == 11)
    }
}
