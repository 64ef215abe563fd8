import AFCCaching
import AFCHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import ServiceLifecycle
import TestSupport
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct AnsweringTests {
    @Test func `an answer that is available is sent without further requests`() async throws {
        let responder = LookingUpResponder(atHand: { $0.target == "/near" ? .text("near") : nil }) { _, _ in
            .text("far")
        }
        try await withServer(responder: responder) { port, _ async throws in
            #expect(try await RawClient.get(port: port, "/near").text == "near")
            #expect(try await RawClient.get(port: port, "/elsewhere").text == "far")
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let responder = LookingUpResponder(atHand: { $0.target == "/7" ? nil : .text($0.target) }) { request, _ in
            // Slow, while the answers to those after it are at hand.
            try await Task.sleep(for: .milliseconds(50))
            return .text(request.target)
        }
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send((0..<500).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
                for number in 0..<500 { #expect(try client.reply().text == "/\(number)") }
            }
        }
    }

    @Test func `an error is a 500, and one on the way to an origin a 502`() async throws {
        struct Unreachable: GatewayFailure {}
        let responder = ScriptedResponder.making { request in
            if request.target == "/origin" { throw Unreachable() }
            throw FakeCache.Failure()
        }
        try await withServer(responder: responder) { port, _ async throws in
            #expect(try await RawClient.get(port: port, "/origin").status == 502)
            #expect(try await RawClient.get(port: port, "/").status == 500)
        }
    }

    @Test func `a stream is sent in chunks with its trailers`() async throws {
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer.pieces(["one", "", "three!"])
            answer.trailers = { [.xSum: "9"] }
            return answer
        }
        let reply = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                return try client.receiveToEnd()
            }
        }
        #expect(
            reply == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + "3\r\none\r\n6\r\nthree!\r\n0\r\nX-Sum: 9\r\n\r\n"
        )
    }

    @Test func `a stream to HTTP 1.0 ends with the connection`() async throws {
        let responder = ScriptedResponder.making { _ in .pieces(["one", "two"]) }
        let reply = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                return try client.receiveToEnd()
            }
        }
        #expect(reply == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nonetwo")
    }

    @Test(arguments: [
        (["one"], nil, true), (["one"], 4, false), (["one", "two"], 5, false),
    ])
    func `a stream that fails, or has another length than declared, is no complete answer`(
        _ pieces: [String],
        _ length: Int?,
        _ failing: Bool
    ) async throws {
        let responder = ScriptedResponder.making { _ in .pieces(pieces, length: length, failing: failing) }
        let body = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.head()
                return (try? client.receiveToEnd()) ?? ""
            }
        }
        #expect(!body.hasSuffix("0\r\n\r\n"))
        if let length { #expect(body.utf8.count < length) }
    }

    /// What ends with the connection is whole for a client that sees its proper end.
    @Test func `a stream to HTTP 1_0 that fails resets the connection`() async throws {
        let responder = ScriptedResponder.making { _ in .pieces(["one", "two"], failing: true) }
        try await withServer(responder: responder) { port, _ async throws in
            for _ in 0..<20 {
                try await RawClient.run(port: port) { client throws in
                    try client.send("GET / HTTP/1.0\r\n\r\n")
                    #expect(throws: RawClient.Failure.self) { try client.receiveToEnd() }
                }
            }
        }
    }

    @Test(arguments: [("GET", 304), ("GET", 204), ("HEAD", 200), ("HEAD", 304)], ["1.1", "1.0"])
    func `a stream of unknown length announces no chunks if no body follows`(
        _ asked: (method: String, status: Int),
        version: String
    ) async throws {
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer.pieces([])
            answer.status = HTTPResponse.Status(code: asked.status)
            answer.fields[.eTag] = "\"1\""
            return answer
        }
        let reply = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("\(asked.method) / HTTP/\(version)\r\nHost: h\r\nConnection: close\r\n\r\n")
                return try client.receiveToEnd()
            }
        }
        #expect(
            reply
                == "HTTP/1.1 \(asked.status) \r\nETag: \"1\"\r\nConnection: close\r\n\r\n"
        )
    }

    @Test func `a stream of known length keeps the connection`() async throws {
        let responder = ScriptedResponder.making { _ in .pieces(["one", "two"], length: 6) }
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for _ in 0..<3 {
                    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == "onetwo")
                }
                try client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.reply(hasBody: false)["content-length"] == "6")
            }
        }
    }

    @Test func `what is found at once is sent, and everything else is looked up`() async throws {
        var responder = LookingUpResponder(atHand: { .text("looked up \($0.target)") })
        responder.atOnce = { $0.target == "/known" ? .text("at once") : nil }
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for (target, text) in [("/known", "at once"), ("/other", "looked up /other"), ("/known", "at once")] {
                    try client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == text)
                }
            }
        }
    }

    @Test(arguments: ["BREW", "get", "QUERY", "SOURCE", "M-SEARCH", "X-1.2_3~!"], [0, 64 << 20])
    func `an unregistered method is left to the responder`(_ method: String, memoryBytes: Int) async throws {
        let responder = LookingUpResponder(atHand: { .text("\($0.method) \($0.target)") })
        try await withServer(responder: responder, configure: { $0.memoryBytes = memoryBytes }) {
            port,
            _ async throws in
            try await RawClient.run(port: port) { client throws in
                for _ in 0..<3 {
                    try client.send("\(method) /a HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == "\(method) /a")
                    try client.send("PATCH /b HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == "PATCH /b")
                    // A head in two pieces.
                    try client.send("\(method) /c HTTP/1.1\r\nHo")
                    try client.send("st: h\r\n\r\n")
                    #expect(try client.reply().text == "\(method) /c")
                }
            }
        }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1} x", "BR EW / HTTP/1.1\r\n\r\n", "(a) / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\n",
    ])
    func `a request without a method is refused`(_ text: String) async throws {
        let responder = LookingUpResponder(atHand: { _ in .text("answered") })
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send(text)
                client.shutdownWrite()
                #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test func `interim responses are sent before the answer`() async throws {
        let responder = ScriptedResponder(answering: { _, interim in
            await interim(.init(code: 103, reasonPhrase: "Early Hints"), [.xHint: "/a"])
            return .text("done")
        })
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let hints = try client.head()
                #expect(hints.status == 103)
                #expect(hints["x-hint"] == "/a")
                #expect(try client.reply().text == "done")
            }
        }
    }

    @Test func `connection fields are the server's own`() async throws {
        let responder = ScriptedResponder.making { _ in
            var answer = ServerAnswer.text("text")
            answer.fields[.connection] = "close"
            answer.fields[.transferEncoding] = "chunked"
            answer.fields[.contentLength] = "99"
            return answer
        }
        let reply = try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.get(port: port, "/")
        }
        #expect(reply.fields.map(\.name) == ["Content-Length"])
        #expect(reply.text == "text")
    }

    @Test func `a client that disconnects cancels the answer`() async throws {
        let (events, event) = AsyncStream<String>.makeStream()
        let responder = ScriptedResponder.making { _ in
            event.yield("asked")
            do {
                // Until it is cancelled.
                try await Task.sleep(for: .seconds(86_400))
            } catch {
                event.yield("cancelled")
                throw error
            }
            return .text("late")
        }
        try await withServer(responder: responder) { port, _ async throws in
            var iterator = events.makeAsyncIterator()
            var client: RawClient? = try RawClient(port: port)
            try client?.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await iterator.next() == "asked")
            client = nil
            #expect(await iterator.next() == "cancelled")
        }
    }

    @Test func `a shutdown waits until a slow client has read an answer`() async throws {
        let size = 24 * 1024 * 1024
        let responder = LookingUpResponder(atHand: { _ in
            ServerAnswer(status: .ok, body: .bytes(ByteBuffer(repeating: 0x61, count: size)))
        })
        try await withServer(responder: responder) { port, group async throws in
            let count = try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try client.head()
                Task { await group.triggerGracefulShutdown() }
                var count = 0
                while count < size {
                    let bytes = try client.receive(1 << 18)
                    guard !bytes.isEmpty else { break }
                    count += bytes.count
                }
                return count
            }
            #expect(count == size)
        }
    }

    /// A responder that holds back the answers to `/held…` until they are released.
    struct Holding: Sendable {
        let asked = Box<String>()
        private let waiting = Box<CheckedContinuation<Void, Never>>()
        private let isOver = Box<Bool>()

        var responder: ScriptedResponder {
            ScriptedResponder.making { request in
                asked.append(request.target)
                if request.target.hasPrefix("/held"), isOver.values.isEmpty {
                    await withCheckedContinuation { waiting.append($0) }
                }
                return .text(request.target)
            }
        }

        /// Waits until so many are held back; if they never are, none is held back any more, so that the server can end.
        func wait(for count: Int) throws {
            do {
                try waitOnThread(until: "so many answers are held back") { waiting.values.count >= count }
            } catch {
                isOver.append(true)
                release(0..<waiting.values.count)
                throw error
            }
        }

        /// Lets the answers go that are held back, the first one of them or all.
        func release(_ numbers: Range<Int>) { for number in numbers { waiting.values[number].resume() } }
    }

    /// How many answers another client gets before something is taken not to happen at all.
    static let much = 500

    static func get(_ client: RawClient, _ target: String, _ field: String = "X: y") throws {
        try client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\(field)\r\n\r\n")
    }

    @Test func `connections beyond the limit of all sockets wait until one ends`() async throws {
        let holding = Holding()
        let sockets = [try Sockets.listening(), try Sockets.listening()]
        let second = try #require(Sockets.port { getsockname(sockets[1], $0, $1) })
        try await withServer(
            responder: holding.responder,
            configure: {
                $0.connectionLimit = 4
                // However slow the machine is, none is idle for so long before its request comes.
                $0.limits.idleGrace = .hours(1)
                $0.sockets = sockets
            }
        ) { port, _ async throws in
            try await RawClient.pool.runIfActive {
                let talker = try RawClient(port: port)
                try Self.get(talker, "/talk")
                #expect(try talker.reply().status == 200)
                let busy = try [RawClient(port: port), RawClient(port: second), RawClient(port: second)]
                for (number, client) in busy.enumerated() {
                    try Self.get(client, "/held\(number)", "Connection: close")
                }
                try holding.wait(for: 3)
                // Each socket may accept one that was on its way when the last place was taken.
                let others = try (0..<6).map { try RawClient(port: $0 % 2 == 0 ? port : second) }
                for (number, client) in others.enumerated() { try Self.get(client, "/\(number)", "Connection: close") }
                // The server has time for much else, but not for them.
                for _ in 0..<Self.much {
                    try Self.get(talker, "/talk")
                    #expect(try talker.reply().status == 200)
                }
                let asked = holding.asked.values.filter { $0 != "/talk" }
                #expect(asked.count <= 5, "\(asked)")
                holding.release(0..<3)
                for client in busy { #expect(try client.reply().status == 200) }
                for (number, client) in others.enumerated() { #expect(try client.reply().text == "/\(number)") }
            }
        }
    }

    @Test func `idle connections are closed for new ones, but none with a pending answer`() async throws {
        let holding = Holding()
        try await withServer(
            responder: holding.responder,
            configure: {
                $0.connectionLimit = 4
                // Longer than a busy machine takes to read the request of a connection that it has just accepted.
                $0.limits.idleGrace = .seconds(8)
                $0.limits.lingerTimeout = .milliseconds(40)
            }
        ) { port, _ async throws in
            try await RawClient.pool.runIfActive {
                let busy = try RawClient(port: port)
                try Self.get(busy, "/held")
                try holding.wait(for: 1)
                // One has been answered, one has sent half a head, and one nothing.
                let idle = try (0..<3).map { _ in try RawClient(port: port) }
                try Self.get(idle[0], "/idle")
                #expect(try idle[0].reply().status == 200)
                try idle[1].send("GET /half HTTP/1.1\r\nHo")
                // More of them come than there are places.
                let others = try (0..<8).map { number in
                    let other = try RawClient(port: port)
                    try Self.get(other, "/\(number)")
                    #expect(try other.reply().text == "/\(number)")
                    return other
                }
                #expect(others.count == 8)
                for client in idle {
                    // Closed, or reset where it had sent something that was never read.
                    let rest = (try? client.receiveToEnd()) ?? ""
                    #expect(rest.isEmpty)
                }
                holding.release(0..<1)
                #expect(try busy.reply().text == "/held")
            }
        }
    }

    @Test func `an idle HTTP/2 connection sends GOAWAY when it is closed for another`() async throws {
        try await withServer(
            responder: ScriptedResponder.making { _ in .text("x") },
            configure: {
                $0.connectionLimit = 1
                $0.limits.assumesHTTP2 = true
                $0.limits.idleGrace = .milliseconds(1)
                $0.limits.lingerTimeout = .milliseconds(40)
            }
        ) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send(bytes: HTTP2FloodTests.preface)
                var all: [UInt8] = []
                while let more = try? client.receive(), !more.isEmpty { all += more }
                // GOAWAY without an error, as the last frame.
                #expect(Array(all.suffix(17)).starts(with: [0, 0, 8, 7, 0, 0, 0, 0, 0]))
                #expect(all.suffix(4) == [0, 0, 0, 0])
            }
        }
    }

    @Test(arguments: [
        "", "Host: a\r\nHost: a\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: u@a\r\n", "Host: a/b\r\n",
        "Host: a:b\r\n", "Host: a,b\r\n\tc\r\n",
    ])
    func `every responder receives only requests with one valid Host`(_ fields: String) async throws {
        let asked = Box<String>()
        let responder = LookingUpResponder(atHand: { request in
            asked.append(request.target)
            return .text(request.target)
        })
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.1\r\n\(fields)\r\n")
                #expect(try client.reply().status == 400)
            }
        }
        #expect(asked.values.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a client that reads no answers gets only a few`(_ isRepeated: Bool) async throws {
        let (count, size) = (5000, 20_000)
        let records = Box<String>()
        let responder = LookingUpResponder(atHand: { request in
            guard request.target == "/" else { return .text("other") }
            var answer = ServerAnswer(status: .ok, body: .bytes(ByteBuffer(repeating: 0x61, count: size)))
            if isRepeated {
                answer.repetition = Repetition(
                    changes: 0,
                    made: FakeCache.received,
                    end: FakeCache.received + Int64(90),
                    isForAllPlainRequests: true
                )
            }
            return answer
        })
        try await withServer(
            responder: responder,
            configure: {
                $0.now = { FakeCache.received }
                $0.onAnswer = { if $0.target == "/" { records.append($0.target) } }
            }
        ) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: count))
                let other = try RawClient(port: port)
                var last = -1
                // The server has time for much else, but gives this one no more.
                while records.values.count != last {
                    last = records.values.count
                    for _ in 0..<Self.much {
                        try Self.get(other, "/other")
                        #expect(try other.reply().text == "other")
                    }
                }
                // What the sockets hold: a few megabytes of the hundred.
                #expect(last < count / 2)
                for _ in 0..<count { #expect(try client.reply().body.count == size) }
            }
        }
        #expect(records.values.count == count)
    }
}
