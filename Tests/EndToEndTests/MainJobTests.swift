import Foundation
import TestSupport
import Testing

/// The built program, from a folder of files to a browser without a network.
struct MainJobTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let site = root + "/Fixtures/sites/demo"

    static func afcache(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, environment: environment)
    }

    static func packDemo(_ scratch: Scratch, _ name: String = "demo.zip", environment: [String: String] = [:]) throws {
        let result = try afcache(
            "pack",
            "--folder",
            site,
            "--base-url",
            "http://demo.example",
            "--url-map",
            root + "/Fixtures/sites/demo.urls.json",
            "--last-modified",
            "file",
            "-o",
            scratch.path(name),
            environment: environment
        )
        #expect(result.status == 0, "\(result.errors)")
    }

    static func withServer(
        _ store: String,
        _ body: (String) async throws -> Void
    ) async throws {
        let server = try RunningProgram(Program.afcache, ["serve", "--cache", store, "--port", "0"])
        let line = try await server.firstLine()
        do {
            let address = try #require(line).dropFirst("serving at http://".count).dropLast()
            try await body(String(address))
        } catch {
            _ = server.stop()
            throw error
        }
        #expect(server.stop() == 0)
    }

    @Test func `a folder is packed, linted, loaded, and served in four forms`() async throws {
        let scratch = try Scratch()
        try Self.packDemo(scratch)
        #expect(try Self.afcache("lint", "--fail-on", "warning", scratch.path("demo.zip")).status == 0)
        #expect(try Program.run("unzip", ["-tq", scratch.path("demo.zip")]).status == 0)
        let load = try Self.afcache("load", scratch.path("demo.zip"), "--cache", scratch.path("store"))
        #expect(load.status == 0)
        #expect(load.text.hasPrefix("loaded 'demo.example': 11 resources, "))
        let page = Array(try Data(contentsOf: URL(fileURLWithPath: Self.site + "/guide/index.html")))
        let got = try Self.afcache("get", "http://demo.example/guide/", "--cache", scratch.path("store"))
        #expect(got.output == page)
        #expect(got.status == 0, "nothing states how long it is fresh")
        try await Self.withServer(scratch.path("store")) { address in
            let port = address.split(separator: ":").last.map(String.init) ?? ""
            let forms = [
                ["--proxy", "http://\(address)", "http://demo.example/guide/"],
                ["-H", "Host: demo.example", "http://\(address)/guide/"],
                [
                    "--resolve", "demo.example.localhost:\(port):127.0.0.1",
                    "http://demo.example.localhost:\(port)/guide/",
                ],
            ]
            for form in forms {
                let result = try Program.run("curl", ["-sf"] + form)
                #expect(result.output == page, "\(form)")
            }
            let miss = try Program.run(
                "curl",
                ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://\(address)/demo.example/no"]
            )
            #expect(miss.text == "504")
            let byPath = try Program.run("curl", ["-sf", "http://\(address)/demo.example/guide/"])
            let replaced = String(decoding: page, as: UTF8.self)
                .replacing("href=\"/\"", with: "href=\"/demo.example/\"")
            #expect(byPath.text == replaced && replaced.utf8.count > page.count)
            let part = try Program.run(
                "curl",
                ["-s", "-r", "0-9", "-H", "Host: demo.example", "http://\(address)/guide/"]
            )
            #expect(part.output == Array(page.prefix(10)))
        }
    }

    @Test func `exit codes distinguish fresh, stale, refused and missing`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a.txt")
        let pack = try Self.afcache(
            "pack",
            "--folder",
            scratch.path("in"),
            "--base-url",
            "http://d.example",
            "--max-age",
            "3600",
            "-o",
            scratch.path("a.zip")
        )
        #expect(pack.status == 0)
        #expect(try Self.afcache("load", scratch.path("a.zip"), "--cache", scratch.path("store")).status == 0)
        func get(_ arguments: String...) throws -> Int32 {
            try Program.run(Program.afcache, ["get", "--cache", scratch.path("store")] + arguments).status
        }
        #expect(try get("http://d.example/a.txt") == 0)
        #expect(try get("http://d.example/a.txt", "--at", "2090-01-01") == 2)
        #expect(try get("http://d.example/a.txt", "--at", "2090-01-01", "--fresh-only") == 4)
        #expect(try get("http://d.example/b.txt") == 3)
        #expect(try get("not a url") == 64)
        #expect(try Self.afcache("get", "http://d.example/", "--cache", scratch.path("none")).status == 12)
        #expect(try Self.afcache("load", scratch.path("none.zip"), "--cache", scratch.path("store")).status == 11)
        try scratch.write(Array("PK no".utf8), to: "bad.zip")
        let bad = try Self.afcache("load", scratch.path("bad.zip"), "--cache", scratch.path("store"))
        #expect(bad.status == 10)
        #expect(bad.errors.hasPrefix("error: cannot load '"))
        #expect(bad.output.isEmpty)
        #expect(try Self.afcache("lint", scratch.path("bad.zip")).status == 1)
        #expect(try get("http://d.example/a.txt") == 0)
    }

    @Test func `two packs of one site are identical in any time zone`() throws {
        let scratch = try Scratch()
        try Self.packDemo(scratch, "one.zip", environment: ["SOURCE_DATE_EPOCH": "1700000000", "TZ": "Asia/Tokyo"])
        try Self.packDemo(scratch, "two.zip", environment: ["SOURCE_DATE_EPOCH": "1700000000", "TZ": "America/Lima"])
        #expect(try scratch.read("one.zip") == scratch.read("two.zip"))
    }

    @Test func `a load that is killed at any moment leaves the old state or the new one`() async throws {
        let scratch = try Scratch()
        let count = 400
        for version in ["old", "new"] {
            for index in 0..<count {
                try scratch.write(
                    Array(String(repeating: "\(version) \(index) ", count: 600).utf8),
                    to: "\(version)/p\(index).txt"
                )
            }
            let result = try Self.afcache(
                "pack",
                "--folder",
                scratch.path(version),
                "--base-url",
                "http://d.example",
                "-o",
                scratch.path("\(version).zip")
            )
            #expect(result.status == 0)
        }
        let load = { (version: String) in
            ["load", scratch.path("\(version).zip"), "--cache", scratch.path("store"), "--name", "p"]
        }
        let began = ContinuousClock.now
        #expect(try Program.run(Program.afcache, load("old")).status == 0)
        let whole = ContinuousClock.now - began
        var current = "old"
        for attempt in 0..<30 {
            let next = current == "old" ? "new" : "old"
            let program = try RunningProgram(Program.afcache, load(next))
            // Another moment each time, from the start to some time after the end.
            try await Task.sleep(for: whole * Double(attempt % 15) / 12)
            _ = program.stop(SIGKILL)
            var versions: Set<String> = []
            for index in [0, 17, count - 1] {
                let result = try Self.afcache("get", "http://d.example/p\(index).txt", "--cache", scratch.path("store"))
                #expect(result.status == 0, "\(result.errors)")
                versions.insert(String(result.text.prefix(3)))
            }
            #expect(versions.count == 1, "attempt \(attempt): \(versions)")
            current = versions.first ?? current
        }
        #expect(try Program.run(Program.afcache, load("new")).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/staging")).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("store/packages")).count == 2)
    }

    @Test func `a browser shows a served page with its style and image, and follows a link`() async throws {
        let scratch = try Scratch()
        let page = """
            <!DOCTYPE html><title>t</title><link rel="stylesheet" href="/css/s.css"><img id="i" src="/lamp.svg"><p id="p">text</p>
            <a id="a" href="next.html">next</a><script>
            onload = () => { document.body.dataset.seen = getComputedStyle(document.getElementById("p")).color + " "
              + document.getElementById("i").naturalWidth + " " + document.getElementById("a").href }
            </script>
            """
        try scratch.write(Array(page.utf8), to: "in/index.html")
        try scratch.write(Array("<!DOCTYPE html><title>next</title><p>the second page</p>".utf8), to: "in/next.html")
        try scratch.write(Array("@import 'i.css';".utf8), to: "in/css/s.css")
        try scratch.write(Array("p { color: rgb(1, 2, 3) }".utf8), to: "in/css/i.css")
        let lamp = try Data(contentsOf: URL(fileURLWithPath: Self.site + "/img/lamp.svg"))
        try scratch.write(Array(lamp), to: "in/lamp.svg")
        let pack = try Self.afcache(
            "pack",
            "--folder",
            scratch.path("in"),
            "--base-url",
            "http://d.example",
            "-o",
            scratch.path("d.zip")
        )
        #expect(pack.status == 0)
        #expect(try Self.afcache("load", scratch.path("d.zip"), "--cache", scratch.path("store")).status == 0)
        try await Self.withServer(scratch.path("store")) { address in
            let port = address.split(separator: ":").last.map(String.init) ?? ""
            let first = try Self.dom("http://d-example---80.localhost:\(port)/index.html", scratch)
            let expected = "data-seen=\"rgb(1, 2, 3) 150 http://d-example---80.localhost:\(port)/next.html\""
            #expect(first.contains(expected), "\(first)")
            let second = try Self.dom("http://d-example---80.localhost:\(port)/next.html", scratch)
            #expect(second.contains("the second page"))
        }
    }

    private static func dom(_ url: String, _ scratch: Scratch) throws -> String {
        let result = try Program.run(
            "chromium",
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-default-apps",
                "--user-data-dir=\(scratch.path("profile"))",
                "--virtual-time-budget=3000", "--dump-dom", url,
            ]
        )
        return result.text
    }
}
