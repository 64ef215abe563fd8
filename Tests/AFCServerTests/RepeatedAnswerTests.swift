import AFCCache
import AFCCaching
import AFCHTTP
import AFCMemory
import AFCPlatform
import AFCURL
import HTTPTypes
import NIOCore
import NIOHPACK
import Synchronization
import TestSupport
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
        let heedsCacheControl: Bool

        init(isForAll: Bool = true, heedsCacheControl: Bool = true) {
            (self.isForAll, self.heedsCacheControl) = (isForAll, heedsCacheControl)
        }

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

    @Test func `without origins, a reload is a plain request, and a demand on freshness is not`() async throws {
        let origin = Origin(heedsCacheControl: false)
        try await Self.serve(origin) { client throws in
            _ = try Self.get(client)
            for value in ["max-age=0", "no-cache", "max-age=259200", "ONLY-IF-CACHED"] {
                _ = try Self.get(client, "/x", "Cache-Control: \(value)\r\nPragma: no-cache\r\n")
            }
            #expect(origin.asked.count == 1)
            for (count, value) in [(2, "Max-Stale=5"), (3, "no-cache, min-fresh=1")] {
                _ = try Self.get(client, "/x", "Cache-Control: \(value)\r\n")
                #expect(origin.asked.count == count, "\(value)")
            }
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

    @Test func `a stored range is served again only for the same range, from the third time on`() async throws {
        let origin = Origin()
        try await Self.serve(origin) { client throws in
            for _ in 0..<3 {
                #expect(try Self.get(client, "/x", "Range: a\r\n").text == "body of /x a")
                #expect(try Self.get(client, "/x", "Range: b\r\n").text == "body of /x b")
                #expect(try Self.get(client, "/x").text == "body of /x ")
            }
            #expect(origin.asked.count == 5)
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

    @Test func `HTTP 1.1 and HTTP 2 repeat each other's answers`() async throws {
        let origin = Origin()
        try await SecureTests.serve(
            origin,
            configure: { $0.now = { origin.state.withLock { $0.now } } }
        ) { port, authority async throws in
            /// Returns the fields, sorted, and the body.
            func get(_ version: String, _ target: String, _ options: [String] = []) async throws -> [String] {
                let url = "https://docs.example:\(port)\(target)"
                let reply = try await SecureTests.get(port, authority, [version, "-i", url] + options)
                let lines = reply.text.split(separator: "\r\n", omittingEmptySubsequences: false)
                let fields = lines.dropFirst().prefix { !$0.isEmpty }.map { $0.lowercased() }
                return fields.sorted() + lines.dropFirst(fields.count + 2).map(String.init)
            }
            for (target, versions) in [("/a", ["--http2", "--http1.1"]), ("/b", ["--http1.1", "--http2"])] {
                for second in [0, 2] as [Int64] {
                    origin.turn { $0.now = FakeCache.received + second }
                    for version in versions + versions {
                        let reply = try await get(version, target)
                        #expect(reply.contains("age: \(8 + second)") && reply.contains("content-length: 11"))
                        #expect(reply.contains("cache-status: other; hit; ttl=7, afcache; hit; ttl=\(12 - second)"))
                        #expect(reply.last == "body of \(target) ")
                    }
                }
                #expect(try await get(versions[0], target) == get(versions[1], target))
                let whole = try await get(versions[0], target)
                for version in versions {
                    #expect(try await get(version, target, ["--head"]).dropLast() == whole.dropLast(1))
                    #expect(try await get(version, target, ["-H", "Cookie: a"]) == whole)
                }
            }
            #expect(origin.asked == ["/a", "/a", "/b", "/b"], "each is looked up once, for GET and for HEAD")
            for field in ["Range: a", "Cache-Control: no-cache", "Authorization: Basic x"] {
                _ = try await get("--http2", "/a", ["-H", field])
            }
            #expect(origin.asked.count == 7)
            origin.turn { $0.changes += 1 }
            _ = try await get("--http2", "/a")
            #expect(origin.asked.count == 8)
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

    private static let wire: (bytes: ByteBuffer, headLength: Int) = {
        var wire = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")
        let headLength = wire.readableBytes
        wire.writeRepeatingByte(0x61, count: 1000)
        return (wire, headLength)
    }()

    private static func target(_ number: Int) -> HotTable.Target {
        HotTable.Target(isHead: false, host: "h", target: "/\(number)", context: 1)
    }

    /// Requests a target like a connection does, and returns whether the answer was in the table.
    private static func request(_ number: Int, from table: HotTable, changes: UInt64 = 1) throws -> Bool {
        let target = target(number)
        if let found = table.find(target) {
            if found.isValid(at: FakeCache.received, changes: changes) { return true }
            table.remove(found)
        }
        var made = Self.repeatable
        made.repetition?.changes = changes
        let answer = try #require(HotAnswer(made, wire: wire.bytes, headLength: wire.headLength))
        let key = HotTable.Key(target)
        let view = HotTable.View(now: FakeCache.received, changes: changes)
        let body = answer.keptBodySize
        if table.admits(key, head: answer.headSize, body: body, isOnDisk: false, at: view) == .whole {
            table.insert(answer, key: key, target: target, entry: nil)
        }
        return false
    }

    @Test func `requests made once don't displace answers that are requested often`() throws {
        let table = HotTable(byteLimit: 100_000)
        for _ in 0..<3 { for number in 0..<20 { _ = try Self.request(number, from: table) } }
        for number in 1000..<5000 {
            _ = try Self.request(number, from: table)
            #expect(table.bytes <= 100_000)
        }
        for number in 0..<20 { #expect(try Self.request(number, from: table)) }
        let kept = try (1000..<5000).count { try Self.request($0, from: table) }
        #expect((10...80).contains(kept), "what has room is kept")
    }

    @Test func `answers that are requested often come in place of those that no longer are`() throws {
        let table = HotTable(byteLimit: 100_000)
        for _ in 0..<3 { for number in 0..<100 { _ = try Self.request(number, from: table) } }
        for _ in 0..<40 { for number in 1000..<1020 { _ = try Self.request(number, from: table) } }
        let kept = try (1000..<1020).count { try Self.request($0, from: table) }
        #expect(kept >= 18, "\(kept)")
    }

    @Test func `answers that are out of date leave first`() throws {
        let table = HotTable(byteLimit: 100_000)
        for _ in 0..<10 { for number in 0..<40 { _ = try Self.request(number, from: table) } }
        for number in 1000..<1040 { _ = try Self.request(number, from: table, changes: 2) }
        let kept = try (1000..<1040).count { try Self.request($0, from: table, changes: 2) }
        #expect(kept == 40)
    }

    @Test func `an answer is found under a few heads, which take their part of the room`() throws {
        let table = HotTable(byteLimit: 100_000)
        _ = try Self.request(0, from: table)
        let answer = try #require(table.find(Self.target(0)))
        let before = table.bytes
        func head(_ number: Int) -> ByteBuffer { ByteBuffer(string: "GET /0 HTTP/1.1\r\nX: \(number)\r\n\r\n") }
        func isFound(_ number: Int) -> Bool {
            head(number).withUnsafeReadableBytes { table.find(head: $0, context: 1) } != nil
        }
        for number in 0..<1000 {
            table.insert(HotTable.HeadEntry(head: head(number), context: 1, answer: answer, record: nil))
        }
        #expect((0..<1000).count(where: isFound) == HotTable.headsPerAnswer)
        #expect(isFound(999))
        #expect(head(999).withUnsafeReadableBytes { table.find(head: $0, context: 2) } == nil)
        #expect(table.bytes > before)
        table.remove(answer)
        #expect(table.bytes == 0)
        #expect(!isFound(999))
    }

    #if os(Linux)
    /// The place of a packaged body, and its path.
    private static func place(of text: String, in folder: String) async throws -> (BodyPlace, path: String) {
        let url = "http://docs.example/a"
        let store = try await RealStoreTests.store(in: folder, bodies: [(url, text)])
        let request = OfflineRequest(method: .get, url: try WebURL(url), fields: [:])
        // An index that is used often is copied into memory, so that answers take no wait for a disk.
        for _ in 0..<100 { _ = try store.respond(to: request, now: FakeCache.received, policy: OfflinePolicy()) }
        let answer = try #require(
            try store.respond(to: request, now: FakeCache.received, policy: OfflinePolicy(), .urlAtOnce)
        )
        let body = try #require(answer.body)
        return (try #require(BodyStream(.whole, of: body).place), body.path)
    }

    @Test func `a head in memory is sent with the body from the disk, which may come into memory`() async throws {
        let scratch = try Scratch()
        let text = String(repeating: "text ", count: 2000)
        let (place, path) = try await Self.place(of: text, in: scratch.path)
        func head(_ age: Int) -> String { "HTTP/1.1 200 OK\r\nAge: \(age)\r\n\r\n" }
        let wire = ByteBuffer(string: head(9))
        let hot = try #require(HotAnswer(Self.repeatable, wire: wire, headLength: wire.readableBytes, place: place))
        func sent(after seconds: Int64) -> String? {
            hot.wire(at: FakeCache.received + seconds).map { String(buffer: $0) }
        }
        #expect(sent(after: 0) == head(9) + text)
        #expect(sent(after: 3) == head(12) + text)
        let message = try #require(hot.message(at: FakeCache.received + 3))
        #expect(message.fields.first(name: "age") == "12" && String(buffer: message.body) == text)
        #expect(hot.keptBodySize == 0 && hot.bodyBytes == text.utf8.count)
        #expect((0..<16).count { _ in hot.noteUse() } == 2)
        hot.keepBody(ByteBuffer(string: text))
        #expect(hot.keptBodySize == text.utf8.count && !hot.noteUse())
        #expect(truncate(path, 3) == 0)
        #expect(sent(after: 4) == head(13) + text)
        hot.dropBody()
        #expect(sent(after: 4) == nil && hot.message(at: FakeCache.received + 4) == nil)
    }

    @Test func `bodies on the disk make room for heads, and come back if they are requested more often`() async throws {
        let scratch = try Scratch()
        let text = String(repeating: "text ", count: 600)
        let (place, _) = try await Self.place(of: text, in: scratch.path)
        let table = HotTable(byteLimit: 100_000)
        let view = HotTable.View(now: FakeCache.received, changes: 1)
        var whole = Self.wire.bytes.getSlice(at: 0, length: Self.wire.headLength) ?? ByteBuffer()
        let head = whole
        whole.writeString(text)
        for number in 0..<60 {
            let size = HotAnswer.size(head: head.readableBytes, body: 0)
            let key = HotTable.Key(Self.target(number))
            let part = table.admits(key, head: size, body: text.utf8.count, isOnDisk: true, at: view)
            #expect(part != .none)
            let bytes = part == .whole ? whole : head
            let hot = HotAnswer(Self.repeatable, wire: bytes, headLength: head.readableBytes, place: place)
            table.insert(try #require(hot), key: key, target: Self.target(number), entry: nil)
            #expect(table.bytes <= 100_000)
        }
        let answers = (0..<60).compactMap { table.find(Self.target($0)) }
        #expect(answers.count == 60, "every head is kept")
        #expect(answers.contains { $0.keptBodySize == 0 })
        for answer in answers { #expect(answer.wire(at: FakeCache.received)?.readableBytes == whole.readableBytes) }
        let wanted = try #require(answers.first { $0.keptBodySize == 0 })
        let number = try #require(answers.firstIndex { $0 === wanted })
        for _ in 0..<10 { #expect(table.find(Self.target(number)) === wanted) }
        let isKept = (0..<4).contains { _ in table.keep(ByteBuffer(string: text), of: wanted, at: view) }
        #expect(isKept && table.bytes <= 100_000 && wanted.keptBodySize == text.utf8.count)
        #expect(!table.keep(ByteBuffer(string: text), of: wanted, at: view), "it is already there")
        for answer in answers { table.remove(answer) }
        #expect(table.bytes == 0)
    }
    #endif

    @Test func `an answer that no request can find takes no room`() throws {
        let table = HotTable(byteLimit: 100_000)
        let answer = try #require(HotAnswer(Self.repeatable, wire: Self.wire.bytes, headLength: Self.wire.headLength))
        let long = ByteBuffer(repeating: 0x61, count: HotTable.headLimit + 1)
        let key = long.withUnsafeReadableBytes { HotTable.Key(head: $0, context: 1) }
        let entry = HotTable.HeadEntry(head: long, context: 1, answer: answer, record: nil)
        table.insert(answer, key: key, target: nil, entry: entry)
        #expect(table.bytes == 0)
        table.insert(answer, key: key, target: nil, entry: nil)
        #expect(table.bytes == 0)
    }

    @Test func `counts are never too low, and forget with time`() {
        var counts = RequestCounts()
        let hashes = (0..<1000).map { "\($0)".hashValue }
        for (number, hash) in hashes.enumerated() { for _ in 0..<(number % 12) { counts.count(hash) } }
        for (number, hash) in hashes.enumerated() { #expect(Int(counts.estimate(hash)) >= number % 12) }
        let exact = hashes.enumerated().count { Int(counts.estimate($1)) == $0 % 12 }
        #expect(exact > 990)
        for _ in 0..<100 { counts.count(hashes[0]) }
        #expect(counts.estimate(hashes[0]) == RequestCounts.limit)
        for number in 0..<1_500_000 { counts.count((number &+ 7) &* 0x1E37_79B9_7F4A_7C15) }
        #expect(counts.estimate(hashes[0]) < RequestCounts.limit)
    }
}
