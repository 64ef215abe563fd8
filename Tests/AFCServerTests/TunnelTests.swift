import AFCText
import HTTPTypes
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct TunnelTests {
    /// Gives each connection to an echo, with a greeting first.
    static func echo(_ status: HTTPResponse.Status = .ok) -> ScriptedResponder {
        ScriptedResponder.making { request in
            guard request.method == "CONNECT" || request.fields[.upgrade] == "echo" else { return .text("plain") }
            var answer = ServerAnswer(status: status)
            if status.code == 101 { answer.fields[.upgrade] = "echo" }
            answer.fields[.contentLength] = "5"
            answer.handover = .raw { connection in
                try await connection.send(ByteBuffer(string: "to \(request.target):"))
                for try await bytes in connection.inbound { try await connection.send(bytes) }
                connection.finish()
            }
            return answer
        }
    }

    @Test func `CONNECT passes bytes in both directions, and the end of each`() async throws {
        let reply = try await withServer(responder: Self.echo()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                // What is sent behind the request at once belongs to the tunnel.
                try client.send(
                    "CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n\r\nGET / HTTP/1.1\r\n\r\n"
                )
                let head = try client.head()
                #expect(head.status == 200)
                #expect(head.fields.isEmpty)
                // It comes back before the client sends anything else.
                let early = "to docs.example:443:GET / HTTP/1.1\r\n\r\n"
                var echoed: [UInt8] = []
                while echoed.count < early.utf8.count {
                    let bytes = try client.receive()
                    guard !bytes.isEmpty else { break }
                    echoed += bytes
                }
                #expect(echoed == Array(early.utf8))
                try client.send("more")
                client.shutdownWrite()
                return try client.receiveToEnd()
            }
        }
        #expect(reply == "more")
    }

    @Test func `a tunnel sees the end of a client that closed its side right behind the request`() async throws {
        let reply = try await withServer(responder: Self.echo(), configure: HalfClosedTests.wait) {
            port,
            _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("CONNECT docs.example:443 HTTP/1.1\r\nHost: docs.example:443\r\n\r\nmore")
                client.shutdownWrite()
                #expect(try client.head().status == 200)
                return try client.receiveToEnd()
            }
        }
        #expect(reply == "to docs.example:443:more")
    }

    @Test func `an upgrade is announced and then passes bytes`() async throws {
        let status = HTTPResponse.Status(code: 101, reasonPhrase: "Switching Protocols")
        try await withServer(responder: Self.echo(status)) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET /plain HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.reply().text == "plain")
                // What is sent behind the request at once comes back before anything else is sent.
                try client.send(
                    "GET /chat HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\nearly "
                )
                let head = try client.head()
                #expect(head.status == 101)
                #expect(head["upgrade"] == "echo")
                #expect(head["connection"] == "upgrade")
                var early = ""
                while early.utf8.count < "to /chat:early ".utf8.count {
                    let bytes = try client.receive()
                    guard !bytes.isEmpty else { break }
                    early += String(decoding: bytes, as: UTF8.self)
                }
                #expect(early == "to /chat:early ")
                try client.send("\u{0}hello")
                client.shutdownWrite()
                #expect(try client.receiveToEnd() == "\u{0}hello")
            }
        }
    }

    @Test func `a tunnel carries much data, and a slow reader slows it`() async throws {
        let size = 30_000_000
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer(status: .ok)
            answer.handover = .raw { connection in
                let block = ByteBuffer(repeating: 0x61, count: 100_000)
                for _ in 0..<(size / 100_000) { try await connection.send(block) }
            }
            return answer
        }
        try await withServer(responder: responder) { port, _ async throws in
            let count = try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n")
                _ = try client.head()
                var count = 0
                while true {
                    let bytes = try client.receive(1 << 18)
                    if bytes.isEmpty { return count }
                    count += bytes.count
                }
            }
            #expect(count == size)
        }
    }

    @Test func `an idle tunnel is closed, and so is every tunnel at shutdown`() async throws {
        let responder = Self.echo()
        try await withServer(responder: responder, configure: { $0.limits.tunnelTimeout = .milliseconds(300) }) {
            port,
            _ async throws in
            let rest = try await RawClient.run(port: port) { client throws in
                try client.send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n")
                _ = try client.head()
                // Nobody has ended the tunnel, so it doesn't look as if somebody had. On a slow machine the reset overtakes
                // what came before it; a socket reports a reset only once.
                guard let rest = try? client.receive() else { return Array("to h:1:".utf8) }
                #expect(throws: RawClient.Failure.self) { try client.receiveToEnd() }
                return rest
            }
            #expect(rest == Array("to h:1:".utf8))
        }
        try await withServer(responder: responder) { port, group async throws in
            let rest = try await RawClient.run(port: port) { client throws in
                try client.send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n")
                _ = try client.head()
                #expect(try client.receive() == Array("to h:1:".utf8))
                Task { await group.triggerGracefulShutdown() }
                return (try? client.receiveToEnd()) ?? ""
            }
            #expect(rest.isEmpty)
        }
    }

    @Test func `a tunnel whose other end fails is reset, even if the client sends nothing`() async throws {
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer(status: .ok)
            answer.handover = .raw { connection in
                try await connection.send(ByteBuffer(string: "half"))
                throw FakeCache.Failure()
            }
            return answer
        }
        try await withServer(responder: responder) { port, _ async throws in
            for _ in 0..<20 {
                try await RawClient.run(port: port) { client throws in
                    try client.send("CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n")
                    #expect(throws: RawClient.Failure.self) { try client.receiveToEnd() }
                }
            }
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `TLS may begin inside a tunnel, with a certificate chosen at that time`(_ version: String) async throws {
        let authority = try TestCertificates(names: ["docs.example", "other.example"])
        let asked = Box<String>()
        let provider = NamedCertificates(certificates: authority.certificates, asked: asked)
        let responder = ScriptedResponder.making { request in
            guard request.method == "CONNECT" else {
                let words = [
                    request.method, request.host.authority?.description ?? "", request.target, "\(request.isSecure)",
                    request.tunnelled?.description ?? "-", request.serverName ?? "-",
                ]
                return .text(words.joined(separator: " "))
            }
            var answer = ServerAnswer(status: .ok)
            answer.handover = .secure(provider, authority: try #require(Authority(request.target)))
            return answer
        }
        try await withServer(responder: responder) { port, _ async throws in
            for name in ["docs.example", "other.example", "docs.example"] {
                let result = try await curl([
                    version, "-x", "http://127.0.0.1:\(port)", "--cacert", authority.path(name), "-w",
                    " %{http_version}",
                    "https://\(name)/a",
                ])
                let number = version == "--http2" ? "2" : "1.1"
                #expect(result.text == "GET \(name) /a true \(name):443 \(name) \(number)", "\(result.errors)")
            }
            // A name without a certificate ends the connection.
            let failed = try await curl(["-x", "http://127.0.0.1:\(port)", "-k", "https://unknown.example/"])
            #expect(failed.status != 0)
        }
        #expect(asked.values == ["docs.example", "other.example", "docs.example", "unknown.example"])
    }
}
