import AFCPackageFormat
import AFCache
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Packages from servers, what is kept with them, and what can be observed.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PackageTests {
    private static let page = "https://docs.example/page"

    /// The bytes of a package with one page.
    private static func bytes(_ text: String, _ scratch: Scratch) async throws -> [UInt8] {
        let file = try await AppBench.package([page: text], in: scratch, named: "made.zip")
        return Array(try Data(contentsOf: file))
    }

    private static func tagged(_ tag: String, _ body: [UInt8], status: Int = 200) -> TestOrigin.Answer {
        TestOrigin.Answer(status, [("ETag", "\"\(tag)\""), ("Content-Type", "application/zip")], body: body)
    }

    @Test func `a package is installed from a URL, and updated only if the server has another version`() async throws {
        let bench = try AppBench()
        let (one, two) = (try await Self.bytes("one", bench.scratch), try await Self.bytes("two", bench.scratch))
        let answers = [Self.tagged("1", one), Self.tagged("1", [], status: 304), Self.tagged("2", two)]
        try await TestOrigin.withOrigin(["/docs.zip": answers]) { origin in
            let url = try URL.parsed(origin.base + "/docs.zip")
            let seen = Mutex<[AFCache.LoadProgress]>([])
            let first = try await bench.cache.installPackage(from: url) { step in seen.withLock { $0.append(step) } }
            guard case .installed(let package) = first else {
                Issue.record("\(first)")
                return
            }
            #expect(package.name == "docs")
            #expect(seen.withLock { $0.last }?.received == Int64(one.count))
            bench.cache.isOffline = true
            #expect(try await bench.load(Self.page) == "hit one")
            bench.cache.isOffline = false
            #expect(try await bench.cache.updatePackage("docs") == .unchanged(package))
            #expect(origin.requests[1].fields.contains { $0.lowercased() == "if-none-match: \"1\"" })
            guard case .updated(let newer) = try await bench.cache.updatePackage("docs") else {
                Issue.record("the package wasn't updated")
                return
            }
            #expect(newer.name == "docs")
            bench.cache.isOffline = true
            #expect(try await bench.load(Self.page) == "hit two")
            try await bench.close()
        }
    }

    @Test func `with trusted keys, a package must be signed by one of them, and an older one is refused`() async throws
    {
        let scratch = try Scratch()
        let (team, thief) = (
            try #require(SigningKey(seed: Array(repeating: 1, count: 32))),
            try #require(SigningKey(seed: Array(repeating: 9, count: 32)))
        )
        func package(_ text: String, _ keys: [SigningKey], at time: TimeInterval) async throws -> URL {
            let date = AppClock.start.addingTimeInterval(time)
            return try await AppBench.package(
                [Self.page: text],
                at: date,
                in: scratch,
                named: "\(text).zip",
                signedBy: keys
            )
        }
        let plain = try await package("plain", [], at: 0)
        let new = try await package("new", [team], at: 10)
        let old = try await package("old", [team], at: 0)
        let bench = try AppBench(in: scratch) { $0.trustedPackageKeys = [team.publicKey.line] }
        for refused in [plain, try await package("stolen", [thief], at: 20)] {
            await #expect(throws: (any Error).self) { try await bench.cache.install(refused, name: "docs") }
        }
        try await bench.cache.install(new, name: "docs")
        bench.cache.isOffline = true
        #expect(try await bench.load(Self.page) == "hit new")
        await #expect(throws: (any Error).self) { try await bench.cache.install(old, name: "docs") }
        #expect(try await bench.load(Self.page) == "hit new")
        try await bench.cache.install(old, name: "docs", allowsOlder: true)
        #expect(try await bench.load(Self.page) == "hit old")
        try await bench.close()
        let error = #expect(throws: AFCache.Failure.self) {
            _ = try AppBench(in: scratch) { $0.trustedPackageKeys = ["no key"] }
        }
        #expect(error?.code == .badKey)
    }

    @Test func `an unsigned package is downloaded again once keys are demanded, and then refused`() async throws {
        let scratch = try Scratch()
        let team = try #require(SigningKey(seed: Array(repeating: 1, count: 32)))
        let plain = try await Self.bytes("plain", scratch)
        let signed = try await AppBench.package(
            [Self.page: "signed"],
            in: scratch,
            named: "signed.zip",
            signedBy: [team]
        )
        let answers = [
            Self.tagged("1", plain), Self.tagged("1", plain), Self.tagged("2", Array(try Data(contentsOf: signed))),
        ]
        try await TestOrigin.withOrigin(["/docs.zip": answers]) { origin in
            let url = try URL.parsed(origin.base + "/docs.zip")
            let first = try AppBench(in: scratch)
            try await first.cache.installPackage(from: url)
            try await first.close()
            let second = try AppBench(in: scratch) { $0.trustedPackageKeys = [team.publicKey.line] }
            await #expect(throws: (any Error).self) { try await second.cache.updatePackage("docs") }
            #expect(!origin.requests[1].fields.contains { $0.lowercased().hasPrefix("if-none-match") })
            guard case .updated = try await second.cache.updatePackage("docs") else {
                Issue.record("the package wasn't updated")
                return
            }
            second.cache.isOffline = true
            #expect(try await second.load(Self.page) == "hit signed")
            try await second.close()
        }
    }

    @Test func `a package from a URL with a query is updated only by the whole URL, as no query is kept`() async throws
    {
        let bench = try AppBench()
        let body = try await Self.bytes("one", bench.scratch)
        let answers = [Self.tagged("1", body), Self.tagged("1", [], status: 304)]
        try await TestOrigin.withOrigin(["/docs.zip?token=s3cret": answers]) { origin in
            let url = try URL.parsed(origin.base + "/docs.zip?token=s3cret")
            try await bench.cache.installPackage(from: url)
            let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.updatePackage("docs") }
            #expect(error?.code == .badURL)
            let words = error?.localizedDescription ?? ""
            #expect(words.contains("'\(origin.base)/docs.zip?…'") && words.contains("a query isn't kept"), "\(words)")
            #expect(error.map { "\($0) \($0.errorUserInfo)".contains("s3cret") } == false)
            #expect(origin.requests.count == 1)
            guard case .unchanged = try await bench.cache.installPackage(from: url) else {
                Issue.record("the package was installed again")
                return
            }
            #expect(origin.requests[1].fields.contains { $0.lowercased() == "if-none-match: \"1\"" })
            try await bench.close()
        }
    }

    @Test func `an update requests the end of the package first, and needs no more of a small one`() async throws {
        let bench = try AppBench()
        let (one, two) = (try await Self.bytes("one", bench.scratch), try await Self.bytes("two", bench.scratch))
        let place = ("Content-Range", "bytes 0-\(two.count - 1)/\(two.count)")
        let answers = [Self.tagged("1", one), TestOrigin.Answer(206, [("ETag", "\"2\""), place], body: two)]
        try await TestOrigin.withOrigin(["/docs.zip": answers]) { origin in
            try await bench.cache.installPackage(from: try URL.parsed(origin.base + "/docs.zip"))
            guard case .updated = try await bench.cache.updatePackage("docs") else {
                Issue.record("the package wasn't updated")
                return
            }
            #expect(origin.requests.count == 2)
            #expect(origin.requests[1].fields.contains { $0.lowercased() == "range: bytes=-65536" })
            bench.cache.isOffline = true
            #expect(try await bench.load(Self.page) == "hit two")
            try await bench.close()
        }
    }

    @Test func `an interrupted download is resumed, and a wrong digest installs nothing`() async throws {
        let bench = try AppBench()
        let body = try await Self.bytes("one", bench.scratch)
        let half = body.count / 2
        var broken = Self.tagged("1", Array(body[..<half]))
        broken.fields.append(("Content-Length", "\(body.count)"))
        broken.fields.append(("Accept-Ranges", "bytes"))
        broken.closes = true
        var rest = Self.tagged("1", Array(body[half...]), status: 206)
        rest.fields.append(("Content-Range", "bytes \(half)-\(body.count - 1)/\(body.count)"))
        let routes = ["/docs.zip": [broken, rest], "/wrong.zip": [Self.tagged("1", body)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let url = try URL.parsed(origin.base + "/docs.zip")
            try await bench.cache.installPackage(from: url)
            #expect(origin.requests[1].fields.contains { $0.lowercased() == "range: bytes=\(half)-" })
            var options = AFCache.PackageDownloadOptions()
            options.sha256 = String(repeating: "0", count: 64)
            let wrong = try URL.parsed(origin.base + "/wrong.zip")
            await #expect(throws: (any Error).self) {
                try await bench.cache.installPackage(from: wrong, options: options)
            }
            #expect(try bench.cache.packages().map(\.name) == ["docs"])
            bench.cache.isOffline = true
            await #expect {
                try await bench.cache.updatePackage("docs")
            } throws: {
                ($0 as? AFCache.Failure)?.code == .offline
            }
            try await bench.close()
        }
    }

    @Test func `a download that failed is resumed after a restart`() async throws {
        let scratch = try Scratch()
        let body = try await Self.bytes("one", scratch)
        let half = body.count / 2
        var broken = Self.tagged("1", Array(body[..<half]))
        broken.fields.append(("Content-Length", "\(body.count)"))
        broken.fields.append(("Accept-Ranges", "bytes"))
        broken.closes = true
        let refused = TestOrigin.Answer(403, [], body: [])
        var rest = Self.tagged("1", Array(body[half...]), status: 206)
        rest.fields.append(("Content-Range", "bytes \(half)-\(body.count - 1)/\(body.count)"))
        try await TestOrigin.withOrigin(["/docs.zip": [broken, refused, rest]]) { origin in
            let url = try URL.parsed(origin.base + "/docs.zip")
            let before = try AppBench(in: scratch)
            await #expect(throws: (any Error).self) { try await before.cache.installPackage(from: url) }
            #expect(try before.cache.packages().isEmpty)
            try await before.close()

            let after = try AppBench(in: scratch)
            try await after.cache.installPackage(from: url)
            #expect(origin.requests.count == 3)
            #expect(origin.requests[2].fields.contains { $0.lowercased() == "range: bytes=\(half)-" })
            after.cache.isOffline = true
            #expect(try await after.load(Self.page) == "hit one")
            try await after.close()
        }
    }

    @Test func `user data of a package survives updates and restarts, is bounded, and goes with the package`()
        async throws
    {
        let scratch = try Scratch()
        let file = try await AppBench.package([Self.page: "one"], in: scratch)
        let first = try AppBench(in: scratch)
        try await first.cache.install(file)
        try await first.cache.setPackageUserData("chapter 3", for: "site", key: "place")
        try await first.cache.setPackageUserData("gone", for: "site", key: "other")
        try await first.cache.setPackageUserData(nil, for: "site", key: "other")
        try await first.cache.install(try await AppBench.package([Self.page: "two"], in: scratch))
        await #expect(throws: (any Error).self) {
            try await first.cache.setPackageUserData(String(repeating: "x", count: 20_000), for: "site", key: "big")
        }
        await #expect(throws: (any Error).self) {
            try await first.cache.setPackageUserData("x", for: "none", key: "place")
        }
        // Each of them has room alone, but not all of them.
        let cache = first.cache
        let kept = await withTaskGroup(of: Bool.self) { tasks in
            for number in 0..<8 {
                tasks.addTask {
                    let text = String(repeating: "x", count: 5_000)
                    return (try? await cache.setPackageUserData(text, for: "site", key: "\(number)")) != nil
                }
            }
            return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(kept == 3)
        for number in 0..<8 { try await cache.setPackageUserData(nil, for: "site", key: "\(number)") }
        try await first.close()
        let second = try AppBench(in: scratch)
        #expect(try second.cache.packages().map(\.userData) == [["place": "chapter 3"]])
        #expect(try second.cache.packageUserData("site", key: "place") == "chapter 3")
        try await second.cache.removePackage("site")
        try await second.cache.install(file)
        #expect(try second.cache.packageUserData("site", key: "place") == nil)
        try await second.close()
    }

    @Test func `changes of packages can be observed`() async throws {
        let bench = try AppBench()
        var changes = bench.cache.packageChanges.makeAsyncIterator()
        let file = try await AppBench.package([Self.page: "one"], in: bench.scratch)
        let first = try await bench.cache.install(file)
        #expect(await changes.next() == .installed(first))
        let newer = try await AppBench.package([Self.page: "two"], in: bench.scratch, named: "newer.zip")
        let second = try await bench.cache.install(newer, name: "site")
        #expect(await changes.next() == .updated(second))
        let back = try await bench.cache.rollBackPackage("site")
        #expect(await changes.next() == .rolledBack(back))
        try await bench.cache.removePackage("site")
        #expect(await changes.next() == .removed(name: "site"))
        try await bench.close()
        #expect(await changes.next() == nil)
    }

    @Test func `reachability follows the probe and requests, and changes nothing else`() async throws {
        let probed = Mutex(AFCache.Reachability.unreachable)
        try await TestOrigin.withOrigin(["/a": [.fresh("one")]]) { origin in
            let bench = try AppBench { $0.networkProbe = { probed.withLock { $0 } } }
            #expect(bench.cache.reachability == .unreachable)
            var changes = bench.cache.reachabilityChanges.makeAsyncIterator()
            // An origin on this machine needs no route.
            #expect(try await bench.load(origin.base + "/a") == "miss one")
            #expect(await changes.next() == .reachable)
            #expect(!bench.cache.isOffline)
            let dead = try DeadPort()
            #expect(try await bench.load(dead.base + "/x") == "error \(URLError.Code.cannotConnectToHost.rawValue)")
            #expect(await changes.next() == .unreachable)
            probed.withLock { $0 = .reachable }
            #expect(bench.cache.reachability == .reachable)
            #expect(await changes.next() == .reachable)
            try await bench.close()
            #expect(await changes.next() == nil)
        }
    }

    @Test func `what is stored is exported as a package, all or what a closure selects`() async throws {
        let image = TestOrigin.Answer(
            200,
            [("Cache-Control", "max-age=600"), ("Content-Type", "image/png"), ("Set-Cookie", "a=b")],
            body: [1, 2, 3]
        )
        let large = String(repeating: "x", count: 300_000)
        let routes = [
            "/page": [TestOrigin.Answer.fresh("one", for: 600)], "/image": [image], "/large": [.fresh(large, for: 600)],
            "/old": [TestOrigin.Answer(301, [("Location", "/page"), ("Cache-Control", "max-age=600")])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let bench = try AppBench()
            for target in ["/page", "/image", "/large", "/old"] { _ = try await bench.load(origin.base + target) }
            try await bench.cache.install(try await AppBench.package([Self.page: "packaged"], in: bench.scratch))
            let whole = URL(fileURLWithPath: bench.scratch.path("all.zip"))
            #expect(try await bench.cache.exportPackage(to: whole) == 5)
            let images = URL(fileURLWithPath: bench.scratch.path("images.zip"))
            let count = try await bench.cache.exportPackage(to: images) { one in
                one.mediaType == "image/png" && one.status == 200 && one.package == nil
            }
            #expect(count == 1)
            let other = try AppBench()
            try await other.cache.install(whole)
            other.cache.isOffline = true
            #expect(try await other.load(origin.base + "/page").hasSuffix(" one"))
            #expect(try await other.load(origin.base + "/old").hasSuffix(" one"))
            #expect(try await other.load(origin.base + "/large").count == "hit ".count + large.count)
            #expect(try await other.load(Self.page).hasSuffix(" packaged"))
            let request = URLRequest(url: try URL.parsed(origin.base + "/image"))
            let loaded = try await other.cache.load(request)
            #expect(loaded.data == Data([1, 2, 3]))
            #expect(loaded.response.value(forHTTPHeaderField: "Content-Type") == "image/png")
            #expect(loaded.response.value(forHTTPHeaderField: "Set-Cookie") == nil)
            try await other.close()
            try await bench.close()
        }
    }
}
