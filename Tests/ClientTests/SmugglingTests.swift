import Foundation
import TestSupport
import Testing

/// Requests that two hops could understand differently (RFC 9112 §11.2): nothing reaches the origin, or one request that
/// nobody can misunderstand.
@Suite(.fewAtOnce)
struct SmugglingTests {
    /// What a client sends before something that looks like a second request, and what becomes of the first.
    struct Trick: Sendable, CustomTestStringConvertible {
        var name: String
        var head: String
        var body = ""

        var testDescription: String { name }
    }

    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a.example\r\n\r\n"

    /// The tricks; in `head`, `H` stands for the Host field, and behind `body` comes the request that must stay hidden.
    static let tricks: [Trick] = [
        Trick(
            name: "Content-Length and Transfer-Encoding",
            head: "H\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(
            name: "Transfer-Encoding and Content-Length",
            head: "H\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(name: "two lengths", head: "H\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n"),
        Trick(name: "a list of lengths", head: "H\r\nContent-Length: 0, 44\r\n\r\n"),
        Trick(name: "a length with a sign", head: "H\r\nContent-Length: +0\r\n\r\n"),
        Trick(name: "a hexadecimal length", head: "H\r\nContent-Length: 0x0\r\n\r\n"),
        Trick(name: "a negative length", head: "H\r\nContent-Length: -1\r\n\r\n"),
        Trick(name: "a length beyond 64 bits", head: "H\r\nContent-Length: 18446744073709551616\r\n\r\n"),
        Trick(name: "an empty length", head: "H\r\nContent-Length: \r\n\r\n"),
        Trick(name: "a length with a space", head: "H\r\nContent-Length: 1 1\r\n\r\n"),
        Trick(name: "a folded line", head: "H\r\nX-A: b\r\n Content-Length: 44\r\n\r\n"),
        Trick(name: "a folded first line", head: " H\r\nContent-Length: 0\r\n\r\n"),
        Trick(name: "a space before the colon", head: "H\r\nContent-Length : 44\r\n\r\n"),
        Trick(name: "a tab before the colon", head: "H\r\nTransfer-Encoding\t: chunked\r\n\r\n", body: "0\r\n\r\n"),
        Trick(name: "a coding that nobody knows", head: "H\r\nTransfer-Encoding: xchunked\r\n\r\n", body: "0\r\n\r\n"),
        Trick(
            name: "a coding with a tail",
            head: "H\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(name: "a coding before", head: "H\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", body: "0\r\n\r\n"),
        Trick(
            name: "two codings in two lines",
            head: "H\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(
            name: "chunked twice",
            head: "H\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(
            name: "a coding behind a vertical tab",
            head: "H\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n",
            body: "0\r\n\r\n"
        ),
        Trick(name: "a coding in quotes", head: "H\r\nTransfer-Encoding: \"chunked\"\r\n\r\n", body: "0\r\n\r\n"),
        Trick(name: "a coding of HTTP/1.0", head: "H\r\nTransfer-Encoding: chunked\r\n\r\n", body: "0\r\n\r\n"),
        Trick(name: "line feeds alone", head: "H\nContent-Length: 0\n\n"),
        Trick(name: "a carriage return in a value", head: "H\r\nX-A: b\rContent-Length: 44\r\n\r\n"),
        Trick(name: "a zero in a value", head: "H\r\nX-A: b\0c\r\n\r\n"),
        Trick(name: "no colon", head: "H\r\nX-A\r\n\r\n"),
        Trick(name: "an empty name", head: "H\r\n: b\r\n\r\n"),
        Trick(
            name: "chunk sizes beyond 64 bits",
            head: "H\r\nTransfer-Encoding: chunked\r\n\r\n",
            body: "10000000000000000\r\n"
        ),
        Trick(name: "a negative chunk size", head: "H\r\nTransfer-Encoding: chunked\r\n\r\n", body: "-1\r\n"),
        Trick(name: "a chunk size with a prefix", head: "H\r\nTransfer-Encoding: chunked\r\n\r\n", body: "0x0\r\n\r\n"),
        Trick(
            name: "a chunk longer than it says",
            head: "H\r\nTransfer-Encoding: chunked\r\n\r\n",
            body: "1\r\nabc\r\n0\r\n\r\n"
        ),
        Trick(
            name: "a line feed alone behind a chunk size",
            head: "H\r\nTransfer-Encoding: chunked\r\n\r\n",
            body: "1\na\r\n0\r\n\r\n"
        ),
    ]

    /// What came is whole and can be understood in one way only.
    private func checkWellFormed(_ request: PythonOrigin.Request, _ trick: String) {
        #expect(request.trouble == nil, "\(trick): \(request)")
        #expect(!request.line.contains("hidden"), "\(trick): \(request)")
        #expect(!request.head.contains("hidden"), "\(trick): \(request)")
        #expect(!request.body.contains("hidden"), "\(trick): \(request)")
        #expect(request.values("Host").count == 1, "\(trick): \(request)")
        #expect(request.values("Content-Length").count + request.values("Transfer-Encoding").count <= 1, "\(request)")
        let lines = request.head.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { !$0.contains("\r") && !$0.contains("\n") && !$0.hasPrefix(" ") }, "\(request)")
    }

    @Test(arguments: ["GET", "POST"], [false, true])
    func `nothing hidden reaches the origin`(method: String, throughProxy: Bool) async throws {
        try await PythonOrigin.run { origin in
            let options =
                throughProxy
                ? ["--forward-proxy", "--allow-private"]
                : ["--origin", "http://\(origin.authority)", "--allow-host", "*"]
            try await Served.run(options, in: Scratch()) { served in
                // A request whose client has given up may still arrive during the next ones, so each has its own target.
                for (number, trick) in Self.tricks.enumerated() {
                    let version = trick.name.contains("HTTP/1.0") ? "HTTP/1.0" : "HTTP/1.1"
                    let target = (throughProxy ? "http://\(origin.authority)" : "") + "/first\(number)"
                    let fields = trick.head.replacing(
                        "H\r\n",
                        with: "Host: \(origin.authority)\r\n",
                        maxReplacements: 1
                    )
                    .replacing("H\n", with: "Host: \(origin.authority)\n", maxReplacements: 1)
                    let hidden =
                        throughProxy
                        ? Self.hidden.replacing("/hidden", with: "http://\(origin.authority)/hidden") : Self.hidden
                    let answer = try await Raw.exchange(
                        served.port,
                        "\(method) \(target) \(version)\r\n" + fields + trick.body + hidden
                    )
                    let statuses = Raw.statuses(answer)
                    #expect(statuses.count <= 1, "\(trick.name): \(answer)")
                    if try !origin.requests.contains(where: { $0.line.contains("/first\(number) ") }) {
                        #expect(statuses.allSatisfy { $0 >= 400 }, "\(trick.name): \(answer)")
                    }
                }
                // The connections to the origin are still in order.
                let plain = try await curl(
                    throughProxy
                        ? ["--proxy", served.base, "http://\(origin.authority)/after"] : [served.base + "/after"]
                )
                #expect(plain.text.hasPrefix("/after "), "\(plain)")
                var counts: [String: Int] = [:]
                for request in try origin.requests where !request.line.contains("/after ") {
                    let trick = Self.tricks.indices.first { request.line.contains("/first\($0) ") }
                    checkWellFormed(request, trick.map { Self.tricks[$0].name } ?? "no trick")
                    #expect(trick != nil, "\(request)")
                    counts[request.line, default: 0] += 1
                }
                #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts)")
            }
        }
    }

    /// An origin that doesn't read a request's body takes it for the next request, whose answer another client would get.
    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "QUERY"])
    func `a body that the origin doesn't read is no request of others`(method: String) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                // The hidden request has no end, so that the next one becomes a part of it.
                let body = "GET /hidden?Cache-Control=max-age=60 HTTP/1.1\r\nHost: a.example\r\nX: "
                let head = "\(method) /first?unread=1 HTTP/1.1\r\nHost: a.example\r\n"
                for isLate in [false, true] {
                    let answer = try await Raw.exchange(
                        served.port,
                        head + "Content-Length: \(body.utf8.count)\r\n\r\n" + (isLate ? "" : body)
                    )
                    #expect(Raw.statuses(answer).allSatisfy { $0 == 200 || $0 >= 400 }, "\(answer)")
                    for number in 0..<3 {
                        let page = try await curl(served.base + "/page\(number)?Cache-Control=max-age=60")
                        #expect(page.text.hasPrefix("/page\(number) "), "\(isLate): \(page)")
                    }
                }
            }
        }
    }

    @Test func `chunks with extensions and trailers arrive as one body, without them`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let body = "3;a=\"b\"\r\nabc\r\n2;c\r\nde\r\n0\r\nX-Trailer: GET /hidden\r\nContent-Length: 9\r\n\r\n"
                let head = "POST /first HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
                let answer = try await Raw.exchange(served.port, head + body)
                let came = try origin.requests
                if came.isEmpty {
                    #expect(Raw.statuses(answer) == [400])
                } else {
                    #expect(Raw.statuses(answer) == [200])
                    #expect(came.count == 1)
                    #expect(came.first?.body == "abcde")
                    #expect(came.first?.head.contains("Trailer") == false)
                }
            }
        }
    }

    @Test func `pipelined requests are answered in order, each with its own answer`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let requests = (0..<12).map { number in
                    number.isMultiple(of: 3)
                        ? "POST /p\(number) HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc"
                        : "GET /p\(number) HTTP/1.1\r\nHost: a.example\r\n\r\n"
                }
                let answer = try await Raw.exchange(served.port, requests.joined())
                #expect(Raw.statuses(answer) == [Int](repeating: 200, count: 12))
                let bodies = answer.components(separatedBy: "\r\n\r\n").dropFirst().compactMap {
                    $0.components(separatedBy: " ").first
                }
                #expect(bodies == (0..<12).map { "/p\($0)" })
            }
        }
    }

    @Test func `a request over HTTP/2 can't hide one of HTTP/1.1`() async throws {
        let identity = try await Identity()
        try await PythonOrigin.run { origin in
            let options = [
                "--origin", "http://\(origin.authority)", "--tls-cert", identity.certificate, "--tls-key", identity.key,
            ]
            try await Served.run(options, in: Scratch()) { served in
                let base = "https://localhost:\(served.port)"
                let common = ["--cacert", identity.certificate, "--http2"]
                // curl sends these fields as they are.
                let fields = [
                    "Transfer-Encoding: chunked", "Content-Length: 0", "X-A: b\r\nTransfer-Encoding: chunked",
                ]
                // A request whose client has given up may still arrive during the next ones, so each has its own target.
                for (number, field) in fields.enumerated() {
                    _ = try await curl(common + ["--data", Self.hidden, "-H", field, base + "/first\(number)"])
                }
                #expect(try await curl(common + [base + "/after"]).text.hasPrefix("/after "))
                let came = try origin.requests.filter { $0.line != "GET /after HTTP/1.1" }
                for request in came {
                    #expect(request.trouble == nil)
                    #expect(request.values("Via").allSatisfy { $0.hasPrefix("2 afcache-") })
                    #expect(request.values("Content-Length").count + request.values("Transfer-Encoding").count == 1)
                }
                let expected = fields.indices.map { "POST /first\($0) HTTP/1.1" }
                #expect(Set(came.map(\.line)).isSubset(of: expected) && Set(came.map(\.line)).count == came.count)
            }
        }
    }

    /// HTTP/2 in the clear would be a connection to the origin that nobody looks into any more (RFC 9113 §3.1 has given it up).
    @Test(arguments: ["h2c", "H2C", "h2c, websocket", "websocket, h2c"])
    func `an upgrade to HTTP/2 isn't passed on`(protocols: String) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let answer = try await Raw.exchange(
                    served.port,
                    "GET /a HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: \(protocols)\r\n"
                        + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
                )
                #expect(Raw.statuses(answer) == [200], "\(answer)")
                let came = try #require(try origin.requests.first)
                #expect(!came.values("Upgrade").contains { $0.lowercased().contains("h2c") }, "\(came.head)")
                #expect(came.values("HTTP2-Settings").isEmpty)
            }
        }
    }
}
