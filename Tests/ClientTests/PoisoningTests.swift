import Foundation
import TestSupport
import Testing

/// What one client sends can't change what another one gets.
@Suite(.fewAtOnce)
struct PoisoningTests {
    /// Fields that servers and frameworks let decide about their answers, though no Vary says so.
    static let unkeyed = [
        "Host", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Scheme", "X-Forwarded-Port", "X-Forwarded-Prefix",
        "X-Forwarded-Server", "X-Host", "X-Original-Host", "X-Original-URL", "X-Rewrite-URL", "Forwarded",
        "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Forwarded-Uri", "X-Forwarded-Path",
        "X-Original-Uri", "X-Scheme",
        "X-Envoy-Original-Path", "X-Backend-Host", "Proxy-Host", "RSC", "X-Middleware-Prefetch", "HX-Request",
    ]

    @Test(arguments: unkeyed)
    func `an origin that uses a field not in Vary can't poison others' answers`(name: String) async throws {
        try await PythonOrigin.run { origin in
            for throughProxy in [false, true] {
                let options =
                    throughProxy
                    ? ["--forward-proxy", "--allow-private"]
                    : ["--origin", "http://\(origin.authority)", "--allow-host", "*"]
                try await Served.run(options, in: Scratch()) { served in
                    let target = "/a?Cache-Control=max-age=600&mirror=\(name.lowercased())"
                    func get(_ more: String...) async throws -> CurlAnswer {
                        try await curl(
                            more
                                + (throughProxy
                                    ? ["--proxy", served.base, "http://\(origin.authority)\(target)"]
                                    : [served.base + target])
                        )
                    }
                    _ = try await get("-H", "\(name): evil.example")
                    let plain = try await get()
                    #expect(plain.status == 200)
                    #expect(!plain.text.contains("evil"), "\(plain)")
                    // And the other way round: the cache still does its work.
                    #expect(try await get().isHit)
                }
            }
        }
    }

    @Test func `a response to GET with a body isn't stored, and isn't said to be`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/a?Cache-Control=max-age=600"
                for _ in 0..<2 {
                    let answer = try await curl("-X", "GET", "--data", "x", url)
                    #expect(answer.cache == "afcache; fwd=uri-miss; ttl=600")
                }
                let plain = try await curl(url)
                #expect(plain.cache == "afcache; fwd=uri-miss; ttl=600; stored")
            }
        }
    }

    @Test func `responses with different values for Vary's fields are kept apart`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/a?Cache-Control=max-age=600&Vary=X-Theme&mirror=x-theme"
                for theme in ["dark", "light", "dark", "light"] {
                    let themed = try await curl("-H", "X-Theme: \(theme)", url)
                    #expect(themed.text == theme)
                }
                #expect(try await curl(url).text == "none")
                #expect(try origin.count == 3)
                let any = served.base + "/a?Cache-Control=max-age=600&Vary=*&mirror=x-theme"
                #expect(try await curl("-H", "X-Theme: dark", any).text == "dark")
                #expect(try await curl(any).text == "none")
            }
        }
    }

    @Test(arguments: ["Content-Type", "Cache-Control", "Set-Cookie", "ETag", "Vary", "Content-Length", "Host"])
    func `Connection in a request or a response can't remove end-to-end fields`(name: String) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let fields = "Cache-Control=max-age=600&Content-Type=text/a&ETag=%221%22&Vary=X-Theme"
                let asked = try await curl("-H", "Connection: close, \(name)", served.base + "/a?\(fields)")
                #expect(asked["Content-Type"] == "text/a")
                let stored = try await curl(served.base + "/a?\(fields)")
                #expect(stored.isHit)
                #expect(stored["Content-Type"] == "text/a")
                #expect(stored["ETag"] == "\"1\"")
                #expect(stored["Vary"] == "X-Theme")
                #expect(stored["Cache-Control"] == "max-age=600")
                let listed = served.base + "/b?\(fields)&Connection=\(name)"
                for _ in 0..<2 {
                    let answer = try await curl(listed)
                    #expect(answer["Content-Type"] == "text/a")
                    #expect(answer["Cache-Control"] == "max-age=600")
                    #expect(answer.text.hasPrefix("/b "))
                }
            }
        }
    }

    @Test(arguments: ["Authorization", "Cookie", "Cache-Control", "Host", "Content-Length"])
    func `a client's Connection can't remove request fields that decide the response`(
        name: String
    ) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                _ = try await curl(
                    "-H",
                    "Authorization: Basic eDp5",
                    "-H",
                    "Cookie: a=b",
                    "-H",
                    "Cache-Control: max-age=9",
                    "-H",
                    "Connection: \(name), X-Mine",
                    "-H",
                    "X-Mine: 1",
                    "--data",
                    "abc",
                    served.base + "/a"
                )
                let came = try #require(try origin.requests.last)
                #expect(came.values("Authorization") == ["Basic eDp5"])
                #expect(came.values("Cookie") == ["a=b"])
                #expect(came.values("Cache-Control") == ["max-age=9"])
                #expect(came.values("Host") == [origin.authority])
                #expect(came.values("X-Mine").isEmpty)
                #expect(came.body == "abc")
            }
        }
    }

    @Test func `a request with a body doesn't affect a later request without one`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let query = "?Cache-Control=max-age=600&echo"
                for method in ["POST", "PUT", "PATCH", "QUERY"] {
                    _ = try await curl("-X", method, "--data", "evil", served.base + "/\(method)" + query)
                    let plain = try await curl(served.base + "/\(method)" + query)
                    #expect(plain.text.hasPrefix("GET "), "\(method): \(plain.text)")
                }
                // GET with a body: the origin may heed it, so that its answer is for nobody else.
                let fat = served.base + "/fat?Cache-Control=max-age=600&echo"
                _ = try await curl("-X", "GET", "--data", "evil=1", fat)
                let plain = try await curl(fat)
                #expect(!plain.text.contains("Content-Length"), "\(plain.text)")
                #expect(!plain.isHit, "\(plain.cache)")
            }
        }
    }

    /// Targets with line ends, and what looks like a second request behind them.
    @Test(arguments: [
        "/a%0d%0aX-Evil:%201", "/a?b=%0d%0a%0d%0aGET%20/hidden%20HTTP/1.1", "/a%00b", "/a%20HTTP/1.1%0d%0aX-Evil:%201",
    ])
    func `line ends in a URL stay escaped`(target: String) async throws {
        try await PythonOrigin.run { origin in
            for throughProxy in [false, true] {
                let options =
                    throughProxy
                    ? ["--forward-proxy", "--allow-private"]
                    : ["--origin", "http://\(origin.authority)", "--allow-host", "*"]
                try await Served.run(options, in: Scratch()) { served in
                    let before = try origin.count
                    let answer =
                        throughProxy
                        ? try await curl("--proxy", served.base, "http://\(origin.authority)\(target)")
                        : try await curl(served.base + target)
                    #expect(answer.status == 200)
                    #expect(answer["X-Evil"] == nil)
                    let came = try origin.requests.dropFirst(before)
                    #expect(came.count == 1)
                    #expect(came.first?.line == "GET \(target) HTTP/1.1")
                    #expect(came.first?.values("X-Evil") == [])
                }
            }
        }
    }

    @Test(arguments: ["/a\t/b", "/a\u{0B}b", "/a b", "/a\u{7F}", "/é", "/a\\..\\b", "/a#b"])
    func `a target with bytes that URLs can't contain is refused, or made a URL`(target: String) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let text = "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n"
                let answer = try await Raw.exchange(served.port, text)
                let came = try origin.requests
                if came.isEmpty {
                    #expect(Raw.statuses(answer) == [400], "\(answer)")
                } else {
                    #expect(came.count == 1)
                    let line = came[0].line
                    #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(line)")
                    #expect(line.split(separator: " ", omittingEmptySubsequences: false).count == 3, "\(line)")
                    #expect(!line.contains("#") && !line.contains("\\"), "\(line)")
                }
            }
        }
    }

    /// Paths that name another resource than they seem to.
    @Test func `no request can leave a gateway's base path`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.run(["--origin", "http://\(origin.authority)/app"], in: Scratch()) { served in
                for target in [
                    "/../secret", "/%2e%2e/secret", "/x/../../secret", "/.%2E/%2e./secret", "/..\\secret",
                    "/../appendix",
                ] {
                    _ = try await Raw.exchange(served.port, "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
                }
                for request in try origin.requests { #expect(request.line.hasPrefix("GET /app/"), "\(request.line)") }
                #expect(try await curl(served.base + "/page").text.hasPrefix("/app/page "))
            }
        }
    }
}
