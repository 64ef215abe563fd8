import HTTPTypes
import Testing

@testable import AFCServer

/// Requests as nobody should send them: a server that remembers answers says the same as one that doesn't.
@Suite(.timeLimit(.minutes(10)))
struct OddRequestTests {
    static let plain = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"
    static let other = "GET /other HTTP/1.1\r\nHost: h\r\n\r\n"

    static let requests: [String] = [
        plain, plain + plain, plain + other + plain, other,
        // Line ends: lone LF, lone CR, empty lines before and between.
        "GET /x HTTP/1.1\nHost: h\n\n", "GET /x HTTP/1.1\nHost: h\n\n" + plain, "GET /x HTTP/1.1\r\nHost: h\n\r\n",
        "GET /x HTTP/1.1\nHost: h\n\nGET /other HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\r\n\r\n",
        "\r\n" + plain, "\r\n\r\n" + plain, plain + "\r\n" + plain, plain + "\r\n\r\n" + other, "\n" + plain,
        "GET /x HTTP/1.1\rHost: h\r\r" + plain,
        // Targets and versions.
        "GET  /x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x  HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /x\tHTTP/1.1\r\nHost: h\r\n\r\n",
        "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x HTTP/1.0\r\nHost: h\r\n\r\n", "GET /x HTTP/0.9\r\n\r\n",
        "GET /x HTTP/2.0\r\nHost: h\r\n\r\n", "GET /x\r\n\r\n", "get /x HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x#y HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /\u{E9} HTTP/1.1\r\nHost: h\r\n\r\n", "GET /x HTTP/1.1 \r\nHost: h\r\n\r\n",
        // Hosts.
        "GET /x HTTP/1.1\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", "GET /x HTTP/1.1\r\nHost:\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: h \r\n\r\n", "GET /x HTTP/1.1\r\nhOST:h\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET /x HTTP/1.1\r\n Host: h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: h\u{0}\r\n\r\n",
        // Framing, with something behind it.
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: \(plain.utf8.count)\r\n\r\n" + plain + other,
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: +5\r\n\r\nhello" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5, 5\r\n\r\nhello" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\r\nhello\r\n0\r\n\r\n" + plain,
        "GET /x HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + plain,
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc" + plain,
        // Connection and upgrades.
        "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + plain,
        "GET /x HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n\r\n" + plain,
        "CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n" + plain,
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + plain,
        // Cut short, and nothing of HTTP.
        "GET /x HTTP/1.1\r\nHost: h\r\n", plain + "GET /x HT", "\u{0}\u{1}\u{2}", "\r\n\r\n\r\n\r\n",
        String(plain.dropLast(2)),
    ]

    /// All that comes back on one connection.
    static func replies(_ request: String, port: UInt16) async throws -> String {
        try await RawClient.run(port: port) { client throws in
            try? client.send(request)
            client.shutdownWrite()
            return (try? client.receiveToEnd()) ?? "reset"
        }
    }

    @Test func `answers from memory are the same as others`() async throws {
        let origin = RepeatedAnswerTests.Origin()
        let (remembers, forgets) = (RepeatedAnswerTests.Origin(), origin)
        try await withServer(
            responder: forgets,
            configure: {
                $0.now = { FakeCache.received }
                $0.memoryBytes = 0
            }
        ) { plainPort, _ async throws in
            try await withServer(responder: remembers, configure: { $0.now = { FakeCache.received } }) {
                hotPort,
                _ async throws in
                for _ in 0..<4 { _ = try await Self.replies(Self.plain + Self.other, port: hotPort) }
                for request in Self.requests {
                    let expected = try await Self.replies(request, port: plainPort)
                    for _ in 0..<3 {
                        let got = try await Self.replies(request, port: hotPort)
                        #expect(got == expected, "\(request.debugDescription)")
                    }
                }
            }
        }
    }

    @Test func `a head may arrive in pieces, wherever it is split`() async throws {
        let responder = LookingUpResponder(atHand: { .text($0.target + ($0.fields[.accept] ?? "")) })
        let request = "GET /a HTTP/1.1\r\nHost: h\r\nAccept: x\r\n\r\n"
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for cut in stride(from: 1, to: request.count, by: 3) {
                    try client.send(Self.plain + String(request.prefix(cut)))
                    #expect(try client.reply().text == "/x")
                    try client.send(String(request.dropFirst(cut)) + Self.plain)
                    #expect(try client.reply().text == "/ax")
                    #expect(try client.reply().text == "/x")
                }
            }
        }
    }
}
