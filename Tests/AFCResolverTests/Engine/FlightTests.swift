import AFCURL
import NIOCore
import Synchronization
import Testing

@testable import AFCResolver

@Suite struct FlightTests {
    @Test func `a client that looked into the cache before a flight ended looks again`() throws {
        let flights = Flights()
        let url = try WebURL("http://docs.example/a")
        let before = flights.ended(url)
        let (flight, isNew) = try #require(flights.join(url, ended: before))
        #expect(isNew)
        #expect(try #require(flights.join(url, ended: before)).flight === flight)
        flights.leave(url, flight)
        flights.leave(url, flight)
        #expect(flights.join(url, ended: before) == nil)
        #expect(flights.ended(url) == before + 1)
        #expect(try #require(flights.join(url, ended: flights.ended(url))).isNew)
    }

    @Test func `a client that looked twice asks the origin`() throws {
        let flights = Flights()
        let url = try WebURL("http://docs.example/a")
        let (flight, _) = try #require(flights.join(url, ended: nil))
        flights.leave(url, flight)
        #expect(try #require(flights.join(url, ended: nil)).isNew)
    }

    @Test func `a client that arrives after the last one left gets no truncated body`() async throws {
        let flight = Flight()
        flight.onLastWaiter {}
        let first = Task { try await flight.outcome(isFirst: true) }
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        flight.resolve(.failed(TransportFailure(.unreachable, "nobody answers")))
        guard case .failed(let failure) = try await flight.outcome(isFirst: false) else {
            Issue.record("there is an answer")
            return
        }
        #expect(failure.code == .cancelled)
    }

    @Test func `a flight whose first client is still to come continues when others leave`() async throws {
        let flight = Flight()
        let cuts = Mutex(0)
        flight.onLastWaiter { cuts.withLock { $0 += 1 } }
        let other = Task { try await flight.outcome(isFirst: false) }
        other.cancel()
        await #expect(throws: CancellationError.self) { _ = try await other.value }
        #expect(cuts.withLock { $0 } == 0)
    }

    @Test func `a flight without waiters ends, but not a background validation`() async throws {
        let flight = Flight()
        let gone = Gate()
        flight.onLastWaiter { gone.open() }
        let task = Task { try await flight.outcome(isFirst: true) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await gone.pass()
        #expect(!flight.isBehind && Flight(isBehind: true).isBehind)
    }
}
