import AFCCache
import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Received responses beside packages, in several processes, threads, and a store that is full.
struct ReceivedSharingTests {
    static let now = PackagesTests.now
    static let writer = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"

    // MARK: Beside packages

    @Test func `offline the most recent response is served, whatever the package's priority`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await PackagesTests.package("p", ["a": .init("packaged"), "b": .init("other")], in: scratch)
        let options = PackagesTests.options { options in
            options.settings.priority = 9
            options.settings.isPinned = true
        }
        _ = try await cache.install(package, options: options, now: Self.now)
        let url = try WebURL("http://d.example/a")
        try Receiving.put(cache, url, "older", at: Self.now - 60)
        #expect(try Receiving.answer(cache, url).text == "packaged")
        #expect(try Receiving.bodies(cache, url) == ["packaged", "older"])
        try Receiving.put(cache, url, "newer", at: Self.now + 60)
        #expect(try Receiving.answer(cache, url, at: Self.now + 60).text == "newer")
        #expect(try Receiving.bodies(cache, url) == ["newer", "packaged"])
        #expect(try cache.candidates(for: url).map(\.origin).last == .package("p"))
        #expect(try Receiving.answer(cache, try WebURL("http://d.example/b")).text == "other")
        _ = try await cache.clearReceived()
        #expect(try Receiving.answer(cache, url, at: Self.now + 60).text == "packaged")
    }

    @Test func `the first response can be stored while the packages are changed`() async throws {
        for _ in 0..<40 {
            let scratch = try Scratch()
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            async let changed = cache.setLimits(CacheLimits(bytes: 1 << 30), now: Self.now)
            try await OffPool.run { () throws(CacheError) in try cache.startReceiving() }
            #expect(try await changed.isEmpty)
            let url = try WebURL("http://r.example/a")
            try Receiving.put(cache, url, "stored")
            #expect(try Receiving.answer(cache, url).text == "stored")
        }
    }

    @Test func `a content coding is stored with its body`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        let fields: HTTPFields = [.contentEncoding: "br", .vary: "Accept-Encoding"]
        let request: HTTPFields = [.acceptEncoding: "br"]
        let body = try Receiving.begin(cache, url, fields: fields, request: request)
        try Receiving.write("coded", to: body)
        _ = try body.finish()
        let asked = OfflineRequest(url: url, fields: request)
        let answer = try cache.respond(to: asked, now: Self.now, policy: OfflinePolicy())
        #expect(answer.resolution.fields[.contentEncoding] == "br")
        #expect(answer.package == nil)
        #expect(try Receiving.answer(cache, url).status == 504)
    }

    @Test func `new fields for a package's entry last until another generation is served`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let package = try await PackagesTests.package("p", ["a": .init("packaged")], in: scratch)
        _ = try await cache.install(package, now: Self.now)
        let url = try WebURL("http://d.example/a")
        let entry = try cache.candidates(for: url)[0].response
        var fresher = entry
        fresher.fields = [.cacheControl: "max-age=600", .eTag: "\"x\""]
        fresher.received = Self.now + 100
        try cache.freshenPackageEntry(url, fresher)
        try cache.close()
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        for store in [cache, reader] {
            let found = try store.candidates(for: url)[0]
            #expect(found.response.fields == fresher.fields)
            #expect(found.response.received == Self.now + 100)
            #expect(found.response.size == 8)
            #expect(found.response.sha256 == entry.sha256)
            #expect(found.origin == .package("p"))
            #expect(try Receiving.text(store, found) == "packaged")
        }
        try cache.invalidate(url)
        #expect(try cache.candidates(for: url)[0].response.isInvalidated)
        #expect(try cache.candidates(for: url)[0].response.fields == fresher.fields)
        let second = try await PackagesTests.package("p", ["a": .init("packaged again")], in: scratch)
        _ = try await cache.install(second, now: Self.now)
        #expect(try cache.candidates(for: url)[0].response.fields != fresher.fields)
        #expect(try !cache.candidates(for: url)[0].response.isInvalidated)
        _ = try await cache.rollBack("p")
        #expect(try cache.candidates(for: url)[0].response.isInvalidated)
        _ = try await cache.rollBack("p")
        _ = try await cache.collectGarbage(includingPrevious: true)
        #expect(try !cache.candidates(for: url)[0].response.isInvalidated)
    }

    @Test func `invalidation applies to all variants, and persists`() throws {
        let scratch = try Scratch()
        let url = try WebURL("http://r.example/a")
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            for agent in ["a", "b"] {
                let request: HTTPFields = [.userAgent: agent]
                _ = try Receiving.begin(cache, url, fields: [.vary: "User-Agent"], request: request).finish()
            }
            try cache.invalidate(url)
            try cache.invalidate(try WebURL("http://r.example/unknown"))
            try cache.close()
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try cache.candidates(for: url).map(\.response.isInvalidated) == [true, true])
    }

    // MARK: Several processes and threads

    @Test func `two values on one folder see each other's changes`() async throws {
        let scratch = try Scratch()
        let one = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let other = try DiskCache(path: scratch.path("store"), access: .existing)
        let url = try WebURL("http://r.example/a")
        try one.startReceiving()
        let error = #expect(throws: CacheError.self) { try other.startReceiving() }
        #expect(error?.code == .busy)
        #expect(error?.message.hasPrefix("this process has the cache open a second time") == true)
        try Receiving.put(one, url, "first")
        try one.flushReceived()
        // A folder in which nothing was received yet is looked at once a second.
        try await waitUntil("the other value has seen the response") { try Receiving.bodies(other, url) == ["first"] }
        try Receiving.put(one, url, "second")
        try one.flushReceived()
        #expect(try Receiving.bodies(other, url) == ["second"])
        let unknown = try WebURL("http://r.example/b")
        #expect(try other.candidates(for: unknown).isEmpty)
        try Receiving.put(one, unknown, "b")
        try one.flushReceived()
        #expect(try Receiving.bodies(other, unknown) == ["b"])
        // Whoever may write may remove, and the one that receives notices.
        #expect(try await other.clearReceived(host: "other.example").responses == 0)
        #expect(try Receiving.bodies(one, url) == ["second"])
        #expect(try await other.clearReceived(host: "r.example").responses == 2)
        #expect(try one.candidates(for: url).isEmpty)
        #expect(try other.candidates(for: url).isEmpty)
        try Receiving.put(one, url, "third")
        try one.close()
        #expect(try Receiving.bodies(other, url) == ["third"])
        try Receiving.put(other, url, "fourth")
        #expect(try Receiving.bodies(other, url) == ["fourth"])
    }

    @Test func `a process that receives responses doesn't prevent loading a package`() async throws {
        let scratch = try Scratch()
        let writer = try RunningProgram(Self.writer, ["stream", scratch.path("store")])
        #expect(try await writer.firstLine() == "ready")
        let cache = try DiskCache(path: scratch.path("store"), access: .existing)
        for round in 0..<3 {
            let package = try await PackagesTests.package("p", ["a": .init("round \(round)")], in: scratch)
            let options = PackagesTests.options { $0.patience = WriterPatience(seconds: 0) }
            _ = try await cache.install(package, options: options, now: Self.now)
            #expect(try PackagesTests.body("a", in: cache) == "round \(round)")
            #expect(try cache.verify().findings == [])
        }
        let limits = CacheLimits(entries: 100)
        _ = try await cache.setLimits(limits, now: Self.now, patience: WriterPatience(seconds: 0))
        _ = try await cache.collectGarbage(includingPrevious: true, now: Self.now)
        let error = #expect(throws: CacheError.self) { try cache.startReceiving() }
        #expect(error?.message.contains("process \(writer.pid)") == true)
        #expect(writer.stop(SIGKILL) == -SIGKILL, "it was receiving all the time")
        try cache.startReceiving()
        #expect(try cache.verify().findings == [])
    }

    @Test func `many threads keep, look up, change and remove at once`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite, memory: 200_000)
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly, memory: 200_000)
        try cache.startReceiving()
        let urls = try (0..<40).map { try WebURL("http://r.example/\($0)") }
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                for round in 0..<150 {
                    let number = (thread * 7 + round * 11) % urls.count
                    let url = urls[number]
                    let size = number % 8 == 0 ? 20_000 : 300
                    if thread < 3 {
                        let body = try Receiving.begin(cache, url, at: Self.now + Int64(round))
                        try Receiving.write([UInt8](repeating: UInt8(number), count: size), to: body)
                        let candidate = try body.finish()
                        if round % 17 == 0, case .received(let id) = candidate.origin { try cache.remove([id]) }
                        if round % 23 == 0 { try cache.invalidate(url) }
                    } else {
                        let store = thread % 2 == 0 ? cache : reader
                        let asked = OfflineRequest(url: url)
                        let response = try store.respond(
                            to: asked,
                            now: Self.now,
                            policy: OfflinePolicy(expired: .always)
                        )
                        guard let body = response.body else { continue }
                        var bytes = [UInt8](repeating: 0, count: 30_000)
                        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
                        if Array(bytes[..<count]) != [UInt8](repeating: UInt8(number), count: size) {
                            failures.withLock { $0.append("\(number) has other bytes") }
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        try cache.flushReceived()
        #expect(try cache.verify().findings == [])
        try cache.close()
        #expect(
            Receiving.files(scratch).count
                == (try urls.filter { try cache.candidates(for: $0).contains { $0.response.size == 20_000 } }.count)
        )
    }

    // MARK: A full store

    @Test func `invalidated responses are evicted first, then expired ones, then the least recently used`()
        async throws
    {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        func url(_ name: String) throws -> WebURL { try WebURL("http://r.example/\(name)") }
        func left() throws -> [String] {
            try cache.flushReceived()
            return try ["old", "used", "expired", "invalid", "new", "newer"].filter { name in
                try cache.candidates(for: try url(name)).isEmpty
            }
        }
        for name in ["old", "used", "expired", "invalid"] {
            let life = name == "expired" ? "max-age=1" : "max-age=100000"
            try Receiving.put(cache, try url(name), name, fields: [.cacheControl: life])
        }
        try cache.invalidate(try url("invalid"))
        cache.markUsed(try cache.candidates(for: try url("used"))[0], at: Self.now + 600)
        try cache.flushReceived()
        _ = try await cache.setLimits(CacheLimits(entries: 4), now: Self.now)
        #expect(try left() == ["new", "newer"])
        try Receiving.put(cache, try url("new"), "new", fields: [.cacheControl: "max-age=100000"], at: Self.now + 700)
        #expect(try left() == ["invalid", "newer"])
        try Receiving.put(cache, try url("newer"), "x", fields: [.cacheControl: "max-age=100000"], at: Self.now + 700)
        #expect(try left() == ["expired", "invalid"])
        _ = try await cache.setLimits(CacheLimits(entries: 3), now: Self.now)
        #expect(try left() == ["old", "expired", "invalid"])
    }

    @Test func `received responses are evicted before packages, and count with them`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.setLimits(CacheLimits(bytes: 100_000), now: Self.now)
        for number in 0..<4 {
            let text = String(repeating: "r", count: 20_000)
            try Receiving.put(cache, try WebURL("http://r.example/\(number)"), text, at: Self.now + Int64(number * 60))
        }
        try cache.flushReceived()
        #expect(try cache.info().bodyBytes == 80_000)
        let large = PackagesTests.Resource(String(repeating: "p", count: 50_000))
        let package = try await PackagesTests.package("p", ["a": large], in: scratch)
        let report = try await cache.install(package, now: Self.now + 600)
        #expect(report.evicted == ["2 received responses"])
        #expect(try cache.candidates(for: try WebURL("http://r.example/1")).isEmpty)
        #expect(try cache.candidates(for: try WebURL("http://r.example/2")).count == 1)
        #expect(Receiving.files(scratch).count == 2)
        #expect(try cache.info().bodyBytes == 90_000)
        let body = try Receiving.begin(cache, try WebURL("http://r.example/huge"))
        try Receiving.write([UInt8](repeating: 0, count: 50_000), to: body)
        let error = #expect(throws: CacheError.self) { try Receiving.write([0], to: body) }
        #expect(error?.code == .full)
        #expect(throws: CacheError.self) { try body.finish() }
        #expect(try cache.packages().count == 1)
    }

    @Test func `collecting garbage removes expired responses and frees their space`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for number in 0..<20 {
            let fields: HTTPFields = [.cacheControl: number < 15 ? "max-age=10" : "max-age=1000"]
            let text = String(repeating: "x", count: number % 2 == 0 ? 30_000 : 10_000)
            try Receiving.put(cache, try WebURL("http://r.example/\(number)"), text, fields: fields)
        }
        try Receiving.put(cache, try WebURL("http://r.example/endless"), "no word of freshness")
        let report = try await cache.collectGarbage(includingPrevious: false, now: Self.now + 100)
        #expect(report.received == 15)
        #expect(try cache.info().received == 6)
        #expect(Receiving.files(scratch).count == 2)
        #expect(report.bytesAfter < report.bytesBefore)
        #expect(try cache.verify().findings == [])
    }

    @Test func `a small memory finds as much as a large one`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite, memory: 10_000)
        let urls = try (0..<200).map { try WebURL("http://r.example/\($0)") }
        for (number, url) in urls.enumerated() { try Receiving.put(cache, url, "text \(number)") }
        for (number, url) in urls.enumerated() { #expect(try Receiving.bodies(cache, url) == ["text \(number)"]) }
        try cache.flushReceived()
        for (number, url) in urls.enumerated() { #expect(try Receiving.bodies(cache, url) == ["text \(number)"]) }
        #expect(try cache.info().received == 200)
    }
}
