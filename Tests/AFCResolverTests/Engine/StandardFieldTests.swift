import AFCCache
import AFCCaching
import AFCHTTP
import AFCURL
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

/// The fields No-Vary-Search (draft-ietf-httpbis-no-vary-search) and Cache-Groups (RFC 9875), online.
@Suite(.timeLimit(.minutes(10))) struct StandardFieldTests {
    /// A resolver whose origin answers each request with its number.
    private struct Bench: Sendable {
        let scratch: Scratch
        let origin: FakeOrigin
        let resolver: Resolver
        let box: Box

        final class Box: Sendable {
            let time = Mutex(Timestamp(secondsSinceEpoch: 1_800_000_000))
            let changed = Mutex<Set<String>>([])
        }

        init(_ fields: @escaping @Sendable (TransportRequest) -> [(String, String)]) throws {
            scratch = try Scratch()
            let box = Box()
            self.box = box
            origin = FakeOrigin { request, number in
                FakeOrigin.Answer(fields: [("Cache-Control", "max-age=60")] + fields(request), body: ["\(number)"])
            }
            let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
            var configuration = Resolver.Configuration(now: { box.time.withLock { $0 } })
            configuration.onChange = { url in box.changed.withLock { _ = $0.insert(url.description) } }
            resolver = Resolver(store: store, transport: origin, configuration: configuration)
        }

        func ask(_ target: String, _ method: HTTPRequest.Method = .get) async throws -> String {
            let url = try WebURL("http://docs.example" + target)
            let response = try await resolver.respond(to: ResolverRequest(method: method, url: url))
            return try await response.text()
        }
    }

    @Test(
        arguments: [
            ("params=(\"x\")", "/a?x=1&b=2", "/a?b=2&x=2", true), ("params=(\"x\")", "/a?b=2", "/a?b=3", false),
            ("params", "/a?b=2", "/a", true), ("params, except=(\"b\")", "/a?b=2&c=1", "/a?b=2", true),
            ("key-order", "/a?a=1&b=2", "/a?b=2&a=1", true), ("params=x", "/a?x=1", "/a?x=2", false),
            ("", "/a?x=1", "/a?x=2", false),
        ]
    )
    func `§6: a fresh response answers an equivalent URL without the origin`(
        value: String,
        first: String,
        second: String,
        isReused: Bool
    ) async throws {
        let bench = try Bench { _ in [("No-Vary-Search", value)] }
        #expect(try await bench.ask(first) == "1")
        #expect(try await bench.ask(second) == (isReused ? "1" : "2"))
        #expect(bench.origin.count == (isReused ? 1 : 2))
        // Also by the look-up that takes no origin.
        let found = try bench.resolver.lookUp(ResolverRequest(url: try WebURL("http://docs.example" + second)))
        #expect(found?.source == .hit)
        // An equivalent URL that is stale is fetched, and its response then answers the first URL.
        guard isReused else { return }
        bench.box.time.withLock { $0 = $0 + 100 }
        #expect(try await bench.ask(second) == "2")
        #expect(try await bench.ask(first) == "2")
        #expect(bench.origin.count == 2)
    }

    @Test func `a validation of an equivalent response freshens that`() async throws {
        let scratch = try Scratch()
        let time = Mutex(Timestamp(secondsSinceEpoch: 1_800_000_000))
        let fields = [("Cache-Control", "max-age=60"), ("No-Vary-Search", "params"), ("ETag", "\"v1\"")]
        let origin = FakeOrigin { request, _ in
            let isKnown = request.fields.contains { $0.name == .ifNoneMatch }
            return FakeOrigin.Answer(status: isKnown ? 304 : 200, fields: fields, body: isKnown ? [] : ["one"])
        }
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let configuration = Resolver.Configuration(now: { time.withLock { $0 } })
        let resolver = Resolver(store: store, transport: origin, configuration: configuration)
        func ask(_ target: String) async throws -> ResolverResponse {
            try await resolver.respond(to: ResolverRequest(url: try WebURL("http://docs.example" + target)))
        }
        _ = try await ask("/a?1").text()
        time.withLock { $0 = $0 + 100 }
        let validated = try await ask("/a?2")
        #expect(validated.source == .revalidated)
        #expect(try await validated.text() == "one")
        #expect(try await ask("/a?3").source == .hit)
        #expect(try await ask("/a?1").source == .hit)
        #expect(origin.count == 2)
    }

    @Test func `an unsafe request invalidates what answers its URL`() async throws {
        let bench = try Bench { _ in [("No-Vary-Search", "params=(\"x\")")] }
        #expect(try await bench.ask("/a?x=1") == "1")
        #expect(try await bench.ask("/a?y=1") == "2")
        bench.box.changed.withLock { $0 = [] }
        #expect(try await bench.ask("/a?x=2", .post) == "3")
        #expect(bench.box.changed.withLock { $0.contains("http://docs.example/a?x=1") })
        #expect(try await bench.ask("/a?x=3") == "4")
        #expect(try await bench.ask("/a?y=1") == "2")
    }

    @Test(
        arguments: [
            (.post, "\"g\"", true), (.put, "\"h\", \"g\";x", true), (.delete, "\"h\"", false), (.post, "g", false),
            (.post, "\"G\"", false), (.get, "\"g\"", false),
        ] as [(HTTPRequest.Method, String, Bool)]
    )
    func `RFC 9875 §3: groups are invalidated by responses to unsafe requests`(
        method: HTTPRequest.Method,
        value: String,
        isInvalidated: Bool
    ) async throws {
        let bench = try Bench { request in
            request.url.path == "/edit" ? [("Cache-Group-Invalidation", value)] : [("Cache-Groups", "\"g\", \"i\"")]
        }
        #expect(try await bench.ask("/a") == "1")
        #expect(try await bench.ask("/edit", method) == "2")
        #expect(try await bench.ask("/a") == (isInvalidated ? "3" : "1"))
        #expect(bench.box.changed.withLock { $0.contains("http://docs.example/edit") } || method == .get)
    }

    @Test func `RFC 9875 §2_2_1: an invalidated response takes along those of its groups, one step only`() async throws
    {
        let groups = ["/a": "\"1\"", "/b": "\"1\", \"2\"", "/c": "\"2\"", "/d": "\"3\""]
        let bench = try Bench { request in groups[request.url.path].map { [("Cache-Groups", $0)] } ?? [] }
        for (number, path) in ["/a", "/b", "/c", "/d"].enumerated() {
            #expect(try await bench.ask(path) == "\(number + 1)")
        }
        _ = try await bench.ask("/a", .post)
        var answers: [String] = []
        for path in ["/c", "/d", "/b", "/a"] { answers.append(try await bench.ask(path)) }
        #expect(answers == ["3", "4", "6", "7"])
    }
}
