import Foundation
import TestSupport
import Testing

/// Upgrades to WebSockets (RFC 6455) pass a gateway and a proxy, and go on as bytes in both directions.
@Suite(.fewAtOnce)
struct WebSocketTests {
    /// What the client prints: the head, the origin's first frame, the frames that come back, and what ends it.
    private static let head = [
        "101", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Connection: upgrade", "Upgrade: websocket",
        "1 b'hello'", "1 3 True", "1 40000 True", "1 5 True",
    ]

    @Test(arguments: [false, true])
    func `a WebSocket carries frames in both directions, and either side may close it`(throughProxy: Bool) async throws
    {
        try await WebSocketOrigin.run { origin in
            let options =
                throughProxy
                ? ["--forward-proxy", "--allow-private"]
                : ["--origin", "http://\(origin.authority)", "--allow-host", "*"]
            try await Served.run(options, in: Scratch()) { served in
                let base = throughProxy ? "http://\(origin.authority)" : ""
                let port = String(served.port)
                let echo = try await Programs.python("websocket_client.py", port, base + "/chat?a=b", "echo")
                let lines = echo.text.split(separator: "\n").map(String.init)
                #expect(lines == Self.head + ["9 b'ping'", "8 b'\\x03\\xe8'", "0"], "\(echo.errors)")
                let half = try await Programs.python("websocket_client.py", port, base + "/chat", "half-close")
                #expect(half.text.hasSuffix("1 5 True\n1 b'end'\n0\n"), "\(half.text) \(half.errors)")
                let request = try #require(origin.heads.first)
                #expect(request.first == "GET /chat?a=b HTTP/1.1")
                for line in [
                    "Host: \(origin.authority)", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                    "Sec-WebSocket-Protocol: chat", "Origin: http://a.example", "Upgrade: websocket",
                ] {
                    #expect(request.contains(line), "\(request)")
                }
                let connection = request.filter { $0.lowercased().hasPrefix("connection:") }
                #expect(connection.map { $0.lowercased() } == ["connection: upgrade"])
            }
        }
    }

    @Test(arguments: [false, true])
    func `an origin's refusal to upgrade is passed on, and isn't mistaken for a switch`(throughProxy: Bool) async throws
    {
        try await WebSocketOrigin.run { origin in
            let options =
                throughProxy
                ? ["--forward-proxy", "--allow-private"]
                : ["--origin", "http://\(origin.authority)", "--allow-host", "*"]
            try await Served.run(options, in: Scratch()) { served in
                let base = throughProxy ? "http://\(origin.authority)" : ""
                let port = String(served.port)
                let refused = try await Programs.python("websocket_client.py", port, base + "/refuse", "refuse")
                #expect(refused.text.hasPrefix("400\n"), "\(refused.text) \(refused.errors)")
                #expect(refused.text.contains("\nSec-WebSocket-Version: 13\n"), "\(refused.text)")
                #expect(refused.text.contains("\nCache-Status: afcache; fwd=bypass\n"), "\(refused.text)")
                #expect(refused.text.hasSuffix("\nno\n"), "\(refused.text)")
            }
        }
    }
}

/// The origin of `Programs/websocket_origin.py`.
struct WebSocketOrigin {
    let authority: String
    let program: RunningProgram

    /// The lines of the head of each request.
    var heads: [[String]] {
        program.text.split(separator: "\n").dropFirst().map { $0.split(separator: "|").map(String.init) }
    }

    static func run(_ body: (WebSocketOrigin) async throws -> Void) async throws {
        let program = try Programs.start("python3", [Programs.path("websocket_origin.py")])
        defer { _ = program.stop(SIGKILL) }
        let port = try #require(try await program.firstLine(), "the origin doesn't start")
        try await body(WebSocketOrigin(authority: "127.0.0.1:\(port)", program: program))
    }
}
