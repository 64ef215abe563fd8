import AFCText
import TestOrigin
import TestSupport
import Testing

/// Origins' preferences about AI, from a crawl to what agents get, with the built program.
@Suite(.timeLimit(.minutes(10)))
struct UsageTests {
    private static let routes: [String: [TestOrigin.Answer]] = [
        "/robots.txt": [
            .text(
                "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /private/ ai-input=no\n",
                type: "text/plain"
            )
        ],
        "/": [.html("<title>Home</title><p>Lamps</p><a href=/private/a>a</a><a href=/noai>n</a>")],
        "/private/a": [.html("<title>Private</title><p>Hidden lamps</p>")],
        "/noai": [.html("<meta name=robots content='noai'><title>No</title><p>Secret lamps</p>")],
    ]

    /// Packs the site, and calls a body with the address of its origin.
    private static func packed(_ body: (Scratch, String) throws -> Void) async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(routes) { origin in
            let result = try Program.run(Program.afcache, ["pack", origin.base + "/", "-o", "p.zip"], in: scratch.path)
            #expect(result.status == 0, "\(result.errors)")
            let words = "note: origins disallow ai-input of 1 resource, ai-train of 2 resources, noai of 1 resource"
            #expect(result.errors.contains(words), "\(result.errors)")
            try body(scratch, origin.base)
        }
    }

    private static func run(_ scratch: Scratch, _ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    /// Calls a tool of `afcache mcp`, and returns its result.
    private static func call(
        _ tool: String,
        _ arguments: String,
        _ options: String,
        in scratch: Scratch
    ) throws -> JSONValue {
        let version = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        let message =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{\#(version),"name":"\#(tool)","arguments":\#(arguments)}}"#
        try scratch.write(Array((message + "\n").utf8), to: "in.jsonl")
        let result = try Program.run(
            "sh",
            ["-c", "'\(Program.afcache)' mcp \(options) < in.jsonl"],
            in: scratch.path
        )
        return try #require(try JSONValue(parsing: Array(result.text.utf8))["result"])
    }

    @Test func `info and lint say what was recorded, and a merge keeps it`() async throws {
        try await Self.packed { scratch, _ in
            try scratch.write(Array("other".utf8), to: "in/a.css")
            let calls = [
                ["pack", "--folder", "in", "--base-url", "http://o.example/", "-o", "o.zip"],
                ["merge", "p.zip", "o.zip", "-o", "m.zip"],
            ]
            for call in calls {
                let result = try Program.run(Program.afcache, call, in: scratch.path)
                #expect(result.status == 0, "\(result.errors)")
            }
            for package in ["p.zip", "m.zip"] {
                let info = try Self.run(scratch, "info", package)
                #expect(info.text.contains("  usages    ai-input=n (1), ai-train=n (2), noai (1), search=y (2)\n"))
                let json = try JSONValue(parsing: Array(try Self.run(scratch, "info", package, "--json").text.utf8))
                #expect(json["usages"]?["ai-input=n"] == .number("1"))
                let lint = try Self.run(scratch, "lint", package)
                #expect(
                    lint.text.contains(
                        "origins disallow the use of 3 resources by AI (ai-input, ai-train, noai), for example"
                    ),
                    "\(lint.text)"
                )
                #expect(lint.text.contains("sidecar.disallowed-usage"))
            }
        }
    }

    @Test func `an agent gets no page that its origin withholds, unless its name is overridden`() async throws {
        try await Self.packed { scratch, base in
            let load = try Self.run(scratch, "load", "p.zip", "--cache", "store")
            #expect(load.status == 0, "\(load.errors)")
            for source in ["p.zip", "--cache store"] {
                for (path, name, place) in [("/private/a", "ai-input", "robots.txt"), ("/noai", "noai", "the page")] {
                    let arguments = #"{"url":"\#(base)\#(path)"}"#
                    let refused = try Self.call("get", arguments, source, in: scratch)
                    #expect(refused["isError"] == .bool(true))
                    #expect(
                        refused["content"]?.array?.first?["text"]
                            == .string(
                                "'\(base)\(path)' is withheld, since its origin disallows its use by AI: '\(name)' (\(place)); "
                                    + "whoever runs the server can override this with '--ignore-preference \(name)'"
                            )
                    )
                    let options = "\(source) --ignore-preference \(name)"
                    let page = try Self.call("get", arguments, options, in: scratch)
                    #expect(page["structuredContent"]?["text"]?.string?.contains("lamps") ?? false)
                }
                let open = try Self.call("get", #"{"url":"\#(base)/"}"#, source, in: scratch)
                #expect(open["structuredContent"]?["source"]?["usage"] == .string("ai-train=n, search=y"))
            }
            let unknown = try Self.run(scratch, "mcp", "p.zip", "--ignore-preference", "train-ai")
            #expect(unknown.status == 64 && unknown.errors.contains("'ai-input'"), "\(unknown.errors)")
            let alone = try Self.run(scratch, "serve", "--ignore-preference", "noai")
            #expect(alone.status == 64 && alone.errors.contains("'--ignore-preference' needs '--mcp'"))
        }
    }

    @Test func `a server sends nothing of what is recorded beside the fields, and its home page shows it`() async throws
    {
        try await Self.packed { scratch, base in
            let server = try RunningProgram(Program.afcache, ["serve", "--port", "0", scratch.path("p.zip")])
            defer { _ = server.stop() }
            try server.wait(until: "the address is printed") { server.text.contains("serving at ") }
            let line = try #require(server.text.split(separator: "\n").first { $0.contains("serving at ") })
            let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
            let page = try Program.run("curl", ["-s", "-i", "-x", String(address), base + "/noai"]).text
            #expect(page.contains("Secret lamps") && !page.lowercased().contains("afcache-"), "\(page)")
            let home = try Program.run("curl", ["-s", String(address)]).text
            #expect(home.contains("ai-train=n, search=y"))
        }
    }

    @Test func `Markdown has no page that its origin withholds, and says so`() async throws {
        try await Self.packed { scratch, base in
            let result = try Self.run(scratch, "export", "p.zip", "--as", "markdown", "-o", "md")
            #expect(result.status == 0 && result.text.contains("1 page; see"), "\(result.text)\(result.errors)")
            #expect(
                result.errors.contains(
                    "note: 2 pages left out, since origins disallow the use by AI (ai-input, noai); to write them, add "
                        + "'--ignore-preference ai-input' and '--ignore-preference noai'\n"
                ),
                "\(result.errors)"
            )
            let list = String(decoding: try scratch.read("md/llms.txt"), as: UTF8.self)
            let whole = String(decoding: try scratch.read("md/llms-full.txt"), as: UTF8.self)
            #expect(list.contains("\n2 pages are left out, since origins disallow the use by AI (ai-input, noai).\n"))
            #expect(whole.contains("usage: \"ai-train=n, search=y\"\n---\n"))
            for word in ["Hidden", "Secret"] { #expect(!whole.contains(word) && !list.contains(word)) }
            let all = try Self.run(
                scratch,
                "export",
                "p.zip",
                "--as",
                "markdown",
                "-o",
                "all",
                "--json",
                "--ignore-preference",
                "ai-input",
                "--ignore-preference",
                "noai"
            )
            #expect(all.text.contains("\"withheld\":0"), "\(all.text)\(all.errors)")
            let refused = try Self.run(scratch, "export", "p.zip", "-o", "x", "--ignore-preference", "noai")
            #expect(refused.status == 64 && refused.errors.contains("is for Markdown"))
            #expect(base.hasPrefix("http://"))
        }
    }
}
