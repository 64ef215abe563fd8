import AFCText
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import AFCServer

@Suite(.serialized, .timeLimit(.minutes(10)))
struct StreamingTests {
    static let size: Int64 = 64 * 1024 * 1024

    /// A sparse file with a mark at its end.
    static func store(_ scheme: String = "http") throws -> FakeCache {
        var store = try FakeCache()
        let file = store.folder.appending(path: "big")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        let handle = try FileHandle(forWritingTo: file)
        try handle.seek(toOffset: UInt64(Self.size - 4))
        try handle.write(contentsOf: Data("mark".utf8))
        try handle.close()
        try store.add("\(scheme)://docs.example/big", file: file, size: Self.size, [("ETag", "\"big\"")])
        return store
    }

    static let request = "GET /docs.example/big HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// The open descriptors of this process that lead to the file.
    static func openCount(_ store: FakeCache) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
            return target?.hasSuffix(store.folder.lastPathComponent + "/big") ?? false
        }
    }

    @Test func `a big body arrives whole even if the reader is slow`() async throws {
        let (count, tail, next) = try await withServer(try Self.store()) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(Self.request)
                let head = try client.head()
                #expect(head["content-length"] == String(Self.size))
                var count: Int64 = 0
                var tail: [UInt8] = []
                var pauses = 0
                while count < Self.size {
                    let bytes = try client.receive(1 << 18)
                    guard !bytes.isEmpty else { break }
                    count += Int64(bytes.count)
                    tail = Array((tail + bytes.suffix(4)).suffix(4))
                    if pauses < 20 {
                        usleep(20_000)
                        pauses += 1
                    }
                }
                try client.send("GET /.afcache/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return (count, tail, try client.reply().text)
            }
        }
        #expect(count == Self.size)
        #expect(tail == Array("mark".utf8))
        #expect(next == "ok\n")
    }

    @Test func `a body that becomes shorter while it is sent ends the connection`() async throws {
        let store = try Self.store()
        let path = store.folder.appending(path: "big")
        // Reads the body, so that it is in memory and the system sends it.
        #expect(try Data(contentsOf: path).count == Self.size)
        try await withServer(store, configure: { $0.limits.stallTimeout = .minutes(30) }) { port, _ async throws in
            let count = try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(Self.request)
                var count = try client.head().body.count
                #expect(truncate(path.path, 1000) == 0)
                while let bytes = try? client.receive(1 << 18), !bytes.isEmpty { count += bytes.count }
                return count
            }
            #expect(count < Self.size)
        }
    }

    #if os(Linux)
    @Test func `a client that stops reading slows the server, and one that disconnects releases the file`() async throws
    {
        let store = try Self.store()
        let records = Box<AccessRecord>()
        try await withServer(store, configure: { $0.onAnswer = { records.append($0) } }) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(Self.request)
                _ = try client.head()
                try waitOnThread(until: "the server has the file open once") { try Self.openCount(store) == 1 }
            }
            try await waitUntil("the server has closed the file") { try Self.openCount(store) == 0 }
        }
        let record = try #require(records.values.first)
        #expect(!record.isComplete)
        // What the sockets hold, and one chunk: not the body.
        #expect(record.bytes < 16 * 1024 * 1024)
    }

    @Test func `a client that reads nothing is disconnected`() async throws {
        let store = try Self.store()
        let records = Box<AccessRecord>()
        try await withServer(
            store,
            configure: {
                $0.limits.stallTimeout = .milliseconds(300)
                $0.onAnswer = { records.append($0) }
            }
        ) { port, _ async throws in
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(Self.request)
                try waitOnThread(until: "the server has given the answer up") { !records.values.isEmpty }
                try waitOnThread(until: "the server has closed the file") { try Self.openCount(store) == 0 }
            }
        }
        #expect(records.values.map(\.status) == [200] && records.values.allSatisfy { !$0.isComplete })
    }
    #endif

    @Test func `a client that sends its request too slowly, or not at all, is disconnected`() async throws {
        try await withServer(try Self.store(), configure: { $0.limits.idleTimeout = .milliseconds(400) }) {
            port,
            _ async throws in
            let silent = try await RawClient.run(port: port) { client throws in try client.receiveToEnd() }
            #expect(silent.isEmpty)
            let slow = try await RawClient.run(port: port) { client throws in
                var sent = 0
                // A head without an end: what ends it is the server.
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
                try waitOnThread(until: "the server has ended the connection", pause: .milliseconds(40)) {
                    if (try? client.send("a")) == nil { return true }
                    sent += 1
                    return false
                }
                return sent
            }
            #expect(slow > 0)
        }
    }

    @Test func `a graceful shutdown lets an answer end and closes idle connections`() async throws {
        let store = try Self.store()
        let (started, ended) = (Box<String>(), Box<String>())
        try await withServer(store) { port, group async throws in
            async let idle = RawClient.run(port: port) { client throws in
                try client.send("GET /.afcache/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.reply()
                started.append("idle")
                return try client.receiveToEnd()
            }
            async let busy = RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(Self.request)
                _ = try client.head()
                started.append("busy")
                try waitOnThread(until: "the shutdown has begun") { !ended.values.isEmpty }
                var count: Int64 = 0
                while count < Self.size {
                    let bytes = try client.receive(1 << 18)
                    guard !bytes.isEmpty else { break }
                    count += Int64(bytes.count)
                }
                return count
            }
            try await waitUntil("both clients have their answers' heads") { started.values.count == 2 }
            await group.triggerGracefulShutdown()
            ended.append("shut down")
            #expect(try await idle.isEmpty)
            #expect(try await busy == Self.size)
            await #expect(throws: RawClient.Failure.self) {
                try await RawClient.run(port: port) { client throws in
                    try client.send(Self.request)
                    guard try !client.receive().isEmpty else { throw RawClient.Failure(message: "closed") }
                }
            }
        }
    }

    /// One after the other: a signal reaches every server of the process that waits for one.
    @Test(.timeLimit(.minutes(10))) func `the first signal drains, the second quits`() async throws {
        for signals in [1, 2] { try await Self.end(by: signals) }
    }

    private static func end(by signals: Int) async throws {
        let store = try Self.store()
        var configuration = Server.Configuration(now: wallClock)
        // So long that only a second signal can end it in the time that the test has.
        configuration.drainSeconds = signals == 1 ? 1 : 86_400
        let (ports, ready) = AsyncStream<UInt16>.makeStream()
        let ended = Box<Bool>()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            let configuration = configuration
            tasks.addTask {
                defer { ended.append(true) }
                try await Server.run(responder: offline(store), configuration: configuration) {
                    ready.yield($0.port)
                }
            }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await RawClient.run(port: port, receiveBuffer: 16384) { client throws in
                try client.send(request)
                _ = try client.head()
                // The client doesn't read on, so that the answer can't end.
                kill(getpid(), SIGTERM)
                // On a busy machine several that come soon after each other count as one.
                try waitOnThread(until: "the server has ended") {
                    if signals > 1 { kill(getpid(), SIGTERM) }
                    return !ended.values.isEmpty
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test func `an address in use is an error that says so`() async throws {
        try await withServer(try Self.store()) { port, _ async throws in
            let second = Server.Configuration(port: port, now: wallClock)
            let store = try Self.store()
            let error = await #expect(throws: ServerError.self) {
                try await Server.run(responder: offline(store), configuration: second) { _ in }
            }
            #expect(error?.code == .addressInUse)
            #expect(error?.description.hasPrefix("cannot listen at '127.0.0.1:\(port)': another program") == true)
        }
    }

    @Test func `the address of each socket is reported`() async throws {
        var configuration = Server.Configuration(now: wallClock)
        configuration.sockets = [try Sockets.listening(), try Sockets.listening()]
        let expected = configuration.sockets.compactMap { socket in Sockets.port { getsockname(socket, $0, $1) } }
        let (settings, ports) = (configuration, Box<UInt16>())
        let server = Task {
            try await Server.runUntilCancelled(responder: ScriptedResponder(), configuration: settings) {
                ports.append($0.port)
            }
        }
        try await waitUntil("both addresses are reported") { ports.values.count == 2 }
        #expect(ports.values == expected)
        server.cancel()
        try await server.value
    }

    /// As in a URL, which is where people copy it from.
    @Test func `an IPv6 address may have brackets`() async throws {
        let settings = Server.Configuration(host: "[::1]", now: wallClock)
        let addresses = Box<String>()
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    try await Server.runUntilCancelled(responder: ScriptedResponder(), configuration: settings) {
                        addresses.append("\($0.host) \($0)")
                    }
                }
                tasks.addTask { try await waitUntil("the server listens") { !addresses.values.isEmpty } }
                _ = try await tasks.next()
                tasks.cancelAll()
            }
            #expect(addresses.values.first?.hasPrefix("::1 [::1]:") == true)
        } catch let error as ServerError {
            // A machine without IPv6.
            #expect(error.description == "cannot listen at '[::1]:0': this machine has no such address")
        }
    }

    @Test func `a host that can't be found is an error that says so`() async throws {
        let store = try Self.store()
        // With an empty label, no name server is asked.
        let configuration = Server.Configuration(host: "a..example", port: 0, now: wallClock)
        let error = await #expect(throws: ServerError.self) {
            try await Server.run(responder: offline(store), configuration: configuration) { _ in }
        }
        #expect(error?.description.hasPrefix("cannot listen at 'a..example:0': its host can't be found") == true)
        #expect(error?.remedy == .chooseAddress)
    }

    /// Something that a server holds as long as anything of it is left.
    private final class Held: Sendable {}

    private struct HoldingLog: LogHandler {
        let held: Held
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {}
    }

    @Test func `a server that can't start keeps nothing in memory`() async throws {
        func start() async throws -> () -> Held? {
            let held = Held()
            let logger = Logger(label: "test") { [held] _ in HoldingLog(held: held) }
            let configuration = Server.Configuration(host: "a..example", port: 0, now: wallClock)
            let server = Server(
                responder: ScriptedResponder(),
                configuration: configuration,
                logger: logger,
                onReady: { _ in }
            )
            do {
                try await server.run()
                Issue.record("the server has started")
            } catch let error as ServerError {
                #expect(error.remedy == .chooseAddress)
            }
            return { [weak held] in held }
        }
        let held = try await start()
        try await waitUntil("the server is released", patience: .seconds(60)) { held() == nil }
    }
}
