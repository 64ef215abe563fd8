import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import Synchronization
import TestSupport
import Testing

@testable import AFCServer

/// Packages that are replaced while their store is served.
@Suite(.timeLimit(.minutes(10)))
struct ReplacementTests {
    /// How many clients ask, and for how many pages.
    static let (clients, pages) = (4, 5)

    /// What clients and the writer tell each other.
    final class Progress: Sendable {
        struct State {
            var loaded = 0
            var asked = 0
            var isOver = false
        }

        private let state = Mutex(State())
        var loaded: Int { state.withLock { $0.loaded } }
        var asked: Int { state.withLock { $0.asked } }
        var isOver: Bool { state.withLock { $0.isOver } }
        func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
    }

    static func package(_ version: Int, in folder: String) async throws -> String {
        let now = FakeCache.received
        let resources = try (0..<pages).map { number in
            let url = try WebURL("http://docs.example/\(number)")
            let bytes = Array("\(version) of \(number)\n".utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(bytes.count)),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: "text/plain"),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        let path = folder + "/site.zip"
        _ = try await PackageWriter.write(resources, to: path, options: .init(created: now, generator: "test/1"))
        return path
    }

    @Test func `a package that is replaced is seen at once, and no request fails`() async throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await writer.install(try await Self.package(0, in: scratch.path), now: FakeCache.received)
        let store = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let progress = Progress()
        try await withServer(store) { port, _ async throws in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<Self.clients {
                    tasks.addTask {
                        try await RawClient.run(port: port) { client throws in
                            var number = 0
                            while !progress.isOver {
                                number = (number + 1) % Self.pages
                                let before = progress.loaded
                                try client.send("GET /docs.example/\(number) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                let reply = try client.reply()
                                #expect(reply.status == 200)
                                let words = reply.text.split(separator: " ")
                                let version = words.first.flatMap { Int($0) } ?? -1
                                // What was loaded before the request was sent is what comes, or something newer.
                                #expect(version >= before, "\(reply.text) after \(before) was loaded")
                                progress.change { $0.asked += 1 }
                            }
                        }
                    }
                }
                for version in 1...20 {
                    let path = try await Self.package(version, in: scratch.path)
                    _ = try await writer.install(path, now: FakeCache.received)
                    progress.change { $0.loaded = version }
                    let goal = progress.asked + Self.clients * Self.pages
                    try await waitUntil("the clients have asked for all pages again") { progress.asked >= goal }
                }
                progress.change { $0.isOver = true }
                try await tasks.waitForAll()
            }
            let page = try await RawClient.get(port: port, "/.afcache/metrics")
            let hits = MetricsTests.samples(page.text)["afcache_memory_hits_total"].flatMap { Int($0) } ?? 0
            #expect(hits > 0)
        }
    }
}
