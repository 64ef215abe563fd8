import AFCCache
import AFCCaching
import AFCHTTP
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

/// A program's say in what is stored, and for how long.
@Suite struct StoringTests {
    /// A clock that a test turns.
    final class Clock: Sendable {
        private let time = Mutex(LibraryBench.noon)
        var now: Timestamp { time.withLock { $0 } }
        func advance(_ seconds: Int64) { time.withLock { $0 = $0 + seconds } }
    }

    let scratch: Scratch
    let clock = Clock()
    let url: WebURL

    init() throws {
        scratch = try Scratch()
        url = try WebURL("http://docs.example/a")
    }

    private func resolver(
        _ origin: FakeOrigin,
        _ change: (inout Resolver.Configuration) -> Void = { _ in }
    ) throws -> Resolver {
        let clock = clock
        var configuration = Resolver.Configuration.library(now: { clock.now })
        change(&configuration)
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        return Resolver(store: store, transport: origin, configuration: configuration)
    }

    private func ask(_ resolver: Resolver, _ change: (inout ResolverRequest) -> Void = { _ in }) async throws -> String
    {
        var request = ResolverRequest(url: url)
        change(&request)
        let response = try await resolver.response(for: request)
        let body = String(buffer: try await response.bytes(upTo: 1 << 20))
        let info = response.userInfo.map { " (" + String(decoding: $0, as: UTF8.self) + ")" } ?? ""
        return "\(response.source) \(body)\(info)"
    }

    private static func origin(_ fields: [(String, String)], body: String = "body") -> FakeOrigin {
        FakeOrigin { _, number in FakeOrigin.Answer(fields: fields, body: ["\(body) \(number)"]) }
    }

    @Test(
        arguments: [
            // fields, default, assigned, answers after 0, 50 and 150 seconds
            ([], nil, nil, ["miss body 1", "miss body 2", "miss body 3"]),
            ([], 100, nil, ["miss body 1", "hit body 1", "miss body 2"]),
            ([("Cache-Control", "max-age=10")], 100, nil, ["miss body 1", "miss body 2", "miss body 3"]),
            ([("Cache-Control", "max-age=10")], nil, 100, ["miss body 1", "hit body 1", "miss body 2"]),
            ([("Cache-Control", "no-cache")], nil, 100, ["miss body 1", "hit body 1", "miss body 2"]),
            ([("Cache-Control", "no-cache")], 100, nil, ["miss body 1", "miss body 2", "miss body 3"]),
            ([("Cache-Control", "no-store")], 100, 100, ["miss body 1", "miss body 2", "miss body 3"]),
            (
                [("Age", "90"), ("Cache-Control", "max-age=100")], nil, 100,
                ["miss body 1", "hit body 1", "miss body 2"]
            ),
        ] as [([(String, String)], Int64?, Int64?, [String])]
    )
    func `a lifetime of the program decides if the origin's doesn't`(
        _ fields: [(String, String)],
        _ defaultLifetime: Int64?,
        _ assigned: Int64?,
        _ expected: [String]
    ) async throws {
        let resolver = try resolver(Self.origin(fields)) { $0.rules.defaultLifetime = defaultLifetime }
        var answers: [String] = []
        for step in [0, 50, 100] as [Int64] {
            clock.advance(step)
            answers.append(try await ask(resolver) { $0.assignedLifetime = assigned })
        }
        #expect(answers == expected)
        await resolver.shutDown()
    }

    @Test func `lifetime and data of the program survive a restart and a validation`() async throws {
        let origin = FakeOrigin { request, _ in
            request.fields[.ifNoneMatch] == nil
                ? FakeOrigin.Answer(fields: [("ETag", "\"1\"")], body: ["body"]) : FakeOrigin.Answer(status: 304)
        }
        let first = try resolver(origin) { configuration in
            configuration.onStoring = { proposal in
                proposal.userInfo = Array("noted".utf8)
                proposal.assignedLifetime = 100
            }
        }
        #expect(try await ask(first) == "miss body")
        #expect(try await ask(first) == "hit body (noted)")
        await first.shutDown()
        try first.store.close()
        let second = try resolver(origin)
        clock.advance(50)
        #expect(try await ask(second) == "hit body (noted)")
        clock.advance(60)
        #expect(try await ask(second) == "revalidated body (noted)")
        clock.advance(60)
        #expect(try await ask(second) == "hit body (noted)")
        #expect(origin.count == 2)
        let sent = try #require(origin.requests.last).fields
        #expect(!sent.contains { $0.name.canonicalName.hasPrefix("afcache") })
        await second.shutDown()
        try second.store.close()
    }

    @Test(arguments: [("AFCache-Program", 0), ("Foo", 1)])
    func `an origin can't put data into the program's place`(vary: String, count: Int) async throws {
        let resolver = try resolver(
            Self.origin([
                ("Cache-Control", "max-age=10"), ("Vary", vary), ("AFCache-Program", "99;aGk="),
            ])
        )
        let field = try #require(HTTPField.Name("AFCache-Program"))
        #expect(try await ask(resolver) { $0.fields[field] = "99;aGk=" } == "miss body 1")
        await resolver.shutDown()
        try resolver.store.close()
        let again = try self.resolver(Self.origin([]))
        let stored = try again.store.candidates(for: url).map(\.response)
        #expect(stored.count == count)
        #expect(stored.allSatisfy { $0.userInfo == nil && $0.assignedLifetime == nil })
        try again.store.close()
    }

    @Test func `the program prevents storing, and changes fields and body`() async throws {
        let resolver = try resolver(Self.origin([("Cache-Control", "max-age=100")])) { configuration in
            configuration.onStoring = { proposal in
                switch proposal.requestFields[.accept] {
                case "none": proposal.place = .nowhere
                case "empty": proposal.changeBody = { _ in nil }
                default:
                    proposal.fields[.contentType] = "text/changed"
                    proposal.changeBody = { Array("changed ".utf8) + $0 }
                }
            }
        }
        for step in ["none", "empty"] {
            #expect(try await ask(resolver) { $0.fields[.accept] = step }.hasPrefix("miss body"))
        }
        #expect(try await ask(resolver) == "miss body 3")
        let response = try await resolver.response(for: ResolverRequest(url: url))
        #expect(response.source == .hit)
        #expect(response.fields[.contentType] == "text/changed")
        #expect(response.fields[.contentLength] == "14")
        #expect(String(buffer: try await response.bytes(upTo: 100)) == "changed body 3")
        await resolver.shutDown()
        try resolver.store.close()
    }

    @Test func `a response in memory only is served, validated, invalidated and never written`() async throws {
        let origin = FakeOrigin { request, number in
            request.fields[.ifNoneMatch] == nil
                ? FakeOrigin.Answer(
                    fields: [("ETag", "\"\(number)\""), ("Cache-Control", "max-age=10")],
                    body: [String(repeating: "x", count: 40_000), "\(number)"]
                ) : FakeOrigin.Answer(status: 304)
        }
        let changes = Mutex<[String]>([])
        let resolver = try resolver(origin) { configuration in
            configuration.onStoring = { $0.place = .memory }
            configuration.onChange = { url in changes.withLock { $0.append(url.description) } }
        }
        func source() async throws -> String {
            let response = try await resolver.response(for: ResolverRequest(url: url))
            let bytes = try await response.bytes(upTo: 1 << 20)
            #expect(bytes.readableBytes == 40_001)
            return "\(response.source)"
        }
        #expect(try await source() == "miss")
        #expect(try await source() == "hit")
        clock.advance(20)
        #expect(try await source() == "revalidated")
        #expect(try await source() == "hit")
        _ = try await resolver.response(for: ResolverRequest(url: url), options: .invalidate).bytes(upTo: 1 << 20)
        #expect(origin.count == 3)
        #expect(changes.withLock { $0.count } >= 3)
        #expect(changes.withLock { Set($0) } == [url.description])
        #expect(try resolver.store.candidates(for: url).isEmpty)
        try resolver.store.flushReceived()
        #expect(!FileManager.default.fileExists(atPath: scratch.path("store/received/00")))
        try resolver.remove(url)
        #expect(try await source() == "miss")
        await resolver.shutDown()
        try resolver.store.close()
    }

    @Test func `a body in memory only that breaks off, or that is too large, isn't kept`() async throws {
        let origin = FakeOrigin { _, number in
            FakeOrigin.Answer(
                fields: [("Cache-Control", "max-age=10")],
                body: ["some", "more"],
                saysLength: number > 2,
                breaksOff: number == 1
            )
        }
        let resolver = try resolver(origin) { configuration in
            configuration.memoryOnlyBytes = 100
            configuration.onStoring = { $0.place = .memory }
        }
        await #expect(throws: TransportFailure.self) { try await ask(resolver) }
        for _ in 0..<2 { #expect(try await ask(resolver) == "miss somemore") }
        await resolver.shutDown()
    }

    @Test func `what is stored on disk later replaces what is in memory, and the other way round`() async throws {
        let places = Mutex<[StoringProposal.Place]>([.memory, .disk, .memory])
        let resolver = try resolver(Self.origin([("Cache-Control", "max-age=100")])) { configuration in
            configuration.onStoring = { proposal in proposal.place = places.withLock { $0.removeFirst() } }
        }
        for (number, disk) in [(1, 0), (2, 1), (3, 0)] {
            let response = try await resolver.response(
                for: ResolverRequest(url: url),
                policy: .reloadIgnoringLocalCacheData
            )
            _ = try await response.bytes(upTo: 100)
            #expect(try await ask(resolver) == "hit body \(number)")
            #expect(try resolver.store.candidates(for: url).count == disk)
        }
        await resolver.shutDown()
        try resolver.store.close()
    }
}
