import Foundation
import TestOrigin
import TestSupport
import Testing

/// Chromium with the proxy and the local authority, imported as docs/reference/authority.md says.
@Suite(.serialized, .fewAtOnce)
struct ChromiumTests {
    /// A page that writes down what of it has loaded.
    static let page = """
        <!DOCTYPE html><title>t</title><link rel="stylesheet" href="/css/s.css"><img id="i" src="/lamp.svg"><p id="p">text</p>
        <script src="/s.js"></script><script>
        onload = () => { document.body.dataset.seen = getComputedStyle(document.getElementById("p")).color + " "
          + document.getElementById("i").naturalWidth + " " + window.loaded + " " + isSecureContext }
        </script>
        """
    static let style = "p { color: rgb(1, 2, 3) }"
    static let script = "window.loaded = 'script'"
    static let lamp = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"150\" height=\"20\"></svg>"
    static let seen = "data-seen=\"rgb(1, 2, 3) 150 script true\""

    /// Makes the user's certificate store, in a home of its own, and imports the authority.
    private func makeHome(_ scratch: Scratch, authority: String) async throws {
        let base = scratch.path("home/.pki/nssdb")
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        for arguments in [["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "afcache", "-i", authority]] {
            let result = try await Programs.run("certutil", ["-d", "sql:" + base] + arguments)
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    /// What a page's document is once it has loaded.
    private func dom(_ url: String, _ scratch: Scratch, through served: Served) async throws -> String {
        let arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-default-apps",
            // Nothing is looked up, and nothing but the proxy is asked, not even for localhost.
            "--proxy-server=\(served.base)", "--proxy-bypass-list=<-loopback>",
            "--user-data-dir=\(scratch.path("home/profile"))", "--disk-cache-size=1", "--timeout=60000", "--dump-dom",
            url,
        ]
        let environment = ["HOME": scratch.path("home")]
        var result = try await Programs.run("chromium", arguments, environment: environment)
        // Now and then a browser that makes its profile ends without having asked for anything.
        for _ in 0..<3 where result.output.isEmpty {
            result = try await Programs.run("chromium", arguments, environment: environment)
        }
        return result.text
    }

    @Test func `offline a page of https loads with style, image and script, and a missing one says so`() async throws {
        let scratch = try Scratch()
        let authority = try await Served.makeAuthority(scratch, hosts: "docs.example")
        try await makeHome(scratch, authority: authority)
        try scratch.write(Array(Self.page.utf8), to: "in/index.html")
        try scratch.write(Array(Self.style.utf8), to: "in/css/s.css")
        try scratch.write(Array(Self.script.utf8), to: "in/s.js")
        try scratch.write(Array(Self.lamp.utf8), to: "in/lamp.svg")
        try await Served.load(scratch, baseURL: "https://docs.example", "--max-age", "86400")
        try await Served.run(["--ca", scratch.path("ca")], in: scratch) { served in
            let page = try await dom("https://docs.example/index.html", scratch, through: served)
            #expect(page.contains(Self.seen), "\(page)")
            let missing = try await dom("https://docs.example/none.html", scratch, through: served)
            #expect(missing.contains("https://docs.example/none.html"), "\(missing)")
            #expect(missing.contains("package"), "the server's own page: \(missing)")
        }
    }

    /// A page that tries to stay in the browser, and asks for `/docs.example/report?…` or `/report?…` with what came of it.
    static let stayer = """
        <!DOCTYPE html><title>t</title><script src="sw.js"></script><script>
        const seen = []
        const note = async (name, action) => { try { seen.push(name + "-" + await action()) } catch (e) { seen.push(name + "-" + e.name) } }
        onload = async () => {
          await note("cookie", () => { document.cookie = "a=b"; return "kept" })
          await note("storage", () => { localStorage.a = 1; return "kept" })
          await note("worker", async () => {
            await navigator.serviceWorker.register("sw.js", { updateViaCache: "all" }); return "kept" })
          new Image().src = "report?" + seen.join("&")
        }
        </script>
        """

    /// What a browser without a proxy reports of a page.
    private func report(_ url: String, _ scratch: Scratch, log: String) async throws -> String {
        let browser = try RunningProgram(
            "chromium",
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--no-proxy-server",
                "--user-data-dir=\(scratch.path("home/profile"))", url,
            ],
            environment: ["HOME": scratch.path("home")]
        )
        defer { _ = browser.stop(SIGKILL) }
        let path = try await Blocking.run { () -> String in
            var found = ""
            try browser.wait(until: "the page has reported") {
                let text = String(decoding: (try? scratch.read(log)) ?? [], as: UTF8.self)
                found = text.split(separator: " ").first { $0.contains("report?") }.map(String.init) ?? ""
                return !found.isEmpty
            }
            return found
        }
        return String(path.drop { $0 != "?" }.dropFirst())
    }

    @Test func `a hostile package can't persist in a browser`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array(Self.stayer.utf8), to: "in/index.html")
        try scratch.write(Array("self.onfetch = null".utf8), to: "in/sw.js")
        try await Served.load(scratch, baseURL: "http://docs.example", "--max-age", "86400")
        for (number, isByPath) in [true, false].enumerated() {
            let log = "log\(number)"
            try await Served.run(["--access-log", scratch.path(log)], in: scratch) { served in
                let host = isByPath ? "localhost:\(served.port)/docs.example" : "docs.example.localhost:\(served.port)"
                let report = try await report("http://\(host)/index.html", scratch, log: log)
                // By path the page has an origin that nothing else has; below localhost it has that of its own name.
                let expected =
                    isByPath
                    ? "cookie-SecurityError&storage-SecurityError&worker-SecurityError"
                    : "cookie-kept&storage-kept&worker-TypeError"
                #expect(report == expected)
            }
        }
    }

    /// A page of another origin that tries to read the site beside which it is, and asks for `report?…` with what came of
    /// it.
    static let neighbor = """
        <!DOCTYPE html><title>t</title><iframe src="/"></iframe><script>
        const seen = [], site = location.origin + "/"
        const note = async (name, action) => { try { seen.push(name + "-" + await action()) } catch (e) { seen.push(name + "-" + e.name) } }
        onload = async () => {
          await note("fetch", async () => (await fetch(site)).status)
          await note("frame", () => document.querySelector("iframe").contentDocument.title)
          await note("cookie", () => document.cookie)
          await note("storage", () => localStorage.length)
          await note("worker", () => { new Worker(site + "s.js"); return "made" })
          new Image().src = "report?" + seen.join("&")
        }
        </script>
        """

    @Test func `a page beside the one site can't read the site`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/": [.html(Self.neighbor)]]) { other in
            let image = "<title>site</title><img src='\(other.base)/'><a href='\(other.base)/'>other</a>"
            try await TestOrigin.withOrigin(["/": [.html(image)]]) { site in
                let urls = [site.base + "/", other.base + "/"]
                let packed = ["pack"] + urls + ["-o", scratch.path("p.zip"), "--ignore-robots", "--quiet"]
                let loaded = ["load", scratch.path("p.zip"), "--cache", scratch.path("store"), "--quiet"]
                for command in [packed, loaded] {
                    let result = try await Programs.run(Program.afcache, command)
                    #expect(result.status == 0, "\(result.errors)")
                }
                let port = try #require(other.base.split(separator: ":").last)
                let options = ["--site", site.base + "/", "--access-log", scratch.path("log")]
                try await Served.run(options, in: scratch) { served in
                    let url = "\(served.base)/.afcache/at/127-0-0-1---\(port)/"
                    let report = try await report(url, scratch, log: "log")
                    let refused = ["cookie", "storage", "worker"].map { $0 + "-SecurityError" }
                    #expect(report == (["fetch-TypeError", "frame-TypeError"] + refused).joined(separator: "&"))
                }
            }
        }
    }

    @Test func `online a page is cached, and available when the origin is unreachable`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost")
        try await makeHome(scratch, authority: authority)
        let site = try Scratch()
        for (name, text) in [
            ("index.html", Self.page), ("css/s.css", Self.style), ("s.js", Self.script), ("lamp.svg", Self.lamp),
        ] { try site.write(Array(text.utf8), to: name) }
        let origin = try await PythonOrigin(identity, folder: site.path)
        defer { origin.stop() }
        let options = [
            "--forward-proxy", "--allow-private", "--ca", scratch.path("ca"), "--cacert", identity.certificate,
        ]
        try await Served.run(options, in: scratch) { served in
            let url = "https://localhost:\(origin.port)/index.html"
            let page = try await dom(url, scratch, through: served)
            #expect(page.contains(Self.seen), "\(page)")
            let asked = try origin.requests.map(\.line)
            #expect(asked.contains("GET /index.html HTTP/1.1"))
            #expect(asked.contains("GET /lamp.svg HTTP/1.1"))
            origin.stop()
            // A profile of its own, so that nothing is left in the browser's memory.
            try FileManager.default.removeItem(atPath: scratch.path("home/profile"))
            let again = try await dom(url, scratch, through: served)
            #expect(again.contains(Self.seen), "\(again)")
        }
    }
}
