import AFCURL
import NIOCore
import Testing

@testable import AFCResolver

@Suite struct FlightTests {
    @Test func `whoever looked into the store before a flight ended looks again`() throws {
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

    @Test func `whoever looked twice asks`() throws {
        let flights = Flights()
        let url = try WebURL("http://docs.example/a")
        let (flight, _) = try #require(flights.join(url, ended: nil))
        flights.leave(url, flight)
        #expect(try #require(flights.join(url, ended: nil)).isNew)
    }

    @Test func `one that nobody waits for any more ends, but not one that validates behind`() async throws {
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
