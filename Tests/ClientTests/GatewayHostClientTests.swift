import Foundation
import TestSupport
import Testing

/// A page whose name an attacker points at this machine (DNS rebinding) reaches nothing behind a gateway.
@Suite(.fewAtOnce)
struct GatewayHostClientTests {
    @Test func `a gateway answers for names that are its own, and forwards nothing for others`() async throws {
        try await PythonOrigin.run { origin in
            let address = "http://localhost:\(origin.port)"
            try await Served.run(["--origin", address], in: Scratch()) { served in
                let url = served.base + "/a?Cache-Control=max-age=600"
                let own = [
                    "localhost:\(served.port)", "localhost", "LOCALHOST.:\(served.port)", "127.0.0.1:\(served.port)",
                    "[::1]:\(served.port)", "docs.localhost:\(served.port)", "127.9.9.9",
                ]
                for host in own {
                    #expect(try await curl("-H", "Host: \(host)", url).status == 200, "\(host)")
                }
                #expect(try origin.count == 1)
                for host in ["evil.example", "evil.example:\(served.port)", "localhost.evil.example", "192.0.2.1"] {
                    for more in [[], ["-d", "a=b"], ["-X", "DELETE"], ["-X", "OPTIONS", "--request-target", "*"]] {
                        let answer = try await curl(["-H", "Host: \(host)"] + more + [url])
                        #expect(answer.status == 421, "\(host) \(more)")
                        if host == "evil.example" { #expect(answer.text.contains("its operator can allow the host")) }
                        #expect(answer.cache == "afcache; detail=unknown-host")
                    }
                    let upgrade = try await curl(
                        "-H",
                        "Host: \(host)",
                        "-H",
                        "Connection: Upgrade",
                        "-H",
                        "Upgrade: websocket",
                        "--http1.1",
                        url
                    )
                    #expect(upgrade.status == 421, "\(host)")
                }
                // In the absolute form the target says who is meant (RFC 9112 §3.2.2).
                let absolute = try await Raw.exchange(
                    served.port,
                    "GET http://evil.example/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                #expect(Raw.statuses(absolute) == [421])
                #expect(try origin.count == 1)
                // A client from before HTTP/1.1 needn't say whom it means; no browser is one.
                #expect(Raw.statuses(try await Raw.exchange(served.port, "GET /a HTTP/1.0\r\n\r\n")) == [200])
            }
        }
    }

    @Test func `an option adds names, and the origin's is known`() async throws {
        try await PythonOrigin.run { origin in
            let address = "http://localhost:\(origin.port)"
            let options = ["--origin", address, "--allow-host", "docs.example", "--allow-host", "*.apps.example"]
            try await Served.run(options, in: Scratch()) { served in
                let url = served.base + "/a?Cache-Control=max-age=600"
                for (host, status) in [
                    ("docs.example", 200), ("docs.example:\(served.port)", 200), ("a.apps.example", 200),
                    ("apps.example", 421), ("a.docs.example", 421),
                ] {
                    let answer = try await curl("-H", "Host: \(host)", url)
                    #expect(answer.status == status, "\(host)")
                }
            }
            try await Served.run(["--origin", address, "--allow-host", "*"], in: Scratch()) { served in
                let answer = try await curl("-H", "Host: any.example", served.base + "/a")
                #expect(answer.status == 200)
            }
        }
        let refused = try await Programs.run(
            Program.afcache,
            ["serve", "--cache", "none", "--allow-host", "docs.example"]
        )
        #expect(refused.status == 64)
        #expect(refused.errors.contains("'--allow-host' needs '--origin'"), "\(refused.errors)")
    }

    @Test(arguments: [true, false])
    func `if neither origin nor cache has an answer, a page or a text says why`(_ isProxy: Bool) async throws {
        let scratch = try Scratch()
        let taken = try TakenPort()
        let origin = "127.0.0.1:\(taken.port)"
        try scratch.write(Array("<p>a page</p>\n".utf8), to: "in/guide/page.html")
        try await Served.load(scratch, baseURL: "http://\(origin)")
        let options = isProxy ? ["--forward-proxy", "--allow-private"] : ["--origin", "http://\(origin)"]
        try await Served.run(options, in: scratch) { served in
            func get(_ target: String, _ more: String...) async throws -> CurlAnswer {
                try await curl(
                    more + (isProxy ? ["--proxy", served.base, "http://\(origin)\(target)"] : [served.base + target])
                )
            }
            let page = try await get("/guide/page.htm", "-H", "Accept: text/html,*/*;q=0.8")
            #expect(page.status == 504)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("<h1>The origin is unreachable</h1>"), "\(page.text)")
            let near = isProxy ? "http://\(origin)/guide/page.html" : "/guide/page.html"
            #expect(page.text.contains("<a href=\"\(near)\">"), "what is like it: \(page.text)")
            #expect(page.cache.contains("detail=origin-refused"))
            #expect(page["Vary"] == "Accept")
            let text = try await get("/guide/page.htm")
            #expect(text["Content-Type"] == "text/plain; charset=utf-8")
            #expect(text.text.hasPrefix("The origin is unreachable: http://\(origin)/guide/page.htm\n"), "\(text.text)")
            let only = try await get("/other", "-H", "Cache-Control: only-if-cached")
            #expect(only.text.hasPrefix("Not stored: "), "\(only.text)")
            let head = try await get("/guide/page.htm", "--head")
            #expect(head.status == 504)
            #expect(head["Content-Length"] == String(text.text.utf8.count))
        }
    }

    @Test func `a proxy connects only to ports of websites, and says how to allow others`() async throws {
        let scratch = try Scratch()
        let authority = try await Served.makeAuthority(scratch, hosts: "mail.example")
        for options in [
            ["--forward-proxy"], ["--forward-proxy", "--allow-private"],
            ["--forward-proxy", "--ca", scratch.path("ca")],
        ] {
            try await Served.run(options, in: scratch) { served in
                for port in [25, 22, 1023] {
                    let connect = try await Raw.exchange(
                        served.port,
                        "CONNECT mail.example:\(port) HTTP/1.1\r\nHost: mail.example:\(port)\r\n\r\n"
                    )
                    #expect(connect.hasPrefix("HTTP/1.1 403 "), "\(options): \(connect)")
                    #expect(connect.contains("Cache-Status: afcache; detail=forbidden-port\r\n"))
                    #expect(connect.contains("doesn't connect to port \(port); its operator can allow the port"))
                    let post = try await curl("--proxy", served.base, "-d", "x", "http://mail.example:\(port)/")
                    #expect(post.status == 403)
                }
                let malformed = try await Raw.exchange(served.port, "CONNECT a.example HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(malformed.contains("Cache-Status: afcache; detail="), "\(malformed)")
            }
        }
        try await Served.run(["--forward-proxy", "--allow-port", "25", "--allow-port", "100-200"], in: scratch) {
            served in
            for (port, status) in [(25, 403), (150, 403)] {
                let host = "127.0.0.1:\(port)"
                let connect = try await Raw.exchange(served.port, "CONNECT \(host) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(Raw.statuses(connect) == [status])
                #expect(connect.contains("detail=forbidden-address"), "the port is allowed: \(connect)")
            }
        }
        #expect(FileManager.default.fileExists(atPath: authority))
    }

    @Test func `fields about an origin's TLS are removed where this server terminates TLS`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost")
        try await PythonOrigin.run(identity) { origin in
            let options = [
                "--forward-proxy", "--allow-private", "--ca", scratch.path("ca"), "--cacert", identity.certificate,
            ]
            try await Served.run(options, in: scratch) { served in
                let fields = "Strict-Transport-Security=max-age=9&Alt-Svc=h3&Cache-Control=max-age=600&X-Other=1"
                for _ in 0..<3 {
                    let answer = try await curl(
                        "--proxy",
                        served.base,
                        "--cacert",
                        authority,
                        "https://localhost:\(origin.port)/a?\(fields)"
                    )
                    #expect(answer.status == 200, "\(answer.errors)")
                    #expect(answer["Strict-Transport-Security"] == nil)
                    #expect(answer["Alt-Svc"] == nil)
                    #expect(answer["X-Other"] == "1")
                }
            }
        }
    }
}
