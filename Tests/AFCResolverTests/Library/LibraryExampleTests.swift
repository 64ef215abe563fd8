import AFCCache
import AFCCaching
import AFCHTTP
import AFCResolver
import AFCURL
import NIOCore
import TestSupport
import Testing

@Suite struct LibraryExampleTests {
    /// The program of docs/reference/library.md.
    private static func program(
        folder: String,
        address: String,
        clock: @escaping @Sendable () -> Timestamp,
        print: (Any...) -> Void
    ) async throws {
        let store = try DiskCache(path: folder, access: .readWrite)
        let transport = QueuedTransport(DirectTransport(), limit: 6)
        let resolver = Resolver(store: store, transport: transport, configuration: .library(now: clock))

        let request = ResolverRequest(url: try WebURL(address))
        let response = try await resolver.response(for: request, policy: .returnCacheDataElseLoad, priority: .high)
        let text = try await response.bytes(upTo: 1 << 20)
        print(response.status, response.source, text.readableBytes)
        await resolver.shutDown()
        try store.close()
    }

    @Test func `the program of the documentation runs`() async throws {
        let scratch = try Scratch()
        var lines: [String] = []
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\n"
        try await ScriptedOrigin.run { _ in
            [.send(head + "today")]
        } _: { origin in
            for _ in 0..<2 {
                try await Self.program(
                    folder: scratch.path("store"),
                    address: origin.base + "/today",
                    clock: { LibraryBench.noon }
                ) { words in lines.append(words.map { "\($0)" }.joined(separator: " ")) }
            }
            #expect(origin.heads.count == 1)
        }
        #expect(lines == ["200 OK miss 5", "200 OK hit 5"])
    }

    @Test func `a cache answers a single request`() async throws {
        let scratch = try Scratch()
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 5\r\n\r\n"
        var sources: [ResolverResponse.Source] = []
        try await ScriptedOrigin.run { _ in
            [.send(head + "today")]
        } _: { origin in
            let request = ResolverRequest(url: try WebURL(origin.base + "/today"))
            for policy in [ResourcePolicy.returnCacheDataDontLoad, .useProtocolCachePolicy, .returnCacheDataDontLoad] {
                let response = try await store.response(
                    for: request,
                    policy: policy,
                    through: DirectTransport(),
                    now: { LibraryBench.noon }
                )
                if response.source != .refused {
                    #expect(String(buffer: try await response.bytes(upTo: 10)) == "today")
                }
                sources.append(response.source)
            }
        }
        #expect(sources == [.refused, .miss, .hit])
    }
}
