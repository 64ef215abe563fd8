import Foundation
import TestOrigin
import TestSupport
import Testing

/// `afcache pack --render`: what only a browser finds.
@Suite(.serialized)
struct RenderTests {
    private func pack(
        _ origin: TestOrigin,
        _ scratch: Scratch,
        _ options: [String] = [],
        render: Bool = true
    ) throws -> ProgramResult {
        let words = ["pack", origin.base + "/", "-o", scratch.path("p.zip")] + (render ? ["--render"] : []) + options
        return try Program.run(Program.afcache, words, environment: ["SOURCE_DATE_EPOCH": "1700000000"])
    }

    private func targets(_ scratch: Scratch, _ origin: TestOrigin) throws -> [String] {
        let records = try Program.run("unzip", ["-p", scratch.path("p.zip"), ".afcache/resources.jsonl"]).text
        return records.split(separator: "\n").compactMap { line in
            line.split(separator: "\"").dropFirst(3).first.map { String($0.dropFirst(origin.base.count)) }
        }
    }

    private static let site: [String: [TestOrigin.Answer]] = [
        "/": [
            .html("<title>Shop</title><details><p id=more></details><input type=search><script src=app.js></script>")
        ],
        "/app.js": [
            .text(
                """
                const from = (...parts) => '/' + parts.join('/');
                (async () => {
                    const items = await (await fetch(from('api', 'items'))).json();
                    for (const item of items) {
                        const link = document.createElement('a');
                        link.href = from('item', item);
                        document.body.append(link);
                    }
                    document.querySelector('details').ontoggle = () => fetch(from('opened'));
                    document.querySelector('input').oninput = event => fetch(from('find', event.target.value));
                    new IntersectionObserver(() => fetch(from('seen'))).observe(document.getElementById('more'));
                    setTimeout(() => fetch(from('late', Math.floor(Math.random() * 1e6), new Date().getFullYear())), 4000);
                })();
                """,
                type: "text/javascript"
            )
        ],
        "/api/items": [.text("[1,2]", type: "application/json")],
        "/item/1": [.html("<title>One</title><script>fetch('/api/' + 'item' + 1)</script>")],
        "/item/2": [.html("<title>Two</title><a href=/item/1>one</a>")], "/api/item1": [.text("1")],
        "/opened": [.text("opened")], "/find/a": [.text("a")], "/seen": [.text("seen")],
    ]

    @Test func `what only scripts know is found, and twice the same`() async throws {
        try await TestOrigin.withOrigin(Self.site) { origin in
            let scratch = try Scratch()
            #expect(try pack(origin, scratch, render: false).status == 0)
            #expect(try targets(scratch, origin) == ["/", "/app.js"])
            var packages: [[UInt8]] = []
            for _ in 0..<2 {
                let result = try pack(origin, scratch)
                // The late request isn't answered, and what a page needs counts.
                #expect(result.status == 5, "\(result.errors)")
                #expect(result.errors.contains("/late/"), "\(result.errors)")
                packages.append(try scratch.read("p.zip"))
            }
            #expect(packages[0] == packages[1])
            let expected = [
                "/", "/api/item1", "/api/items", "/app.js", "/find/a", "/item/1", "/item/2", "/opened", "/seen",
            ]
            #expect(try targets(scratch, origin) == expected)
            #expect(scratch.names == ["p.zip"])
        }
    }

    /// Three kinds: pages that all load the same, pages of which each loads something else, and one with its own script.
    @Test func `of each kind of page, some are opened, or all if these need something of their own`() async throws {
        var routes: [String: [TestOrigin.Answer]] = [
            "/same.js": [.text("fetch('/sha' + 'red')", type: "text/javascript")],
            "/other.js": [.text("fetch('/da' + 'ta' + location.pathname)", type: "text/javascript")],
            "/own.js": [.text("fetch('/al' + 'one')", type: "text/javascript")],
            "/z": [.html("<title>z</title><script src=own.js></script>")], "/shared": [.text("1")],
            "/alone": [.text("2")],
        ]
        var links = "<a href=/z>z</a>"
        for number in 1...6 {
            for (name, script) in [("a", "same"), ("b", "other")] {
                routes["/\(name)\(number)"] = [.html("<title>\(number)</title><script src=\(script).js></script>")]
                links += "<a href=/\(name)\(number)>\(number)</a>"
            }
            routes["/data/b\(number)"] = [.text("\(number)")]
        }
        routes["/"] = [.html("<title>start</title>" + links)]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let result = try pack(origin, scratch, ["--render-auto"], render: false)
            #expect(result.status == 0, "\(result.errors)")
            let found = try targets(scratch, origin)
            #expect(found.filter { $0.hasPrefix("/data/") } == (1...6).map { "/data/b\($0)" })
            #expect(found.contains("/shared") && found.contains("/alone"))
            // Those that lacked something are opened again with it: two of the start's, three, six and one, and again.
            #expect(result.errors.contains("opened 21 pages in a browser"), "\(result.errors)")
            #expect(try pack(origin, scratch).errors.contains("opened 27 pages in a browser"))
        }
    }

    /// A chain of things that each script loads needs as many openings.
    @Test func `what a page needs is found step by step`() async throws {
        var routes: [String: [TestOrigin.Answer]] = [
            "/": [
                .html(
                    "<title>t</title><script>load = n => fetch('/st' + 'ep' + n).then(a => a.ok && a.text())"
                        + ".then(t => t && load(+t))\nload(1)</script>"
                )
            ]
        ]
        for number in 1...12 { routes["/step\(number)"] = [.text(number < 12 ? "\(number + 1)" : "")] }
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            #expect(try pack(origin, scratch).status == 0)
            #expect(try targets(scratch, origin).count == 13)
        }
    }

    /// What is typed into a search may be a part of the page's address, and of its links.
    @Test func `a search leaves no traces in links`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [
                .html(
                    """
                    <title>t</title><input type=search><a href="#part">part</a><div></div><script>
                    document.querySelector('input').oninput = event => {
                        history.replaceState(null, '', '?search=' + event.target.value);
                        fetch('/in' + 'dex');
                        document.querySelector('div').innerHTML = '<a href="?highlight=a">found</a>';
                    }</script>
                    """
                )
            ],
            "/?search=a": [.html("a")], "/?highlight=a": [.html("b")], "/index": [.text("1")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            #expect(try pack(origin, scratch).status == 0)
            #expect(try targets(scratch, origin) == ["/", "/index"])
        }
    }

    @Test func `a page that hangs is reported, and the others are read`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<a href=a>a</a><a href=b>b</a><a href=c>c</a>")],
            "/a": [.html("<script>fetch('/be' + 'fore'); setTimeout(() => { while (true); }, 100)</script>")],
            "/b": [.html("<script>alert(1); open('/w'); location = '/el' + 'se'; fetch('/af' + 'ter')</script>")],
            "/c": [.html("<script>for (let n = 0; n < 6000; n++) fetch('/n' + n, {method: 'POST'})</script>")],
            "/before": [.text("1")], "/after": [.text("2")], "/else": [.html("else")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let result = try pack(origin, scratch, ["--render-timeout", "8s"])
            #expect(result.status == 5, "\(result.errors)")
            let incomplete = result.errors.split(separator: "\n").filter { $0.hasPrefix("incomplete: ") }
            // On a slow machine, the time of /c is over before it has made too many requests.
            #expect(incomplete.count == 2 && incomplete.contains { $0.hasPrefix("incomplete: \(origin.base)/c: ") })
            let words = "the time for it in the browser was over; what it requested until then counts"
            #expect(incomplete.contains("incomplete: \(origin.base)/a: \(words)"), "\(result.errors)")
            #expect(try targets(scratch, origin) == ["/", "/a", "/after", "/b", "/before", "/c", "/else"])
            #expect(!origin.targets.contains { $0.hasPrefix("/n") || $0 == "/w" })
        }
    }

    @Test func `a stopped crawl ends its browser, even if a page hangs`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<script>fetch('/be' + 'gun'); setTimeout(() => { while (true); }, 100)</script>")]
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let words = ["pack", origin.base + "/", "-o", scratch.path("p.zip"), "--render"]
            let crawl = try RunningProgram(Program.afcache, words)
            // The browser's folder is in the one for temporary files, unless that has a long name.
            let own = FileManager.default.temporaryDirectory.path
            let temporary = own.utf8.count <= 24 ? own : "/tmp"
            func profiles() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: temporary).filter {
                    $0.hasPrefix(".b.\(crawl.pid).")
                }
            }
            try crawl.wait(until: "the browser runs") {
                try profiles().contains { FileManager.default.fileExists(atPath: "\(temporary)/\($0)/data") }
            }
            let browser = try #require(pid_t(try Program.run("pgrep", ["-P", "\(crawl.pid)"]).text.dropLast()))
            #expect(crawl.stop(SIGINT) == 130, "\(crawl.errors)")
            #expect(scratch.names == ["p.zip.bodies", "p.zip.crawl"])
            #expect(try profiles().isEmpty)
            // The browser was waited for; the system waits for its killed children when it gets to it.
            try await waitUntil("no process of the browser's group is left") {
                kill(-browser, 0) != 0 && errno == ESRCH
            }
        }
    }

    @Test func `the browser sends nothing itself`() async throws {
        try await TestOrigin.withOrigin([:]) { other in
            let page = """
                <script>
                fetch('\(other.base)/post', {method: 'POST', mode: 'no-cors'}).catch(() => {});
                new WebSocket('\(other.base.replacingOccurrences(of: "http", with: "ws"))/socket');
                new EventSource('\(other.base)/events');
                navigator.sendBeacon('\(other.base)/beacon', 'x');
                fetch('/fou' + 'nd');
                </script><link rel=preconnect href='\(other.base)'><link rel=dns-prefetch href='//docs.example'>
                """
            try await TestOrigin.withOrigin(["/": [.html(page)], "/found": [.text("1")]]) { origin in
                let scratch = try Scratch()
                let result = try pack(origin, scratch, ["--scope", "prefix", "--exclude", other.base + "/*"])
                #expect(result.status == 0, "\(result.errors)")
                #expect(try targets(scratch, origin) == ["/", "/found"], "the page ran")
                #expect(other.connections == 0)
                #expect(origin.requests.allSatisfy { $0.fields.contains { $0.lowercased().contains("afcache") } })
            }
        }
    }

    @Test func `a script of the user's runs in each page`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<button onclick=\"fetch('/clic' + 'ked')\">x</button>")], "/clicked": [.text("1")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let scratch = try Scratch()
            let script = try scratch.write(Array("document.querySelector('button').click()".utf8), to: "b.js")
            let result = try pack(origin, scratch, ["--behavior", script])
            #expect(result.status == 0, "\(result.errors)")
            #expect(try targets(scratch, origin) == ["/", "/clicked"])
        }
    }

    @Test func `a browser that can't be used is an error that names it, before anything is fetched`() async throws {
        try await TestOrigin.withOrigin(Self.site) { origin in
            let scratch = try Scratch()
            let missing = try pack(origin, scratch, ["--browser", scratch.path("none")])
            #expect(missing.status == 11)
            #expect(
                missing.errors.contains("'\(scratch.path("none"))' is not a program that can be run; name Chromium")
            )
            let unknown = try pack(origin, scratch, ["--browser", "no-such-browser"])
            #expect(unknown.status == 11)
            #expect(unknown.errors.contains("there is no browser 'no-such-browser' on this machine; install Chromium"))
            #expect(origin.requests.isEmpty)
            let other = try pack(origin, scratch, ["--browser", "true"])
            #expect(other.status == 11)
            #expect(other.errors.contains("it ended as soon as it was started"), "\(other.errors)")
            #expect(!scratch.names.contains("p.zip"))
        }
    }
}
