import TestSupport
import Testing

/// Packages of folders: their URLs, and the pages for URLs that they don't have, with the built program.
struct FolderTests {
    private static func made(_ options: [String]) throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<title>App</title>".utf8), to: "in/index.html")
        try scratch.write(Array("<title>None</title>".utf8), to: "in/404.html")
        try scratch.write(Array("<title>About</title>".utf8), to: "in/about.html")
        try scratch.write(Array("p { }".utf8), to: "in/s.css")
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/app", "-o", "p.zip"] + options
        let packed = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(packed.status == 0, "\(packed.errors)")
        let lint = try Program.run(Program.afcache, ["lint", "p.zip"], in: scratch.path)
        #expect(lint.status == 0, "\(lint.text)")
        let load = ["load", "p.zip", "--cache", "store"]
        #expect(try Program.run(Program.afcache, load, in: scratch.path).status == 0)
        return scratch
    }

    /// What a server answers: the status, and the body.
    private static func ask(_ scratch: Scratch, _ options: [String], _ asked: [(path: String, field: String)])
        async throws
        -> [String]
    {
        let arguments = ["serve", "--port", "0", "--cache", scratch.path("store")] + options
        let server = try RunningProgram(Program.afcache, arguments)
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        return try asked.map { path, field in
            let curl = ["-sS", "-H", field, "-w", "%{http_code}", "-o", "body", "\(address)d.example\(path)"]
            let status = try Program.run("curl", curl, in: scratch.path).text
            guard status != "504" else { return status }
            return status + " " + String(decoding: try scratch.read("body"), as: UTF8.self)
        }
    }

    private static let (page, image) = ("Accept: text/html,*/*;q=0.8", "Accept: image/*")
    private static let (app, none) = ("200 <title>App</title>", "404 <title>None</title>")

    /// As the documentation of Debian's packages does, whose pages link to scripts of other packages.
    @Test func `a folder that links to a library is packed if the library is named`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("<script src=jquery.js></script>".utf8), to: "site/index.html")
        try scratch.write(Array("var x".utf8), to: "lib/jquery.js")
        _ = try Program.run("ln", ["-s", "../lib/jquery.js", "site/jquery.js"], in: scratch.path)
        let pack = ["pack", "--folder", "site", "--base-url", "https://d.example/", "-o", "p.zip", "--overwrite"]
        func packed(_ options: [String]) throws -> (status: Int32, errors: String, names: String) {
            let result = try Program.run(Program.afcache, pack + options, in: scratch.path)
            let names = try Program.run("unzip", ["-Z1", "p.zip"], in: scratch.path).text
            return (result.status, result.errors, names)
        }
        let skipped = try packed([])
        #expect(skipped.status == 0 && !skipped.names.contains("jquery.js"))
        #expect(skipped.errors.contains("skipped 'jquery.js': a symbolic link; '--follow-symlinks' follows it"))
        let outside = try packed(["--follow-symlinks"])
        #expect(outside.status == 5 && outside.errors.contains("'--symlink-root DIR'"), "\(outside.errors)")
        let whole = try packed(["--symlink-root", "lib"])
        #expect(whole.status == 0 && whole.names.contains("jquery.js"), "\(whole.errors)")
    }

    @Test func `a file whose name has no characters is left out, and that isn't a success`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("x".utf8), to: "in/index.html")
        // As a zip from a Windows of old leaves it: Latin-1.
        let made = try Program.run("/bin/sh", ["-c", #"printf x >"in/$(printf 'caf\351.txt')""#], in: scratch.path)
        // Some file systems take no such names, so that there is nothing to leave out.
        guard made.status == 0 else { return }
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        let packed = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(packed.status == 5 && packed.errors.contains("its name is not UTF-8; rename it"), "\(packed.errors)")
        #expect(try Program.run("unzip", ["-Z1", "p.zip"], in: scratch.path).text.contains("index.html"))
    }

    @Test func `many files without a media type are one line`() throws {
        let scratch = try Scratch()
        for number in 0..<12 { try scratch.write(Array("x".utf8), to: "in/LICENSE-\(number + 10)-x") }
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        let errors = try Program.run(Program.afcache, pack, in: scratch.path).errors
        let warnings = errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasPrefix(
                "warning: no media type is known for 12 files, for example 'LICENSE-10-x', 'LICENSE-11-x', 'LICENSE-12-x'"
            ) == true
        )
    }

    @Test func `a folder's page answers its URL, and 404.html answers navigations to URLs that aren't there`()
        async throws
    {
        let scratch = try Self.made([])
        let asked = ["/app/", "/app/index.html", "/app/users", "/app/x.png", "/other"].map { ($0, Self.page) }
        let answers = try await Self.ask(scratch, [], asked + [("/app/users", Self.image)])
        #expect(answers == [Self.app, Self.app, Self.none, Self.none, "504", "504"])
        #expect(try await Self.ask(scratch, ["--match", "exact"], [("/app/users", Self.page)]) == ["504"])
    }

    @Test func `the page of an application answers what has no dot, and clean URLs are stored`() async throws {
        let scratch = try Self.made(["--fallback", "index.html", "--clean-urls"])
        let asked = ["/app/users/5?tab=1", "/app/x.png", "/app/about", "/app/about.html"].map { ($0, Self.page) }
        let about = "200 <title>About</title>"
        #expect(try await Self.ask(scratch, [], asked) == [Self.app, Self.none, about, about])
        #expect(try await Self.ask(scratch, [], [("/app/about", Self.image)]) == [about])
    }

    @Test func `without pages for missing URLs, nothing answers them`() async throws {
        let scratch = try Self.made(["--fallback", "none"])
        #expect(try await Self.ask(scratch, [], [("/app/users", Self.page)]) == ["504"])
    }

    @Test(arguments: [["--cache", "store"], ["--package", "p.zip"]])
    func `get names the page that a browser gets, and gets it on request`(place: [String]) throws {
        let scratch = try Self.made(["--fallback", "index.html"])
        func get(_ path: String, _ options: [String] = []) throws -> ProgramResult {
            try Program.run(Program.afcache, ["get", "https://d.example" + path] + place + options, in: scratch.path)
        }
        let plain = try get("/app/users")
        #expect(plain.status == 3 && plain.text.isEmpty)
        let offer =
            "note: a browser that opens it gets 'https://d.example/app/index.html'; use '--navigate' to get that\n"
        #expect(plain.errors.hasSuffix(offer), "\(plain.errors)")
        let application = try get("/app/users", ["--navigate"])
        #expect(application.status == 0 && application.text == "<title>App</title>", "\(application.errors)")
        let why = "because the package sends this page for URLs that it doesn't have\n"
        #expect(application.errors.contains("note: 'https://d.example/app/index.html' answers, " + why))
        #expect(try get("/app/x.png").errors.contains("gets 'https://d.example/app/404.html' with status 404; use"))
        let missing = try get("/app/x.png", ["--navigate", "-i"])
        #expect(missing.status == 3, "\(missing.errors)")
        #expect(missing.text.hasPrefix("HTTP/1.1 404 Not Found\r\n"), "\(missing.text)")
        #expect(missing.text.contains("+fallback-missing\r\n"), "\(missing.text)")
        #expect(missing.text.hasSuffix("<title>None</title>"), "\(missing.text)")
        #expect(try get("/other", ["--navigate"]).status == 3)
        #expect(try !get("/other").errors.contains("note: a browser"))
        #expect(try !get("/app/users", ["--match", "exact"]).errors.contains("note: a browser"))
    }

    @Test func `repack keeps the pages for missing URLs`() throws {
        let scratch = try Self.made([])
        let repack = try Program.run(Program.afcache, ["repack", "p.zip", "-o", "q.zip"], in: scratch.path)
        #expect(repack.status == 0, "\(repack.errors)")
        let get = ["get", "https://d.example/app/x", "--package", "q.zip", "--navigate"]
        #expect(try Program.run(Program.afcache, get, in: scratch.path).text == "<title>None</title>")
    }

    @Test func `rules for parameters are taken from a file`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a")
        try scratch.write(Array("{\"rules\": [{\"path\": \"/*\", \"ignore\": [\"nonce\"]}]}".utf8), to: "rules.json")
        let map = "{\"a\": \"http://d.example/a?id=1\"}"
        try scratch.write(Array(map.utf8), to: "map.json")
        let pack = [
            "pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip", "--url-map", "map.json",
            "--match-rules", "rules.json",
        ]
        let packed = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(packed.status == 0, "\(packed.errors)")
        let get = ["get", "http://d.example/a?id=1&nonce=x", "--package", "p.zip"]
        #expect(try Program.run(Program.afcache, get, in: scratch.path).status == 3)
        #expect(try Program.run(Program.afcache, get + ["--match", "loose"], in: scratch.path).text == "a")

        let wrong = "{\"rules\": [\n  {\"path\": \"/*\", \"ignore\": [\"nonce\"]},\n  {\"path\": \"/a\"}\n]}\n"
        try scratch.write(Array(wrong.utf8), to: "rules.json")
        let refused = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(refused.status == 64)
        let reason =
            "'--match-rules': 'rules.json', line 3: rule 2 must have either 'ignore' or 'keep', a list of names"
        #expect(refused.errors.contains(reason), "\(refused.errors)")
        try scratch.write(Array("{\n\"rules\": [\n1 2]}".utf8), to: "rules.json")
        #expect(
            try Program.run(Program.afcache, pack, in: scratch.path).errors
                .contains("'rules.json', line 3: the rules are not JSON at byte 15")
        )
    }

    @Test(arguments: [
        (["in"], "'in' is a folder, not a URL; to pack it, use '--folder in' with '--base-url URL'"),
        (
            ["http://d.example/", "--fallback", "index.html"],
            "'--fallback' is for folders; remove it to crawl, or name a folder with '--folder'"
        ),
        (["http://d.example/", "--clean-urls"], "'--clean-urls' is for folders"),
        (["--folder", "in", "--depth", "2"], "'--depth' is for crawls; remove it to pack a folder"),
        (["--folder", "in", "--max-redirects=10"], "'--max-redirects' is for crawls"),
        (["--folder", "in", "--traps", "off"], "'--traps' is for crawls"),
        (["--folder", "in", "--update"], "'--update' is for crawls"),
        (["--folder", "in", "--update-from", "x.zip"], "'--update-from' is for crawls"),
        (
            ["--folder", "in", "--fallback", "index.html", "--no-sidecar"],
            "the pages for missing URLs are kept in the sidecar"
        ),
        (["--folder", "in", "--match-rules", "r", "--no-sidecar"], "rules for parameters are kept in the sidecar"),
    ])
    func `options that don't belong together are refused`(arguments: [String], words: String) throws {
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a")
        let pack = ["pack", "-o", "p.zip"] + arguments
        let result = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a page that isn't packed is named`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a")
        let pack = [
            "pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip", "--fallback", "index.html",
        ]
        let result = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(result.status != 0)
        #expect(result.errors.contains("index.html"), "\(result.errors)")
    }
}
