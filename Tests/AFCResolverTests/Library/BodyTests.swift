import AFCCache
import AFCCaching
import AFCURL
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

@Suite struct BodyTests {
    private final class Seen: Sendable {
        private let list = Mutex<[ResourceProgress]>([])
        var all: [ResourceProgress] { list.withLock { $0 } }
        func add(_ progress: ResourceProgress) { list.withLock { $0.append(progress) } }

        private let end = Mutex(false)
        var hasEnded: Bool { end.withLock { $0 } }
        func noteEnd() { end.withLock { $0 = true } }
    }

    @Test(arguments: [(true, "max-age=60"), (false, "max-age=60"), (true, "no-store")])
    func `progress is reported as a body arrives`(_ saysLength: Bool, _ control: String) async throws {
        let seen = Seen()
        let bench = try await LibraryBench { _, _ in
            FakeOrigin.Answer(fields: [("Cache-Control", control)], body: ["one", "three"], saysLength: saysLength)
        }
        let response = try await bench.resolver.response(for: ResolverRequest(url: bench.url), progress: seen.add)
        #expect(String(buffer: try await response.bytes(upTo: 8)) == "onethree")
        let expected: Int64? = saysLength ? 8 : nil
        #expect(seen.all.first == ResourceProgress(received: 0, expected: expected))
        #expect(seen.all.last == ResourceProgress(received: 8, expected: expected))
        #expect(seen.all.map(\.received) == seen.all.map(\.received).sorted())
    }

    @Test func `a stored response is available at once`() async throws {
        let seen = Seen()
        let bench = try await LibraryBench(.fresh)
        let response = try await bench.resolver.response(for: ResolverRequest(url: bench.url), progress: seen.add)
        #expect(seen.all == [ResourceProgress(received: 3, expected: 3)])
        #expect(response.storedBody?.size == 3)
        let head = try await bench.resolver.response(
            for: ResolverRequest(url: bench.url),
            options: .headOnly,
            progress: seen.add
        )
        #expect(seen.all.last == ResourceProgress(received: 0, expected: 0) && head.storedBody == nil)
    }

    @Test func `a stored body is read in pieces, whole and in parts`() async throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let bench = try await LibraryBench { _, _ in
            FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60"), ("Content-Type", "text/plain")], body: [text])
        }
        _ = try await bench.ask()
        let whole = try await bench.resolver.response(for: ResolverRequest(url: bench.url))
        var sizes: [Int] = []
        for try await piece in whole.pieces { sizes.append(piece.readableBytes) }
        #expect(sizes == [65_536, 65_536, 65_536, 3_392])
        for (range, expected) in [
            ("bytes=5-9", "56789"), ("bytes=199998-", "89"), ("bytes=-3", "789"),
        ] {
            let part = try await bench.resolver.response(
                for: ResolverRequest(url: bench.url, fields: [.range: range])
            )
            #expect(part.status == .partialContent && part.storedBody == nil)
            #expect(String(buffer: try await part.bytes(upTo: 100)) == expected)
        }
        let parts = try await bench.resolver.response(
            for: ResolverRequest(url: bench.url, fields: [.range: "bytes=0-1,4-5"])
        )
        let multipart = String(buffer: try await parts.bytes(upTo: 1000))
        #expect(multipart.contains("\r\n\r\n01\r\n--") && multipart.contains("\r\n\r\n45\r\n--"))
        #expect(parts.expectedBytes == Int64(multipart.utf8.count))
        #expect(bench.origin.count == 1)
    }

    /// Bytes without end, which count how many were taken.
    private struct Endless: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        typealias Failure = any Error

        let taken: Seen
        func makeAsyncIterator() -> Iterator { Iterator(taker: Taker(taken: taken)) }

        /// Tells when nobody can take anything any more.
        final class Taker: Sendable {
            let taken: Seen
            init(taken: Seen) { self.taken = taken }
            deinit { taken.noteEnd() }
        }

        struct Iterator: AsyncIteratorProtocol {
            let taker: Taker
            mutating func next() async throws -> ByteBuffer? {
                try Task.checkCancellation()
                taker.taken.add(ResourceProgress(received: 1024, expected: nil))
                return ByteBuffer(repeating: 7, count: 1024)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a body over the limit is no longer read, however long it is`() async throws {
        for control in ["no-store", "max-age=60"] {
            let taken = Seen()
            let origin = EndlessOrigin(control: control, body: Endless(taken: taken))
            let bench = try await LibraryBench()
            var configuration = Resolver.Configuration.library(now: { LibraryBench.noon })
            configuration.finishingBytes = 0
            let resolver = Resolver(store: bench.store, transport: origin, configuration: configuration)
            let request = ResolverRequest(url: bench.url)
            let failure = await #expect(throws: BodyTooLarge.self) {
                try await resolver.response(for: request).bytes(upTo: 100_000)
            }
            #expect(failure == BodyTooLarge(limit: 100_000))
            #expect(taken.all.count >= 97)
            // The transfer ends, and nothing is stored.
            try await waitUntil("nobody takes more of the body") { taken.hasEnded }
            #expect(try bench.store.candidates(for: bench.url).isEmpty)
        }
    }

    private struct EndlessOrigin: OriginTransport {
        let control: String
        let body: Endless

        func send(
            _ request: TransportRequest,
            interim: @escaping @Sendable (Int, HTTPFields) async -> Void
        ) async throws(TransportFailure) -> TransportResponse {
            TransportResponse(status: 200, fields: [.cacheControl: control], bodyLength: nil, body: body)
        }
    }

    @Test func `a body that declares a length over the limit isn't read`() async throws {
        let gate = Gate()
        let bench = try await LibraryBench { _, _ in
            FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60")], body: ["0123", "4567"], bodyGate: gate)
        }
        let response = try await bench.resolver.response(for: ResolverRequest(url: bench.url))
        await #expect(throws: BodyTooLarge(limit: 7)) { try await response.bytes(upTo: 7) }
        gate.open()
        let stored = try await LibraryBench(.fresh)
        let short = try await stored.resolver.response(for: ResolverRequest(url: stored.url))
        await #expect(throws: BodyTooLarge(limit: 2)) { try await short.bytes(upTo: 2) }
        #expect(try await short.bytes(upTo: 3).readableBytes == 3)
    }

    @Test func `a truncated body isn't treated as complete`() async throws {
        let bench = try await LibraryBench { _, _ in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=60")],
                body: ["one"],
                saysLength: false,
                breaksOff: true
            )
        }
        let response = try await bench.resolver.response(for: ResolverRequest(url: bench.url))
        await #expect(throws: TransportFailure.self) { try await response.bytes(upTo: 100) }
    }

    @Test func `waiting for a head, or for more of a body, can be cancelled`() async throws {
        for control in ["no-store", "max-age=60"] {
            let head = Gate()
            let body = Gate()
            let bench = try await LibraryBench { request, number in
                FakeOrigin.Answer(
                    fields: [("Cache-Control", control)],
                    body: ["one", "two"],
                    headGate: number == 1 ? head : nil,
                    bodyGate: body
                )
            }
            let waiting = Task { try await bench.ask() }
            try await bench.origin.waitUntilAsked()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            head.open()

            let began = Gate()
            let other = try WebURL("http://docs.example/b")
            let reading = Task {
                let response = try await bench.resolver.response(for: ResolverRequest(url: other))
                for try await _ in response.pieces { began.open() }
                // AsyncThrowingStream, which plays the origin here, just ends.
                try Task.checkCancellation()
            }
            await began.pass()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            body.open()
        }
    }
}
