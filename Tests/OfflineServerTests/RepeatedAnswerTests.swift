import AFCCaching
import AFCHTTP
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import AFCServer

/// Answers that go out again from memory.
@Suite(.timeLimit(.minutes(10)))
struct RepeatedAnswerTests {
    /// A responder whose answers may be repeated, with a clock and a number of changes to turn by hand.
    final class Origin: LookingUp {
        struct State {
            var asked: [String] = []
            var now = FakeCache.received
            var changes: UInt64 = 1
        }

        let state = Mutex(State())
        let isForAll: Bool

        init(isForAll: Bool = true) { self.isForAll = isForAll }

        var changes: UInt64 { state.withLock { $0.changes } }
        var asked: [String] { state.withLock { $0.asked } }
        func turn(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

        func lookUp(_ request: ServerRequest) -> ServerAnswer? {
            state.withLock { state in
                state.asked.append(request.target)
                var answer = ServerAnswer.text("body of \(request.target) \(request.fields[.range] ?? "")")
                let age = state.now.secondsSinceEpoch - FakeCache.received.secondsSinceEpoch
                answer.fields[.age] = String(age + 8)
                answer.fields[.cacheStatus] = "other; hit; ttl=7, afcache; hit; ttl=\(12 - age)"
                answer.cacheStatus = CacheStatus(isHit: true, ttl: 12 - age)
                answer.fields[.eTag] = "\"5f\""
                answer.repetition = Repetition(
                    changes: state.changes,
                    made: state.now,
                    end: FakeCache.received + 12,
                    isForAllPlainRequests: isForAll
                )
                return answer
            }
        }

        func answer(
            _ request: ServerRequest,
            interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
        ) async throws -> ServerAnswer { throw FakeCache.Failure() }
    }

    static func serve(_ origin: Origin, _ body: @escaping @Sendable (RawClient) throws -> Void) async throws {
        try await withServer(
            responder: origin,
            configure: { $0.now = { origin.state.withLock { $0.now } } }
        ) { port, _ async throws in try await RawClient.run(port: port) { client throws in try body(client) } }
    }

    static func get(_ client: RawClient, _ target: String = "/x", _ fields: String = "") throws -> RawClient.Reply {
        try client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return try client.reply()
    }

    @Test func `age and ttl are updated without asking the origin`() async throws {
        let origin = Origin()
        try await Self.serve(origin) { client throws in
            for (second, age, ttl) in [
                (0, "8", "12"), (1, "9", "11"), (2, "10", "10"), (3, "11", "9"), (11, "19", "1"),
            ] {
                origin.turn { $0.now = FakeCache.received + Int64(second) }
                for _ in 0..<2 {
                    let reply = try Self.get(client)
                    #expect(reply["age"] == age)
                    #expect(reply["cache-status"] == "other; hit; ttl=7, afcache; hit; ttl=\(ttl)")
                    #expect(reply["etag"] == "\"5f\"")
                    #expect(reply["content-length"] == "11")
                    #expect(reply.text == "body of /x ")
                }
            }
            #expect(origin.asked == ["/x"])
            origin.turn { $0.now = FakeCache.received + 12 }
            #expect(try Self.get(client)["age"] == "20")
            #expect(origin.asked == ["/x", "/x"])
        }
    }

    @Test func `a change is seen by the next request`() async throws {
        let origin = Origin()
        try await Self.serve(origin) { client throws in
            for round in 1...3 {
                for _ in 0..<3 { _ = try Self.get(client) }
                #expect(origin.asked.count == round)
                origin.turn { $0.changes += 1 }
            }
        }
    }

    @Test(arguments: [
        "Range: bytes=0-1\r\n", "If-None-Match: \"5f\"\r\n", "if-modified-since: x\r\n", "Cache-Control: no-cache\r\n",
        "PRAGMA: no-cache\r\n", "Authorization: Basic x\r\n", "Connection: close\r\n",
        "Connection: keep-alive, x-hop\r\n", "Content-Length: 0\r\n", "Expect: 100-continue\r\n", "Upgrade: x\r\n",
    ])
    func `a response to a field that changes it is never served for a plain request`(_ field: String) async throws {
        let origin = Origin()
        try await Self.serve(origin) { client throws in
            _ = try Self.get(client)
            _ = try Self.get(client, "/x", field)
            #expect(origin.asked.count == 2, "\(field)")
        }
    }

    @Test func `other request fields make no difference unless the answer says so`() async throws {
        for (isForAll, count) in [(true, 1), (false, 3)] {
            let origin = Origin(isForAll: isForAll)
            try await Self.serve(origin) { client throws in
                _ = try Self.get(client)
                _ = try Self.get(client, "/x", "User-Agent: one\r\nAccept: */*\r\n")
                _ = try Self.get(client, "/x", "User-Agent: two\r\nConnection: Keep-Alive\r\n")
                // The same head once more.
                _ = try Self.get(client, "/x", "User-Agent: two\r\nConnection: Keep-Alive\r\n")
                #expect(origin.asked.count == count)
            }
        }
    }

    @Test func `a stored range is served again only for the same range`() async throws {
        let origin = Origin()
        try await Self.serve(origin) { client throws in
            for _ in 0..<2 {
                #expect(try Self.get(client, "/x", "Range: a\r\n").text == "body of /x a")
                #expect(try Self.get(client, "/x", "Range: b\r\n").text == "body of /x b")
                #expect(try Self.get(client, "/x").text == "body of /x ")
            }
            #expect(origin.asked.count == 3)
        }
    }

    @Test func `HEAD, old HTTP versions and other hosts have answers of their own`() async throws {
        let origin = Origin()
        try await withServer(
            responder: origin,
            configure: { $0.now = { FakeCache.received } }
        ) { port, _ async throws in
            for _ in 0..<2 {
                let get = try await RawClient.get(port: port, "/x", host: "h")
                let head = try await RawClient.get(port: port, "/x", host: "h", method: "HEAD")
                #expect(head["content-length"] == get["content-length"])
                #expect(head.body.isEmpty)
                #expect(try await RawClient.get(port: port, "/x", host: "other").status == 200)
                let old = try await RawClient.run(port: port) { client throws in
                    try client.send("GET /x HTTP/1.0\r\nHost: h\r\n\r\n")
                    return try client.receiveToEnd()
                }
                #expect(old.contains("Connection: close\r\n"))
            }
            // HTTP/1.0 is never answered from memory; which loop a connection lives on decides about the others.
            #expect((5...8).contains(origin.asked.count))
        }
    }

    private static let repeatable: ServerAnswer = {
        var answer = ServerAnswer(status: .ok)
        answer.repetition = Repetition(
            changes: 1,
            made: FakeCache.received,
            end: FakeCache.received + 60,
            isForAllPlainRequests: true
        )
        return answer
    }()

    @Test(arguments: [("Age: 8", true), ("Age: 08, 9", false), ("AGE: -1", false), ("Date: x", true), ("Age: ", false)])
    func `an answer whose age can't be updated isn't kept`(_ line: String, _ isKept: Bool) {
        let wire = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(line)\r\n\r\n")
        let answer = HotAnswer(Self.repeatable, wire: wire, headLength: wire.readableBytes)
        #expect((answer != nil) == isKept)
    }

    @Test func `room is made for the current request`() throws {
        let table = HotTable(byteLimit: 100_000)
        var wire = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")
        let headLength = wire.readableBytes
        wire.writeRepeatingByte(0x61, count: 1000)
        func target(_ number: Int) -> HotTable.Target {
            HotTable.Target(isHead: false, host: "h", target: "/\(number)", context: 1)
        }
        for number in 0..<1000 {
            table.insert(
                try #require(HotAnswer(Self.repeatable, wire: wire, headLength: headLength)),
                for: target(number)
            )
            #expect(table.find(target(0)) != nil, "what is used stays")
        }
        let kept = (0..<1000).count { table.find(target($0)) != nil }
        #expect((20...80).contains(kept))
        #expect(table.find(target(999)) != nil)
    }
}
