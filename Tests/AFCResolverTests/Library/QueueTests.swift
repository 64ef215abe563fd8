import AFCText
import AFCURL
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

@Suite struct QueueTests {
    private static func request(_ path: String, _ priority: RequestPriority = .normal) throws -> TransportRequest {
        TransportRequest(
            method: .get,
            url: try WebURL("http://docs.example/" + path),
            fields: HTTPFields(),
            priority: priority
        )
    }

    private final class Peak: Sendable {
        private let most = Mutex(0)
        var value: Int { most.withLock { $0 } }
        func see(_ number: Int) { most.withLock { $0 = max($0, number) } }
    }

    @Test func `a request of higher priority overtakes waiting ones`() async throws {
        let gate = Gate()
        let origin = FakeOrigin { _, number in FakeOrigin.Answer(body: ["x"], headGate: number == 1 ? gate : nil) }
        let transport = QueuedTransport(origin, limit: 1)
        let asked: [(String, RequestPriority)] = [
            ("first", .low), ("low", .low), ("normal-1", .normal), ("high-1", .high), ("normal-2", .normal),
            ("high-2", .high),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (path, priority)) in asked.enumerated() {
                let request = try Self.request(path, priority)
                group.addTask { _ = try await transport.send(request) { _, _ in }.text() }
                try await waitUntil("the request runs or waits") { origin.count + transport.queue.waiting > index }
            }
            gate.open()
            try await group.waitForAll()
        }
        let order = origin.requests.map { String($0.url.path.dropFirst()) }
        #expect(order == ["first", "high-1", "high-2", "normal-1", "normal-2", "low"])
        #expect(transport.queue.running == 0 && transport.queue.waiting == 0)
    }

    @Test func `a request counts until its body is read or abandoned`() async throws {
        let origin = FakeOrigin { request, _ in
            FakeOrigin.Answer(status: request.method == .head ? 304 : 200, body: request.method == .head ? [] : ["x"])
        }
        let transport = QueuedTransport(origin, limit: 2)
        let one = try await transport.send(try Self.request("1")) { _, _ in }
        var two: TransportResponse? = try await transport.send(try Self.request("2")) { _, _ in }
        #expect(transport.queue.running == 2)
        #expect(try await one.text() == "x")
        #expect(transport.queue.running == 1)
        #expect(two?.status == 200)
        two = nil
        #expect(transport.queue.running == 0)
        var head = try Self.request("3")
        head.method = .head
        let empty = try await transport.send(head) { _, _ in }
        #expect(transport.queue.running == 0 && empty.status == 304)
    }

    @Test func `a request that fails or is interrupted frees its place`() async throws {
        let origin = FakeOrigin { _, number in
            number == 1
                ? FakeOrigin.Answer(failure: TransportFailure(.unreachable, "nobody there"))
                : FakeOrigin.Answer(body: ["x"], breaksOff: true)
        }
        let transport = QueuedTransport(origin, limit: 1)
        for _ in 0..<2 {
            await #expect(throws: TransportFailure.self) {
                try await transport.send(try Self.request("a")) { _, _ in }.text()
            }
        }
        #expect(transport.queue.running == 0)
    }

    @Test func `a waiting request can be cancelled, and too many are refused`() async throws {
        let gate = Gate()
        let origin = FakeOrigin { _, _ in FakeOrigin.Answer(body: ["x"], headGate: gate) }
        let transport = QueuedTransport(origin, limit: 1, waitingLimit: 1)
        let request = try Self.request("a")
        let running = Task { try await transport.send(request) { _, _ in }.text() }
        try await origin.waitUntilAsked()
        let waiting = Task { try await transport.send(request) { _, _ in }.text() }
        try await waitUntil("a request waits") { transport.queue.waiting > 0 }
        let refused = await #expect(throws: TransportFailure.self) { try await transport.send(request) { _, _ in } }
        #expect(refused?.code == .refused)
        waiting.cancel()
        let cancelled = await #expect(throws: TransportFailure.self) { try await waiting.value }
        #expect(cancelled?.code == .cancelled)
        gate.open()
        #expect(try await running.value == "x")
        #expect(origin.count == 1 && transport.queue.running == 0)
    }

    @Test func `a thousand requests take turns`() async throws {
        let most = Peak()
        let origin = FakeOrigin { _, _ in FakeOrigin.Answer(body: ["x", "y"]) }
        let transport = QueuedTransport(origin, limit: 3)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                let request = try Self.request("\(number)", RequestPriority.allCases[number % 3])
                group.addTask {
                    let response = try await transport.send(request) { _, _ in }
                    most.see(transport.queue.running)
                    #expect(try await response.text() == "xy")
                }
            }
            try await group.waitForAll()
        }
        #expect(most.value <= 3)
        #expect(origin.count == 1000 && transport.queue.running == 0)
    }

    @Test func `answers from the cache don't wait`() async throws {
        let gate = Gate()
        let bench = try await LibraryBench(.fresh, limit: 1) { _, _ in FakeOrigin.Answer(headGate: gate) }
        let other = try WebURL("http://docs.example/other")
        async let waiting = bench.resolver.response(for: ResolverRequest(url: other))
        try await bench.origin.waitUntilAsked()
        #expect(try await bench.ask() == "hit old after 1")
        gate.open()
        _ = try await waiting
    }

    @Test func `a request's priority reaches the transport`() async throws {
        let bench = try await LibraryBench()
        _ = try await bench.resolver.response(for: ResolverRequest(url: bench.url), priority: .high)
        #expect(bench.origin.requests.map(\.priority) == [.high])
    }
}
