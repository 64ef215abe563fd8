import Foundation
import TestOrigin
import TestSupport
import Testing

/// `afcache record`: what a program requests, in a package and served again.
struct RecordTests {
    private static let noStore = ("Cache-Control", "no-store")

    private static var routes: [String: [TestOrigin.Answer]] {
        [
            "/": [
                TestOrigin.Answer(
                    200,
                    [
                        ("Content-Type", "text/html"), noStore, ("Set-Cookie", "id=s3cret"),
                        ("Vary", "Authorization, Cookie, Accept-Language"),
                    ],
                    body: Array("<title>Home</title>".utf8)
                )
            ],
            "/a.css": [
                TestOrigin.Answer(200, [("Content-Type", "text/css"), ("ETag", "\"1\"")], body: Array("a{}".utf8))
            ],
            "/old": [.redirect("/a.css")],
            "/gone": [TestOrigin.Answer(404, [("Content-Type", "text/html")], body: Array("gone".utf8))],
            "/api": [.text("{\"ok\":1}", type: "application/json")],
            "/part": [
                TestOrigin.Answer(
                    200,
                    [("Content-Type", "video/webm"), ("ETag", "\"v\"")],
                    body: Array("0123456789".utf8)
                ),
                TestOrigin.Answer(206, [("Content-Range", "bytes 0-0/10")], body: Array("0".utf8)),
            ],
            "/gzip": [
                TestOrigin.Answer(
                    200,
                    [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")],
                    body: [
                        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86, 0xA6,
                        0x10, 0x36, 5, 0, 0, 0,
                    ]
                )
            ],
            "/cut": [
                TestOrigin.Answer(200, [("Content-Length", "100")], body: Array("short".utf8), closes: true)
            ],
            "/events": [
                TestOrigin.Answer(200, [("Content-Type", "text/event-stream")], body: Array("data: 1\n\n".utf8))
            ],
            "/turns": [.text("one"), .text("two")],
        ]
    }

    /// Runs a shell script under `record`; `$0` in it is the origin.
    private func record(
        _ script: String,
        _ origin: TestOrigin,
        _ scratch: Scratch,
        _ options: [String] = [],
        environment: [String: String] = [:]
    ) throws -> ProgramResult {
        let words = ["record", "-o", scratch.path("r.zip")] + options + ["--", "sh", "-c", script, origin.base]
        return try Program.run(Program.afcache, words, environment: environment)
    }

    private func manifest(_ scratch: Scratch, _ origin: TestOrigin) throws -> [String] {
        let result = try Program.run(Program.afcache, ["ls", scratch.path("r.zip")])
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("http") }.map { String($0.dropFirst(origin.base.count)) }
        }
    }

    @Test func `what a program requests is served again, also what a cache may not keep`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let script = """
                set -e
                curl -sf $0/ -H 'Authorization: Bearer s3cret' -H 'Cookie: a=s3cret' -H 'Accept-Language: de'
                curl -sf $0/a.css -H 'If-None-Match: "1"' && curl -sfL $0/old && curl -s $0/gone
                curl -sf $0/api -d '{"q":1}' -H 'Content-Type: application/json'
                curl -sf -I $0/a.css -o /dev/null
                """
            let result = try record(script, origin, scratch, ["--post"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.text == "<title>Home</title>a{}a{}gone{\"ok\":1}")
            #expect(result.errors.contains("packed '\(scratch.path("r.zip"))': 4 resources, 1 redirect, "))
            let conditional = origin.requests.filter { request in
                request.fields.contains { $0.lowercased().hasPrefix("if-none-match") }
            }
            #expect(conditional.isEmpty, "the origin is asked for the whole")
            let members = try Program.run("unzip", ["-p", scratch.path("r.zip")]).text
            #expect(!members.contains("s3cret"))
            #expect(members.contains("[\"accept-language\",\"de\"]"))
            #expect(scratch.names.filter { $0.hasPrefix("r.zip") } == ["r.zip"])

            let load = try Program.run(
                Program.afcache,
                ["load", scratch.path("r.zip"), "--cache", scratch.path("store")]
            )
            #expect(load.status == 0, "\(load.errors)")
            let words = [
                "serve", "--cache", scratch.path("store"), "--port", "0", "--expired", "always", "--no-search",
            ]
            let server = try RunningProgram(Program.afcache, words)
            defer { _ = server.stop() }
            let line = try #require(try await server.firstLine())
            let proxy = String(line.dropFirst("serving at ".count))
            func ask(_ words: String...) throws -> String {
                try Program.run("curl", ["-s", "--noproxy", "", "--proxy", proxy, "-w", " %{http_code}"] + words).text
            }
            let count = origin.requests.count
            #expect(try ask(origin.base + "/") == "<title>Home</title> 200")
            #expect(try ask("-L", origin.base + "/old") == "a{} 200")
            #expect(try ask(origin.base + "/gone") == "gone 404")
            let json = ["-H", "Content-Type: application/json"]
            #expect(try ask(origin.base + "/api", "-d", "{\"q\":1}", json[0], json[1]) == "{\"ok\":1} 200")
            #expect(try ask(origin.base + "/api", "-d", "{\"q\":2}", json[0], json[1]).hasSuffix(" 405"))
            #expect(try ask(origin.base + "/api", "-X", "DELETE").hasSuffix(" 405"))
            #expect(origin.requests.count == count, "the origin isn't asked again")
        }
    }

    @Test func `a part of a body is sent, and the whole is recorded`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let script = "curl -s -r 2-4 -w ' %{http_code}\\n' $0/part && curl -s -r 0-0 -w ' %{http_code}\\n' $0/part"
            let result = try record(script, origin, scratch)
            #expect(result.text == "234 206\n0 206\n", "\(result.errors)")
            #expect(result.status == 0, "\(result.errors)")
            let asked = origin.requests.map { request in
                request.fields.contains { $0.lowercased().hasPrefix("range:") }
            }
            #expect(asked == [false, true], "the whole is requested once")
            #expect(try Program.run("unzip", ["-p", scratch.path("r.zip"), "127*/part"]).text == "0123456789")
        }
    }

    @Test func `a coded body is passed on as it is, and recorded without its coding`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let result = try record("curl -s --compressed $0/gzip && curl -s $0/gzip | wc -c", origin, scratch)
            #expect(result.text.filter { $0 != " " } == "hello25\n", "\(result.errors)")
            #expect(try Program.run("unzip", ["-p", scratch.path("r.zip"), "127*/gzip"]).text == "hello")
        }
    }

    /// `brotli` and `zstd` made these of '<title>coded</title><img src=/i.png>'.
    private static let unasked = [
        ("br", "oRgBAGOkqv3lC1la8fiAQw7Yv13COKO6YemgKNiCP2brpgQ="),
        ("zstd", "KLUv/SQkIQEAPHRpdGxlPmNvZGVkPC90aXRsZT48aW1nIHNyYz0vaS5wbmc+sDSY6A=="),
    ]

    @Test(arguments: unasked)
    func `a coding that nobody asked for is passed on, and recorded decoded`(coding: String, base64: String)
        async throws
    {
        let bytes = Array(try #require(Data(base64Encoded: base64)))
        let fields = [("Content-Type", "text/html"), ("Content-Encoding", coding)]
        // The second one is cut off within the coding.
        let routes = [
            "/page": [TestOrigin.Answer(200, fields, body: bytes)],
            "/cut": [TestOrigin.Answer(200, fields, body: Array(bytes.dropLast(6)))],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let file = scratch.path("body")
            let result = try record("curl -s $0/page -o \(file) && curl -s $0/cut | wc -c", origin, scratch)
            #expect(result.status == 5, "\(result.errors)")
            #expect(try scratch.read("body") == bytes)
            #expect(result.text.filter { $0 != " " } == "\(bytes.count - 6)\n")
            #expect(try manifest(scratch, origin) == ["/page"])
            let text = "<title>coded</title><img src=/i.png>"
            #expect(try Program.run("unzip", ["-p", scratch.path("r.zip"), "127*/page*"]).text == text)
            let words = ["get", origin.base + "/page", "--package", scratch.path("r.zip")]
            let get = try Program.run(Program.afcache, words)
            #expect(get.text == text, "\(get.errors)")
        }
    }

    @Test func `of several answers, the one that was asked for is kept`() async throws {
        for (keep, expected) in [("last", "two"), ("first", "one")] {
            try await TestOrigin.withOrigin(Self.routes) { origin in
                let scratch = try Scratch()
                let script = "curl -s $0/turns; curl -s $0/turns"
                let result = try record(script, origin, scratch, ["--keep", keep])
                #expect(result.text == "onetwo")
                #expect(try Program.run("unzip", ["-p", scratch.path("r.zip"), "127*/turns"]).text == expected)
            }
        }
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let result = try record("curl -s $0/turns; curl -s $0/turns", origin, scratch, ["--keep", "fail"])
            #expect(result.status == 6)
            #expect(result.errors.contains("error: 1 URL had different responses, so no package was written"))
            #expect(result.errors.contains("different responses: \(origin.base)/turns"))
            #expect(!scratch.names.contains("r.zip"))
        }
    }

    @Test func `preferences of a recorded robots.txt are recorded with the other answers`() async throws {
        var routes = Self.routes
        routes["/robots.txt"] = [.text("User-agent: *\nContent-Usage: train-ai=n\n")]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let result = try record("curl -s $0/api $0/robots.txt $0/ >&2", origin, scratch)
            #expect(result.status == 0, "\(result.errors)")
            let info = try Program.run(Program.afcache, ["info", scratch.path("r.zip")]).text
            #expect(info.contains("train-ai"), "\(info)")
        }
    }

    @Test func `why nothing was recorded is said for each URL`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let script = "curl -s http://nowhere.invalid/; curl -s $0/events; true"
            let result = try record(script, origin, scratch)
            #expect(result.status == 6, "\(result.status)")
            let line = "  http://nowhere.invalid/: the host name does not exist\n"
            #expect(result.errors.contains(line), "\(result.errors)")
            #expect(result.errors.contains("no package was written; the lines above say why"), "\(result.errors)")
        }
    }

    @Test func `answers that change are replayed in their order, also to other methods`() async throws {
        func text(_ text: String) -> TestOrigin.Answer { .text(text + " ") }
        let routes = [
            "/job": [text("queued"), text("queued"), text("done"), text("queued"), .redirect("/other"), text("gone")],
            "/job?id=1": [text("one"), text("two")],
            "/api": [text("a"), text("b"), text("b"), text("c")],
            "/part": [text("whole"), text("other")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let script = """
                for turn in 1 2 3 4 5 6 7; do curl -s $0/job -w '%{http_code}, '; done
                curl -s "$0/job?id=1" "$0/job?id=1" "$0/job?id=1"
                for turn in 1 2 3 4 5; do curl -s -d x=1 $0/api; done
                curl -s -r 0-1 $0/part; curl -s $0/part $0/part
                """
            let recorded = try record(script, origin, scratch, ["--keep", "all", "--post"])
            #expect(recorded.status == 0, "\(recorded.errors)")
            #expect(
                recorded.text == "queued 200, queued 200, done 200, queued 200, 301, gone 200, gone 200, "
                    + "one two two a b b c c whother other "
            )
            let numbers = try manifest(scratch, origin).filter { $0.contains("__afc_answer") }.sorted()
            #expect(
                numbers == [
                    "/api?__wb_method=POST&x=1&__afc_answer=2", "/api?__wb_method=POST&x=1&__afc_answer=4",
                    "/job?__afc_answer=3", "/job?__afc_answer=4", "/job?__afc_answer=5", "/job?__afc_answer=6",
                    "/job?id=1&__afc_answer=2", "/part?__afc_answer=2",
                ]
            )
            for options in [[], ["--match", "loose"]] {
                let words = ["replay"] + options + [scratch.path("r.zip"), "--", "sh", "-c", script, origin.base]
                let replayed = try Program.run(Program.afcache, words)
                #expect(replayed.status == 0 && replayed.text == recorded.text, "\(replayed.text) \(replayed.errors)")
            }
        }
    }

    @Test func `what isn't recorded is listed, and a lost body has an exit code`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let script = "curl -s $0/; curl -s $0/events; curl -s -d x $0/api; curl -s $0/cut; true"
            let result = try record(script, origin, scratch, ["--exclude", "*/nothing"])
            #expect(result.status == 5, "\(result.errors)")
            #expect(result.errors.contains("not recorded: 1 event stream\n  \(origin.base)/events\n"))
            #expect(
                result.errors.contains("not recorded: 1 request with another method than GET; '--post' records them\n")
            )
            #expect(result.errors.contains("not recorded: 1 response that ended early\n  \(origin.base)/cut\n"))
            #expect(try manifest(scratch, origin) == ["/"])
            let excluded = try record("curl -s $0/; curl -s $0/a.css", origin, scratch, ["--exclude", "*.css"])
            #expect(excluded.status == 0)
            #expect(try manifest(scratch, origin) == ["/"])
        }
    }

    @Test func `the exit code is the program's, unless there is nothing to pack or no program`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            #expect(try record("curl -s $0/; exit 42", origin, scratch).status == 42)
            #expect(try record("kill -TERM $$", origin, scratch).status == 143)
            let nothing = try record("true", origin, scratch)
            #expect(nothing.status == 6)
            #expect(nothing.errors.contains("error: nothing was recorded, so no package was written"))
            #expect(try manifest(scratch, origin) == ["/"], "the older package stays")
            let missing = try Program.run(
                Program.afcache,
                ["record", "-o", scratch.path("m.zip"), "--", scratch.path("none")]
            )
            #expect(missing.status == 11)
            #expect(missing.errors.contains("cannot run '\(scratch.path("none"))': No such file or directory"))
            #expect(!scratch.names.contains { $0.hasPrefix("m.zip") })
            #expect(try Program.run(Program.afcache, ["record", "-o", scratch.path("m.zip")]).status == 64)
        }
    }

    @Test func `https is recorded over HTTP/2 and in tunnels, and programs trust the certificates`() async throws {
        try await TestOrigin.withSecureOrigin(Self.routes, host: "127.0.0.1") { origin, authority in
            let scratch = try Scratch()
            let file = try scratch.write(Array(authority.utf8), to: "origin.pem")
            let script = """
                curl -sf $0/ -w ' %{http_version}' && curl -sf --http1.1 $0/a.css
                python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1] + "/api").read().decode())' $0
                """
            let result = try record(script, origin, scratch, ["--cacert", file])
            #expect(result.text == "<title>Home</title> 2a{}{\"ok\":1}\n", "\(result.errors)")
            #expect(result.status == 0)
            #expect(try manifest(scratch, origin) == ["/", "/a.css", "/api"])
        }
        try await TestOrigin.withOrigin(Self.routes) { origin in
            // Browsers tunnel WebSockets whose URL begins with ws: in this way.
            let scratch = try Scratch()
            let result = try record("curl -sf --proxytunnel $0/a.css", origin, scratch)
            #expect(result.text == "a{}", "\(result.errors)")
            #expect(try manifest(scratch, origin) == ["/a.css"])
        }
    }

    @Test func `what pages need besides is fetched, and nothing that was recorded is replaced`() async throws {
        let page =
            "<link rel=stylesheet href=a.css><img src=logo srcset='large 2x'><script src=gone></script><a href=next>next</a>"
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html(page)], "/a.css": [.text("one", type: "text/css"), .text("two", type: "text/css")],
            "/logo": [.text("small", type: "image/png")], "/large": [.text("large", type: "image/png")],
            "/next": [.html("next")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let result = try record("curl -s $0/ $0/a.css", origin, scratch, ["--complete"])
            #expect(result.status == 5, "\(result.errors)")
            #expect(result.errors.contains("added 2 responses that pages need\n"))
            #expect(
                result.errors.contains(
                    "not recorded: 1 URL that pages need and that couldn't be fetched\n  \(origin.base)/gone\n"
                )
            )
            #expect(try manifest(scratch, origin) == ["/", "/a.css", "/large", "/logo"])
            #expect(try Program.run("unzip", ["-p", scratch.path("r.zip"), "127*/a.css"]).text == "one")
            #expect(origin.count(of: "/") == 1)
        }
    }

    @Test func `the same exchanges give the same bytes`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let environment = ["SOURCE_DATE_EPOCH": "1700000000"]
            let scripts = ["curl -s $0/ $0/a.css $0/old", "curl -s $0/a.css $0/old $0/"]
            let packages = try scripts.map { script in
                #expect(try record(script, origin, scratch, environment: environment).status == 0)
                return try scratch.read("r.zip")
            }
            #expect(packages[0] == packages[1])
        }
    }

    /// Runs a shell script under `record`, and kills both when the state on the disk has a text.
    private func recordAndKill(
        _ script: String,
        _ origin: TestOrigin,
        _ scratch: Scratch,
        _ options: [String] = [],
        once text: String
    ) throws {
        let words = ["record", "-o", scratch.path("r.zip")] + options + ["--", "sh", "-c", script, origin.base]
        let killed = try RunningProgram(Program.afcache, words)
        try killed.wait(until: "the state is written") {
            let files = ["r.zip.crawl", "r.zip.crawl-wal"].flatMap { (try? scratch.read($0)) ?? [] }
            return Data(files).range(of: Data(text.utf8)) != nil
        }
        let child = try Program.run("pgrep", ["-P", String(killed.pid)]).text
        #expect(killed.stop(SIGKILL) == -SIGKILL)
        kill(try #require(pid_t(child.split(separator: "\n").first ?? "")), SIGKILL)
    }

    @Test func `a killed recording of answers that change continues with those of the next run`() async throws {
        let routes = ["/x": ["a", "b", "b", "c", "c", "d"].map { TestOrigin.Answer.text($0) }]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let (script, options) = ("curl -s $0/x $0/x $0/x", ["--keep", "all"])
            try recordAndKill(script + "; exec sleep 100", origin, scratch, options, once: "/x?__afc_answer=3")
            let result = try record(script, origin, scratch, options)
            #expect(result.text == "ccd" && result.errors.contains("resuming"), "\(result.text) \(result.errors)")
            #expect(try manifest(scratch, origin).sorted() == ["/x", "/x?__afc_answer=3"])
        }
    }

    @Test func `a killed recording continues, and discards what it had if asked to`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            for options in [[], ["--restart"]] {
                let scratch = try Scratch()
                try recordAndKill("curl -s $0/; exec sleep 100", origin, scratch, once: "\(origin.base)/")
                let other = try Program.run(Program.afcache, ["pack", origin.base, "-o", scratch.path("r.zip")])
                #expect(other.status == 64, "a crawl doesn't continue it")
                let result = try record("curl -s $0/a.css", origin, scratch, options)
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.contains("resuming an interrupted recording") == options.isEmpty)
                #expect(try manifest(scratch, origin) == (options.isEmpty ? ["/", "/a.css"] : ["/a.css"]))
                #expect(scratch.names == ["r.zip"])
            }
        }
    }

    @Test func `a proxy for other devices shows its certificate, and refuses private addresses`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            for (options, expected) in [([], "403"), (["--allow-private"], "200")] {
                let recorder = try RunningProgram(
                    Program.afcache,
                    ["record", "-o", scratch.path("r.zip"), "--listen", "127.0.0.1", "--port", "0"] + options
                )
                let line = try #require(try await recorder.firstLine())
                let address = try #require(line.split(separator: ";").first?.dropFirst("recording at ".count))
                let base = ["-s", "--noproxy", ""]
                #expect(try Program.run("curl", base + ["\(address)ca.pem"]).text.hasPrefix("-----BEGIN CERTIFICATE-"))
                #expect(
                    try Program.run("curl", base + ["\(address)"]).text.contains("as the HTTP proxy of your device")
                )
                let words = [
                    "--proxy", "\(address)", "-o", scratch.path("out"), "-w", "%{http_code}", origin.base + "/",
                ]
                #expect(try Program.run("curl", base + words).text == expected)
                #expect(recorder.stop() == (options.isEmpty ? 6 : 0))
            }
            #expect(try manifest(scratch, origin) == ["/"])
        }
    }
}
