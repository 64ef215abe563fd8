import TestOrigin
import TestSupport
import Testing

/// The names that packages state, by the built program (docs/reference/format.md).
struct PackageNameTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    /// Packs a page below a base URL as a file of the same text.
    private func pack(
        _ text: String,
        _ file: String,
        _ options: [String] = ["--base-url", "https://docs.example/"]
    ) throws {
        try scratch.write(Array("<p>\(text)".utf8), to: "in/index.html")
        let words = ["pack", "--folder", "in", "-o", file, "--quiet"] + options
        let result = try Program.run(Program.afcache, words, in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
    }

    private func names(_ cache: String = "store") throws -> [String] {
        try run("cache", "ls", "--cache", cache, "--json").text.split(separator: "\n").compactMap { line in
            line.firstRange(of: "\"name\":\"").map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    /// Puts another text in place of a package's '.afcache/package.json'.
    private func describe(_ file: String, _ json: String) throws {
        let script = """
            import sys, zipfile
            old = zipfile.ZipFile(sys.argv[1])
            members = [(info, old.read(info)) for info in old.infolist()]
            with zipfile.ZipFile(sys.argv[1], "w") as new:
                for info, body in members:
                    new.writestr(info, sys.argv[2] if info.filename == ".afcache/package.json" else body)
            """
        let result = try Program.run("python3", ["-c", script, scratch.path(file), json])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `a package with a date in its file's name replaces the one before`() throws {
        try pack("one", "docs-2026-11-25.zip")
        try pack("two", "docs-2026-11-26.zip")
        #expect(try run("load", "docs-2026-11-25.zip", "--cache", "store").text.hasPrefix("loaded 'docs.example': "))
        let second = try run("load", "docs-2026-11-26.zip", "--cache", "store")
        #expect(second.text.hasPrefix("updated 'docs.example': ") && second.errors.isEmpty, "\(second.errors)")
        #expect(try names() == ["docs.example"])
        #expect(try run("load", "docs-2026-11-25.zip", "--name", "old", "--cache", "store").status == 0)
        #expect(try names() == ["docs.example", "old"])
        #expect(try run("info", "docs-2026-11-25.zip").text.contains("\n  name      docs.example\n"))
    }

    @Test(
        arguments: [
            (["--base-url", "https://docs.example/"], "docs.example"),
            (["--base-url", "https://docs.example/guide/"], "docs.example-guide"),
            (["--base-url", "http://docs.example:8080/"], "docs.example-8080"),
            (["--base-url", "https://docs.example/", "--name", "manual"], "manual"), ([], nil),
            (["--base-url", "https://docs.example/", "--no-sidecar"], nil),
        ] as [([String], String?)]
    )
    func `a folder's package has the name of its base URL, or the given one`(
        options: [String],
        name: String?
    ) throws {
        try pack("one", "p.zip", options)
        let loaded = try run("load", "p.zip", "--cache", "store")
        #expect(loaded.text.hasPrefix("loaded '\(name ?? "p")': "), "\(loaded.text)\(loaded.errors)")
    }

    @Test(arguments: [".", "../docs", "a/b", "-x", "", " a", "a\nb", "a\u{202E}b", String(repeating: "a", count: 256)])
    func `a name that a package can't state is refused, and ignored in a package that states it`(
        name: String
    ) throws {
        try scratch.write(Array("<p>one".utf8), to: "in/index.html")
        let refused = try run(
            "pack",
            "--folder",
            "in",
            "--base-url",
            "http://d.example",
            "--name=\(name)",
            "-o",
            "n.zip"
        )
        #expect(
            refused.status == 64 && (name.isEmpty || refused.errors.contains("'--name' must have 1 to 255 bytes")),
            "\(refused.errors)"
        )

        try pack("one", "p.zip")
        let escaped = name.unicodeScalars.map { scalar in
            scalar == "\n" ? "\\n" : scalar == "\u{202E}" ? "\\u202e" : String(scalar)
        }.joined()
        try describe("p.zip", "{\"format\":1,\"name\":\"\(escaped)\"}")
        let loaded = try run("load", "p.zip", "--cache", "store")
        #expect(loaded.text.hasPrefix("loaded 'p': "), "\(loaded.text)\(loaded.errors)")
        let lint = try run("lint", "p.zip", "--select", "sidecar.bad-name")
        #expect(lint.text.contains("the package's name can't be used"), "\(lint.text)\(lint.errors)")
    }

    @Test func `a package of another site that states a loaded package's name says so, and can be rolled back`() throws
    {
        try pack("bank", "bank.zip", ["--base-url", "https://bank.example/", "--name", "bank"])
        try pack("evil", "evil.zip", ["--base-url", "https://evil.example/", "--name", "bank"])
        #expect(try run("load", "bank.zip", "--cache", "store").errors.isEmpty)
        let evil = try run("load", "evil.zip", "--cache", "store")
        #expect(evil.text.hasPrefix("updated 'bank': "))
        #expect(
            evil.errors.contains("warning: the package that 'bank' replaced was one of other hosts: bank.example; "),
            "\(evil.errors)"
        )
        #expect(try run("cache", "rollback", "bank", "--cache", "store").status == 0)
        #expect(try run("get", "https://bank.example/", "--cache", "store").text == "<p>bank")
        let named = try run("load", "evil.zip", "--name", "bank", "--cache", "store")
        #expect(named.text.hasPrefix("updated 'bank'"))
        #expect(
            named.errors.hasSuffix("; 'afcache cache rollback bank --cache store' brings it back\n"),
            "\(named.errors)"
        )
    }

    @Test func `a package of the future is loaded with a warning`() throws {
        let words = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        try scratch.write(Array("p".utf8), to: "in/index.html")
        let future = ["SOURCE_DATE_EPOCH": "4102444800"]
        #expect(try Program.run(Program.afcache, words, in: scratch.path, environment: future).status == 0)
        let loaded = try run("load", "p.zip", "--cache", "store")
        #expect(loaded.status == 0 && loaded.errors.contains("says that it was created at 2100-01-01T00:00:00Z"))
    }

    @Test func `names that differ only in Unicode's composition are one`() throws {
        try pack("one", "one.zip", ["--base-url", "http://d.example", "--name", "caf\u{E9}"])
        try pack("two", "two.zip", ["--base-url", "http://d.example", "--name", "cafe\u{301}"])
        #expect(try run("load", "one.zip", "--cache", "store").status == 0)
        #expect(try run("load", "two.zip", "--cache", "store").text.hasPrefix("updated 'caf"))
        #expect(try names().count == 1)
        #expect(try run("cache", "verify", "--cache", "store").status == 0)
    }

    @Test func `repack keeps the name, and gives one`() throws {
        try pack("one", "p.zip")
        #expect(try run("repack", "p.zip", "-o", "q.zip").status == 0)
        #expect(try run("repack", "p.zip", "-o", "r.zip", "--name", "other").status == 0)
        #expect(try run("info", "q.zip").text.contains("name      docs.example\n"))
        #expect(try run("info", "r.zip").text.contains("name      other\n"))
    }

    @Test func `a patch replaces the package that it leads from`() throws {
        try pack("one", "1.zip")
        try pack("two", "2.zip")
        #expect(try run("patch", "1.zip", "2.zip", "-o", "1-2.zip").status == 0)
        #expect(try run("load", "1.zip", "--name", "mine", "--cache", "store").status == 0)
        let patched = try run("load", "1-2.zip", "--cache", "store")
        #expect(patched.text.hasPrefix("updated 'mine': "), "\(patched.text)\(patched.errors)")
    }

    @Test func `an artifact in a registry has the package's name as its title`() throws {
        try pack("one", "1.zip")
        #expect(try run("push", "1.zip", "oci-layout:usb/other:1").status == 0)
        let title = try Program.run("grep", ["-rhoa", "\"docs.example.zip\"", scratch.path("usb")])
        #expect(title.text == "\"docs.example.zip\"\n")
        #expect(try run("load", "oci-layout:usb/other:1", "--cache", "store").text.hasPrefix("loaded 'docs.example'"))
    }

    @Test func `a channel and a sync file take the name from the package`() throws {
        try pack("one", "docs-1.zip")
        try pack("two", "docs-2.zip")
        try pack("more", "more.zip", [])
        #expect(try run("keygen", "-o", "team").status == 0)
        #expect(try run("channel", "new", "c", "--key", "team.pub", "-o", "c.channel").status == 0)
        #expect(try run("channel", "add", "c.channel", "docs-1.zip").text.hasPrefix("added 'docs.example': "))
        #expect(try run("channel", "add", "c.channel", "docs-2.zip").text.hasPrefix("updated 'docs.example': "))
        #expect(try run("channel", "add", "c.channel", "more.zip").text.hasPrefix("added 'more': "))
        let sync = "version: 1\nremove-others: true\npackages: [{ from: docs-1.zip }, { from: more.zip }]\n"
        try scratch.write(Array(sync.utf8), to: "sync.yaml")
        let first = try run("sync", "sync.yaml", "--cache", "store")
        #expect(first.text == "installed 'docs.example'\ninstalled 'more'\n", "\(first.errors)")
        let again = try run("sync", "sync.yaml", "--cache", "store")
        #expect(again.text == "unchanged 'docs.example'\nunchanged 'more'\n", "\(again.errors)")
        try scratch.write(Array(sync.replacing("docs-1", with: "docs-2").utf8), to: "sync.yaml")
        let next = try run("sync", "sync.yaml", "--cache", "store")
        #expect(next.text == "updated   'docs.example'\nunchanged 'more'\n", "\(next.errors)")
        // Two packages with one name would replace each other at each run.
        try scratch.write(
            Array("version: 1\npackages: [{ from: docs-1.zip }, { from: docs-2.zip }]\n".utf8),
            to: "sync.yaml"
        )
        let two = try run("sync", "sync.yaml", "--cache", "two")
        #expect(two.status == 5 && two.text == "installed 'docs.example'\nfailed    'docs-2'\n", "\(two.text)")
        #expect(two.errors.contains("has the same name, 'docs.example'"), "\(two.errors)")
    }

    @Test func `a URL that was loaded before updates what came from it`() async throws {
        try pack("one", "1.zip")
        try pack("two", "2.zip")
        let (one, two) = (try scratch.read("1.zip"), try scratch.read("2.zip"))
        let answers = [
            TestOrigin.Answer(200, [("ETag", "\"1\"")], body: one), .init(304),
            .init(200, [("ETag", "\"2\"")], body: two),
        ]
        try await TestOrigin.withOrigin(["/p.zip": answers]) { origin in
            let url = origin.base + "/p.zip"
            #expect(try run("load", url, "--name", "mine", "--cache", "store").text.hasPrefix("loaded 'mine'"))
            #expect(try run("load", url, "--cache", "store").text.hasPrefix("unchanged 'mine'"))
            let update = try run("load", url, "--cache", "store")
            #expect(update.text.hasPrefix("updated 'mine'"), "\(update.errors)")
            #expect(try names() == ["mine"])
        }
    }

    @Test func `a crawl names its package by its host, and an update keeps the name`() async throws {
        var page = TestOrigin.Answer.html("<p>one")
        page.fields.append(("ETag", "\"1\""))
        try await TestOrigin.withOrigin(["/": [page]]) { origin in
            let port = origin.base.split(separator: ":").last ?? ""
            let line = ["pack", origin.base + "/", "-o", "p.zip", "--update"]
            func pack(_ options: String...) throws -> String {
                let result = try Program.run(Program.afcache, line + options, in: scratch.path)
                #expect(result.status == 0, "\(result.errors)")
                return result.text
            }
            let first = try pack()
            #expect(first.hasPrefix("packed "))
            #expect(try run("info", "p.zip").text.contains("name      127.0.0.1-\(port)\n"))
            #expect(try pack().hasPrefix("nothing has changed"))
            #expect(try pack("--name", "site").hasPrefix("packed "))
            #expect(try pack().hasPrefix("nothing has changed"))
            #expect(try pack("--rewrite").hasPrefix("packed "))
            #expect(try run("info", "p.zip").text.contains("name      site\n"))
        }
    }

    @Test func `a server shows packages without a cache by their names`() async throws {
        try pack("one", "docs-1.zip", ["--base-url", "https://docs.example/", "--name", "Manual"])
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", scratch.path("docs-1.zip"), "--mount-cache", "none"]
        )
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        let home = try Program.run("curl", ["-sS", String(address)]).text
        #expect(home.contains("Manual") && !home.contains("docs-1"))
    }
}
