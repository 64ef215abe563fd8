import AFCCache
import AFCCaching
import AFCHTTP
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import AFCServer

/// The clock of this machine.
@Sendable func wallClock() -> Timestamp { Timestamp(secondsSinceEpoch: Int64(time(nil))) }

/// What answers from a store, by the clock of this machine.
func offline(_ store: any OfflineAnswering) -> CacheResponder {
    CacheResponder(store: store, policy: OfflinePolicy(), now: wallClock)
}

/// Starts a server around a store.
func withServer<Value: Sendable>(
    _ store: any OfflineAnswering,
    policy: OfflinePolicy = OfflinePolicy(),
    matching: QueryMatching = .exact,
    at now: Timestamp = FakeCache.received + 60,
    configure: (inout Server.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (UInt16, ServiceGroup) async throws -> Value
) async throws -> Value {
    let responder = CacheResponder(store: store, policy: policy, matching: matching, now: { now })
    return try await withServer(responder: responder, at: now, configure: configure, body)
}

/// Starts a server on a free port, runs the body, and shuts it down gracefully.
func withServer<Value: Sendable>(
    responder: any Responding,
    at now: Timestamp = FakeCache.received + 60,
    configure: (inout Server.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (UInt16, ServiceGroup) async throws -> Value
) async throws -> Value {
    var configuration = Server.Configuration(now: { now })
    // However slow the machine is, a test meets a timeout only if it sets one.
    configuration.limits.idleTimeout = .minutes(10)
    configuration.limits.stallTimeout = .minutes(10)
    configure(&configuration)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let (ports, ready) = AsyncStream<UInt16>.makeStream()
    let server = Server(responder: responder, configuration: configuration, logger: logger) { address in
        ready.yield(address.port)
        ready.finish()
    }
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        guard let port = await iterator.next() else { throw RawClient.Failure(message: "no port") }
        let value: Value
        do {
            value = try await body(port, group)
        } catch {
            tasks.cancelAll()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return value
    }
}

/// Collects from any thread.
final class Box<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])
    var values: [Element] { storage.withLock { $0 } }
    func append(_ element: Element) { storage.withLock { $0.append(element) } }
}
