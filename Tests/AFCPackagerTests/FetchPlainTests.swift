import AFCOrigin
import AFCURL
import HTTPTypes
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// What goes over TCP without a proxy: kept connections, large bodies, silence.
struct FetchPlainTests {
    @Test func `consecutive requests use one connection`() async throws {
        try await TestOrigin.withOrigin(["/a": [.text("a")], "/b": [.text("b")]]) { origin in
            try await HTTPFetcher.withFetcher(options: Self.options) { fetcher in
                for _ in 0..<5 {
                    for path in ["/a", "/b", "/none"] { _ = try await fetcher.get(origin.base + path) }
                }
            }
            #expect(origin.connections == 1)
            #expect(origin.requests.count == 15)
        }
    }

    @Test func `a large body arrives whole even if its reader is slow`() async throws {
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let answer = TestOrigin.Answer(200, [("Content-Type", "image/png")], body: large)
        try await TestOrigin.withOrigin(["/": [answer]]) { origin in
            var options = Self.options
            options.bytesPerSecond = 30_000_000
            try await HTTPFetcher.withFetcher(options: options) { fetcher in
                let answer = try await fetcher.get(origin.base + "/")
                #expect(answer.body == large)
            }
        }
    }

    @Test func `connections are reused only after the whole body was read`() async throws {
        let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await TestOrigin.withOrigin(["/": [.init(200, [], body: large)]]) { origin in
            try await HTTPFetcher.withFetcher(options: Self.options) { fetcher in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            for _ in 0..<20 {
                                guard try await fetcher.get(origin.base + "/").body == large else { return false }
                            }
                            return true
                        }
                    }
                    for try await isWhole in group { #expect(isWhole) }
                }
            }
            #expect(origin.requests.count == 160)
        }
    }

    @Test func `no host has more connections than allowed, however they end`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/slow": [.init(200, [], body: Array("slow".utf8), delay: .milliseconds(20))],
            "/closes": [.init(200, [], body: Array("closes".utf8), closes: true, delay: .milliseconds(5))],
            "/silent": [.init(delay: .seconds(3600))],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            var options = Self.options
            options.connectionsPerHost = 3
            try await HTTPFetcher.withFetcher(options: options) { fetcher in
                await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<60 {
                        let path = ["/slow", "/closes", "/silent"][number % 3]
                        group.addTask {
                            let task = Task { try await fetcher.get(origin.base + path).body.isEmpty == false }
                            // What is given up, or hasn't begun yet, makes room.
                            if path == "/silent" {
                                // At another moment each.
                                try? await Task.sleep(for: .milliseconds(number))
                                task.cancel()
                            }
                            return (try? await task.value) ?? false
                        }
                    }
                    var count = 0
                    for await isThere in group where isThere { count += 1 }
                    #expect(count == 40)
                }
                // All slots came back.
                for _ in 0..<4 { _ = try await fetcher.get(origin.base + "/slow") }
            }
            // A cancelled request is under way at the origin until it sees that its connection has ended.
            #expect(origin.count(of: "/slow") == 24)
        }
    }

    @Test func `requests beyond the connection limit wait for one`() async throws {
        try await TestOrigin.withOrigin(["/": [.init(200, [], body: [1], delay: .milliseconds(100))]]) { origin in
            var options = Self.options
            options.connectionsPerHost = 3
            try await HTTPFetcher.withFetcher(options: options) { fetcher in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<30 { group.addTask { _ = try await fetcher.get(origin.base + "/") } }
                    try await group.waitForAll()
                }
            }
            #expect(origin.mostRunning == 3)
            #expect(origin.connections == 3)
        }
    }

    @Test func `a silent origin is given up`() async throws {
        try await TestOrigin.withOrigin(["/": [.init(delay: .seconds(3600))]]) { origin in
            var options = Self.options
            options.readTimeout = .milliseconds(200)
            try await HTTPFetcher.withFetcher(options: options) { fetcher in
                let failure = try await fetcher.failure(origin.base + "/")
                #expect(failure == .timeout)
            }
        }
    }

    @Test func `an unwanted body closes its connection only if it hasn't arrived`() async throws {
        let large = TestOrigin.Answer(404, [], body: [UInt8](repeating: 0x61, count: 2_000_000))
        try await TestOrigin.withOrigin(["/large": [large], "/small": [.text("small")]]) { origin in
            try await HTTPFetcher.withFetcher(options: Self.options) { fetcher in
                for path in ["/small", "/large", "/small"] {
                    var receiver = HeadOnly()
                    try await fetcher.fetch(FetchRequest(url: try WebURL(origin.base + path)), into: &receiver)
                    #expect(receiver.head != nil)
                }
            }
            #expect(origin.connections == 2)
        }
    }

    private struct HeadOnly: ResponseReceiver {
        var head: FetchHead?
        mutating func begin(_ head: FetchHead) -> Bool {
            self.head = head
            return false
        }
        mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
    }

    private static var options: HTTPFetcher.Options {
        var options = HTTPFetcher.Options.patient()
        options.access.allowsPrivate = true
        // Where other tests keep the processors busy, a connection may idle for long between two requests.
        options.idleTimeout = .seconds(60)
        return options
    }
}
