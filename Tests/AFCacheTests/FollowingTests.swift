import AFCChannel
import AFCDelta
import AFCHTTP
import AFCPackageFormat
import AFCText
import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

/// Patches and channels in an app.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FollowingTests {
    private static let time = Timestamp(secondsSinceEpoch: Int64(AppClock.start.timeIntervalSince1970))
    private static let page = "https://docs.example/page"

    /// Two versions of a package, and the patch from one to the other.
    private struct Versions {
        let old: URL
        let new: URL
        let patch: URL
        let summary: PatchWriter.Summary

        init(in scratch: Scratch) async throws {
            let random = (0..<400).map { String($0 * $0 * 7919 % 65_521, radix: 36) }.joined(separator: " ")
            func package(_ text: String, _ name: String) async throws -> URL {
                let pages = [page: text, "https://docs.example/long": random + text]
                return try await AppBench.package(pages, in: scratch, named: name)
            }
            old = try await package("old", "docs-1.zip")
            new = try await package("new", "docs-2.zip")
            patch = URL(fileURLWithPath: scratch.path("docs-1-2.zip"))
            summary = try PatchWriter.write(
                from: old.path,
                to: new.path,
                as: patch.path,
                options: PatchWriter.Options(generator: "test/1", workers: 2)
            )
        }

        func release(_ file: URL, _ digest: String) throws -> Channel.Release {
            let size = try Data(contentsOf: file).count
            return Channel.Release(digest: digest, size: Int64(size), urls: [file.lastPathComponent])
        }

        /// The release of the new package, with its patch.
        var update: Channel.Release {
            get throws {
                var release = try release(new, summary.newDigest)
                let size = try Data(contentsOf: patch).count
                release.patches = [
                    Channel.Patch(from: summary.oldDigest, size: Int64(size), urls: [patch.lastPathComponent])
                ]
                return release
            }
        }
    }

    private static func answer(_ file: URL) throws -> [TestOrigin.Answer] {
        [TestOrigin.Answer(200, [("ETag", "\"\(file.lastPathComponent)\"")], body: Array(try Data(contentsOf: file)))]
    }

    private static func channel(
        _ version: Int64,
        _ packages: [Channel.Package],
        by key: SigningKey,
        expires: Int64 = 1_000
    ) -> TestOrigin.Answer {
        var channel = Channel(name: "docs", keys: [key.publicKey])
        channel.version = version
        channel.created = time
        channel.expires = time + expires
        channel.packages = packages
        var file = ChannelFile(channel)
        let isSigned = file.sign(by: key, created: time)
        #expect(isSigned)
        return TestOrigin.Answer(200, [("ETag", "\"\(version)\"")], body: file.bytes)
    }

    private static func offline(_ bench: AppBench) async throws -> String {
        bench.cache.isOffline = true
        defer { bench.cache.isOffline = false }
        return try await bench.load(page)
    }

    @Test func `a patch is installed over what it fits, from a file and from a URL`() async throws {
        let bench = try AppBench()
        let versions = try await Versions(in: bench.scratch)
        let error = await #expect(throws: AFCache.Failure.self) {
            try await bench.cache.install(versions.patch, name: "docs")
        }
        #expect(error?.code == .badPackage)
        #expect(error?.description.contains(versions.patch.path) == true)
        #expect(try bench.cache.packages().isEmpty)
        try await bench.cache.install(versions.old, name: "docs")
        #expect(try await Self.offline(bench) == "hit old")
        try await bench.cache.install(versions.patch, name: "docs")
        #expect(try await Self.offline(bench) == "hit new")
        try await bench.cache.rollBackPackage("docs")
        #expect(try await Self.offline(bench) == "hit old")
        try await TestOrigin.withOrigin(["/p.zip": Self.answer(versions.patch)]) { origin in
            var options = AFCache.PackageDownloadOptions()
            options.name = "docs"
            let update = try await bench.cache.installPackage(
                from: URL.parsed(origin.base + "/p.zip"),
                options: options
            )
            guard case .updated = update else {
                Issue.record("\(update)")
                return
            }
        }
        #expect(try await Self.offline(bench) == "hit new")
        try await bench.close()
    }

    @Test func `a channel installs, updates by a patch, and can't be rolled back`() async throws {
        let bench = try AppBench()
        let versions = try await Versions(in: bench.scratch)
        let key = try #require(SigningKey(seed: Array(repeating: 1, count: 32)))
        let thief = try #require(SigningKey(seed: Array(repeating: 2, count: 32)))
        let first = Channel.Package(
            name: "docs",
            releases: [try versions.release(versions.old, versions.summary.oldDigest)]
        )
        let second = Channel.Package(name: "docs", releases: [try versions.update])
        let answers = [
            Self.channel(1, [first], by: thief), Self.channel(1, [first], by: key),
            TestOrigin.Answer(304, [("ETag", "\"1\"")]), Self.channel(2, [second], by: key),
            Self.channel(1, [first], by: key),
        ]
        let files = try [versions.old, versions.new, versions.patch].map {
            ("/" + $0.lastPathComponent, try Self.answer($0))
        }
        let targets = Dictionary(uniqueKeysWithValues: files + [("/docs.channel", answers)])
        try await TestOrigin.withOrigin(targets) { origin in
            let url = try URL.parsed(origin.base + "/docs.channel")
            let options = AFCache.ChannelOptions(keys: [key.publicKey.line])
            func follow() async throws -> AFCache.ChannelUpdate {
                try await bench.cache.followChannel(url, options: options)
            }
            let stolen = await #expect(throws: AFCache.Failure.self) { try await follow() }
            #expect(stolen?.code == .untrustedPackage)
            #expect(try bench.cache.packages().isEmpty)

            let installed = try await follow()
            guard case .installed(let package) = try #require(installed.packages.first) else {
                Issue.record("\(installed)")
                return
            }
            #expect(package.name == "docs")
            #expect((installed.version, installed.failures.count) == (1, 0))
            #expect(installed.expires == AppClock.start + 1_000)
            #expect(try await Self.offline(bench) == "hit old")

            let before = origin.requests.count
            guard case .unchanged = try #require(try await follow().packages.first) else {
                Issue.record("it was loaded again")
                return
            }
            #expect(origin.requests.count == before + 1)

            guard case .updated = try #require(try await follow().packages.first) else {
                Issue.record("it wasn't updated")
                return
            }
            #expect(try await Self.offline(bench) == "hit new")
            #expect(origin.requests.dropFirst(before + 1).map(\.target) == ["/docs.channel", "/docs-1-2.zip"])

            let back = await #expect(throws: AFCache.Failure.self) { try await follow() }
            #expect(back?.code == .untrustedPackage)
            #expect(try await Self.offline(bench) == "hit new")
            bench.cache.isOffline = true
            let offline = await #expect(throws: AFCache.Failure.self) { try await follow() }
            #expect(offline?.code == .offline)
            try await bench.close()
        }
    }

    @Test func `a package that was shipped with the app isn't downloaded, and is updated by a patch`() async throws {
        let bench = try AppBench()
        let versions = try await Versions(in: bench.scratch)
        let key = try #require(SigningKey(seed: Array(repeating: 1, count: 32)))
        let first = try versions.release(versions.old, versions.summary.oldDigest)
        let answers = try [first, versions.update].enumerated().map { number, release in
            let package = Channel.Package(name: "docs", releases: [release])
            return Self.channel(Int64(number + 1), [package], by: key)
        }
        let routes = ["/docs.channel": answers, "/docs-1-2.zip": try Self.answer(versions.patch)]
        try await TestOrigin.withOrigin(routes) { origin in
            try await bench.cache.install(versions.old, name: "docs", isPinned: true)
            let url = try URL.parsed(origin.base + "/docs.channel")
            for expected in ["hit old", "hit new"] {
                let update = try await bench.cache.followChannel(
                    url,
                    options: AFCache.ChannelOptions(keys: [key.publicKey.line])
                )
                #expect(update.failures.isEmpty)
                #expect(try await Self.offline(bench) == expected)
            }
            #expect(origin.targets == ["/docs.channel", "/docs.channel", "/docs-1-2.zip"])
            try await bench.close()
        }
    }

    @Test func `a rollout reaches only its devices, a package that fails stays, and others are installed`() async throws
    {
        let bench = try AppBench()
        let versions = try await Versions(in: bench.scratch)
        let key = try #require(SigningKey(seed: Array(repeating: 1, count: 32)))
        var held = try versions.release(versions.new, versions.summary.newDigest)
        held.rollout = .none
        var wrong = try versions.release(versions.new, versions.summary.newDigest)
        wrong.urls = ["docs-1.zip"]
        let packages = [
            Channel.Package(name: "bad", releases: [wrong]),
            Channel.Package(
                name: "docs",
                releases: [held, try versions.release(versions.old, versions.summary.oldDigest)]
            ),
            Channel.Package(name: "later", releases: [held]),
        ]
        let answer = Self.channel(1, packages, by: key)
        try await TestOrigin.withOrigin(["/docs.channel": [answer], "/docs-1.zip": Self.answer(versions.old)]) {
            origin in
            let options = AFCache.ChannelOptions(keys: [key.publicKey.line])
            let update = try await bench.cache.followChannel(
                URL.parsed(origin.base + "/docs.channel"),
                options: options
            )
            #expect(update.packages.map(\.package.name) == ["docs"])
            #expect(update.failures.map(\.name) == ["bad"])
            #expect(try bench.cache.packages().map(\.name) == ["docs"])
            #expect(try await Self.offline(bench) == "hit old")
            bench.clock.advance(2_000)
            let expired = await #expect(throws: AFCache.Failure.self) {
                try await bench.cache.followChannel(URL.parsed(origin.base + "/docs.channel"), options: options)
            }
            #expect(expired?.code == .expiredChannel)
            #expect(try await Self.offline(bench).hasSuffix("old"))
            try await bench.close()
        }
    }
}
