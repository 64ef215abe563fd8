import AFCCache
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCache
import Crypto
import Foundation
import HTTPTypes
import Synchronization
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Packages that are served from their files.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MountTests {
    private static let page = "https://docs.example/page"
    private static let other = "https://docs.example/other"

    /// The files of a cache's folder with their sizes and times of change, without those of SQLite, which finishes its
    /// work after opening by itself.
    private static func files(_ folder: String) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.hasPrefix("received.sqlite")
        {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
            files[name] = "\(attributes[.size] ?? 0) \(attributes[.modificationDate] ?? 0)"
        }
        return files
    }

    /// Writes a package with all kinds of bodies, some of them large.
    private static func everything(in scratch: Scratch) async throws -> (URL, [String]) {
        let time = Timestamp(secondsSinceEpoch: Int64(AppClock.start.timeIntervalSince1970))
        let line = Array("a line that can be compressed\n".utf8)
        let noise = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7 &* 31) }
        let bodies: [(String, [UInt8], HTTPFields)] = [
            ("empty", [], [:]), ("small", Array("small".utf8), [.eTag: "\"s\""]),
            ("text", Array(repeatElement(line, count: 3000).joined()), [.contentType: "text/plain"]),
            ("long", Array(repeatElement(line, count: 150_000).joined()), [:]), ("noise", noise, [:]),
            ("query?a=1", Array("query".utf8), [:]), ("caf%C3%A9", Array("café".utf8), [:]),
        ]
        var resources = try bodies.map { path, body, fields in
            let url = try WebURL("https://docs.example/" + path)
            return PackageWriter.Resource(
                record: ResourceRecord(
                    url: url,
                    fields: fields,
                    fetched: time,
                    size: Int64(body.count),
                    sha256: SHA256.hash(data: body).map { String(format: "%02x", $0) }.joined()
                ),
                entry: ManifestEntry(url: url, lastModified: time, expires: time + 60, mediaType: "text/plain"),
                body: .bytes(body),
                isCompressible: path != "noise"
            )
        }
        let moved = try WebURL("https://docs.example/moved")
        resources.append(
            PackageWriter.Resource(
                record: ResourceRecord(url: moved, status: 301, fields: [.location: "/small"], fetched: time),
                entry: nil,
                body: nil,
                isCompressible: false
            )
        )
        resources.sort { $0.record.url < $1.record.url }
        let path = scratch.path("all.zip")
        let options = PackageWriter.Options(created: time, generator: "t/1")
        _ = try await PackageWriter.write(resources, to: path, options: options)
        return (URL(fileURLWithPath: path), resources.map(\.record.url.description))
    }

    /// Writes a package with one page.
    private static func page(_ address: String, _ text: String, in scratch: Scratch, named name: String) async throws
        -> URL
    {
        let time = Timestamp(secondsSinceEpoch: Int64(AppClock.start.timeIntervalSince1970))
        let url = try WebURL(address)
        let resource = PackageWriter.Resource(
            record: ResourceRecord(url: url, fields: [.contentType: "text/html; charset=utf-8"], fetched: time),
            entry: ManifestEntry(url: url, lastModified: time, expires: time + 60, mediaType: "text/html"),
            body: .bytes(Array(text.utf8)),
            isCompressible: true
        )
        let options = PackageWriter.Options(created: time, generator: "t/1")
        _ = try await PackageWriter.write([resource], to: scratch.path(name), options: options)
        return URL(fileURLWithPath: scratch.path(name))
    }

    @Test func `a mounted package answers loads and sessions without being extracted, until it is unmounted`()
        async throws
    {
        let bench = try AppBench()
        let file = try await AppBench.package([Self.page: "packaged"], in: bench.scratch, named: "docs.zip")
        bench.cache.isOffline = true
        #expect(try await bench.load(Self.page) == "error -1009")
        let before = try Self.files(bench.scratch.path("cache"))
        let package = try await bench.cache.mount(file)
        #expect(package.name == "docs" && package.resources == 1 && package.bytes == 8)
        #expect(bench.cache.mountedPackages() == [package])
        #expect(try bench.cache.packages().isEmpty)
        for _ in 0..<3 { #expect(try await bench.load(Self.page) == "hit packaged") }
        let session = URLSession(configuration: bench.cache.urlSessionConfiguration())
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(from: try URL.parsed(Self.page))
        #expect(String(decoding: data, as: UTF8.self) == "packaged")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Self.files(bench.scratch.path("cache")) == before)
        try await bench.cache.unmount("docs")
        #expect(try await bench.load(Self.page) == "error -1009")
        #expect(bench.cache.mountedPackages().isEmpty)
        let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.unmount("docs") }
        #expect(error?.code == .noPackage)
        #expect("\(try #require(error))".contains("'docs'"))
        try await bench.close()
    }

    @Test func `a package has its own name, whatever its file is called, so that an update takes its place`()
        async throws
    {
        let bench = try AppBench()
        func file(_ text: String, _ name: String) async throws -> URL {
            try await AppBench.package([Self.page: text], in: bench.scratch, named: name, stating: "docs")
        }
        bench.cache.isOffline = true
        #expect(try await bench.cache.mount(file("one", "docs-1.zip")).name == "docs")
        #expect(try await bench.cache.install(file("two", "docs-2.zip")).name == "docs")
        #expect(try await bench.load(Self.page) == "hit two")
        #expect(try await bench.cache.install(file("three", "docs-3.zip")).name == "docs")
        #expect(try await bench.load(Self.page) == "hit three")
        try await bench.cache.rollBackPackage("docs")
        #expect(try await bench.load(Self.page) == "hit two")
        #expect(try await bench.cache.install(file("four", "four.zip"), name: "own").name == "own")
        #expect(try bench.cache.packages().map(\.name) == ["docs", "own"])
        let zip = try await Data(contentsOf: file("five", "five.zip"))
        let answer = TestOrigin.Answer(200, [("Content-Type", "application/zip")], body: Array(zip))
        try await TestOrigin.withOrigin(["/new.zip": [answer]]) { origin in
            bench.cache.isOffline = false
            let update = try await bench.cache.installPackage(from: URL.parsed(origin.base + "/new.zip"))
            #expect(update.package.name == "docs")
            let none = await #expect(throws: AFCache.Failure.self) { try await bench.cache.updatePackage("none") }
            #expect(none?.code == .noPackage && none?.description.contains("'none'") ?? false)
            let local = await #expect(throws: AFCache.Failure.self) { try await bench.cache.updatePackage("own") }
            #expect(local?.code == .badURL && local?.description.contains("wasn't installed from a URL") ?? false)
            #expect(try bench.cache.packages().map(\.name) == ["docs", "own"])
        }
        try await bench.close()
    }

    @Test func `what is stored but damaged is told from what is missing`() async throws {
        let bench = try AppBench()
        let file = try await AppBench.package([Self.page: "packaged"], in: bench.scratch, named: "docs.zip")
        var bytes = try Data(contentsOf: file)
        let place = try #require(bytes.firstRange(of: Data("packaged".utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: file)
        try await bench.cache.mount(file)
        bench.cache.isOffline = true
        func failure(_ address: String) async throws -> AFCache.Failure? {
            await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(from: URL.parsed(address)) }
        }
        let damaged = try #require(try await failure(Self.page))
        #expect(damaged.code == .damaged)
        #expect("\(damaged)".contains("'\(Self.page)': the stored body is missing or damaged"))
        let missing = try #require(try await failure(Self.other))
        #expect(missing.code == .offline && missing.urlErrorCode == .notConnectedToInternet)
        #expect("\(missing)" == "the cache is in offline mode, and nothing is stored for '\(Self.other)'")
        var request = URLRequest(url: try URL.parsed(Self.other))
        request.cachePolicy = .returnCacheDataDontLoad
        bench.cache.isOffline = false
        let unwanted = await #expect(throws: AFCache.Failure.self) { try await bench.cache.data(for: request) }
        #expect(unwanted?.code == .notStored)
        #expect(unwanted?.description == "nothing is stored for '\(Self.other)', and the policy allows no connection")
        try await bench.close()
    }

    @Test func `a mounted package answers as an installed one does, byte for byte`() async throws {
        let (mounted, installed) = (try AppBench(), try AppBench())
        let (file, urls) = try await Self.everything(in: mounted.scratch)
        try await mounted.cache.mount(file)
        try await installed.cache.install(file)
        for bench in [mounted, installed] { bench.cache.isOffline = true }
        for url in urls {
            for fields in [[:], ["Range": "bytes=2-5"], ["Range": "bytes=-3"], ["Accept-Encoding": "gzip"]] {
                var request = URLRequest(url: try URL.parsed(url))
                request.allHTTPHeaderFields = fields
                var options = AFCache.LoadOptions()
                options.followsRedirects = false
                let one = try await mounted.cache.load(request, options: options)
                let two = try await installed.cache.load(request, options: options)
                #expect(one.data == two.data, "\(url) \(fields)")
                #expect(one.statusCode == two.statusCode, "\(url) \(fields)")
                #expect(
                    one.response.allHeaderFields as? [String: String] == two.response.allHeaderFields
                        as? [String: String]
                )
            }
        }
        // Both can be exported, and give the same package.
        let exports = [mounted, installed].map { URL(fileURLWithPath: $0.scratch.path("export.zip")) }
        #expect(try await mounted.cache.exportPackage(to: exports[0]) == urls.count)
        #expect(try await installed.cache.exportPackage(to: exports[1]) == urls.count)
        #expect(try Data(contentsOf: exports[0]) == Data(contentsOf: exports[1]))
        for bench in [mounted, installed] { try await bench.close() }
    }

    @Test func `an installed package takes the place of a mounted one with its name, until it is removed`() async throws
    {
        let bench = try AppBench()
        let file = try await AppBench.package([Self.page: "bundled", Self.other: "only"], in: bench.scratch)
        let update = try await AppBench.package(
            [Self.page: "update"],
            at: AppClock.start - 50,
            in: bench.scratch,
            named: "new.zip"
        )
        let body = Array(try Data(contentsOf: update))
        try await bench.cache.mount(file, name: "docs")
        try await TestOrigin.withOrigin(["/docs.zip": [TestOrigin.Answer(200, [("ETag", "\"1\"")], body: body)]]) {
            origin in
            #expect(try await bench.load(Self.page, .returnCacheDataDontLoad) == "hit bundled")
            let new = try await bench.cache.installPackage(from: try URL.parsed(origin.base + "/docs.zip"))
            #expect(new.package.name == "docs")
        }
        bench.cache.isOffline = true
        #expect(try await bench.load(Self.page) == "hit update")
        #expect(try await bench.load(Self.other) == "error -1009")
        #expect(bench.cache.mountedPackages().map(\.name) == ["docs"])
        // The next start mounts it again, which changes nothing.
        try await bench.cache.mount(file, name: "docs")
        #expect(try await bench.load(Self.page) == "hit update")
        try await bench.cache.removePackage("docs")
        #expect(try await bench.load(Self.page) == "hit bundled")
        #expect(try await bench.load(Self.other) == "hit only")
        try await bench.close()
    }

    @Test func `a signed package that is older than the mounted one isn't installed in its place`() async throws {
        let scratch = try Scratch()
        let team = try #require(SigningKey(seed: Array(repeating: 1, count: 32)))
        let bench = try AppBench(in: scratch) { $0.trustedPackageKeys = [team.publicKey.line] }
        let new = try await AppBench.package([Self.page: "new"], in: scratch, named: "new.zip", signedBy: [team])
        let old = try await AppBench.package(
            [Self.page: "old"],
            at: AppClock.start - 1000,
            in: scratch,
            named: "old.zip",
            signedBy: [team]
        )
        try await bench.cache.mount(new, name: "docs")
        let error = await #expect(throws: AFCache.Failure.self) { try await bench.cache.install(old, name: "docs") }
        #expect(error?.code == .untrustedPackage)
        try await bench.cache.install(old, name: "docs", allowsOlder: true)
        let served = try await bench.load(Self.page, .returnCacheDataDontLoad)
        #expect(served.hasSuffix(" old"), "\(served)")
        try await bench.close()
    }

    @Test func `of several mounted packages, the priority counts, then the newest response, then the last one mounted`()
        async throws
    {
        let bench = try AppBench()
        bench.cache.isOffline = true
        let one = try await AppBench.package(
            [Self.page: "one", Self.other: "one's"],
            in: bench.scratch,
            named: "one.zip"
        )
        let two = try await AppBench.package([Self.page: "two"], in: bench.scratch, named: "two.zip")
        let old = try await AppBench.package(
            [Self.page: "old"],
            at: AppClock.start - 9,
            in: bench.scratch,
            named: "old.zip"
        )
        try await bench.cache.mount(one)
        try await bench.cache.mount(two)
        try await bench.cache.mount(old)
        #expect(bench.cache.mountedPackages().map(\.name) == ["old", "one", "two"])
        #expect(try await bench.load(Self.page) == "hit two")
        #expect(try await bench.load(Self.other) == "hit one's")
        try await bench.cache.mount(old, priority: 1)
        #expect(bench.cache.mountedPackages().map(\.priority) == [1, 0, 0])
        #expect(try await bench.load(Self.page) == "hit old")
        try await bench.cache.install(two, name: "installed")
        #expect(try await bench.load(Self.page) == "hit old")
        try await bench.cache.unmount("old")
        try await bench.cache.unmount("two")
        #expect(try await bench.load(Self.page) == "hit two")
        try await bench.close()
    }

    @Test func `mounting a file again changes nothing, and another file with the name takes its place`() async throws {
        let bench = try AppBench()
        bench.cache.isOffline = true
        let file = try await AppBench.package([Self.page: "one"], in: bench.scratch, named: "docs.zip")
        let first = try await bench.cache.mount(file)
        bench.clock.advance(10)
        let results = try await withThrowingTaskGroup(of: AFCache.CachedPackage.self) { group in
            for _ in 0..<8 { group.addTask { try await bench.cache.mount(file) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 == first })
        #expect(bench.cache.mountedPackages() == [first])
        let two = try await AppBench.package([Self.page: "two"], in: bench.scratch, named: "two.zip")
        try await bench.cache.mount(two, name: "docs")
        #expect(try await bench.load(Self.page) == "hit two")
        // A file that was replaced at its path, as by an update of the app.
        let three = try await AppBench.package([Self.page: "three"], in: bench.scratch, named: "two.zip")
        #expect(try await bench.load(Self.page) == "hit two")
        try await bench.cache.mount(three, name: "docs")
        #expect(try await bench.load(Self.page) == "hit three")
        #expect(bench.cache.mountedPackages().map(\.name) == ["docs"])
        try await bench.close()
    }

    @Test func `changes of what is mounted are reported`() async throws {
        let bench = try AppBench()
        let file = try await AppBench.package([Self.page: "one"], in: bench.scratch, named: "docs.zip")
        var changes = bench.cache.packageChanges.makeAsyncIterator()
        let package = try await bench.cache.mount(file)
        try await bench.cache.unmount("docs")
        let seen = [await changes.next(), await changes.next()]
        #expect(seen == [.mounted(package), .unmounted(name: "docs")])
        try await bench.close()
    }

    /// A file that can't be mounted, and what the error says.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var name: String
        var contents: [UInt8]?
        var words: [String]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Wrong(name: "missing.zip", contents: nil, words: ["cannot open"]),
        Wrong(name: "text.zip", contents: Array("no package".utf8), words: ["not a package"]),
        Wrong(name: "empty.zip", contents: [], words: ["empty"]),
        Wrong(name: "cut.zip", contents: Array("PK\u{3}\u{4}".utf8), words: ["truncated"]),
    ])
    func `a file that isn't a package is refused with its name and the reason`(_ wrong: Wrong) async throws {
        let bench = try AppBench()
        let file = bench.scratch.path(wrong.name)
        if let contents = wrong.contents { try Data(contents).write(to: URL(fileURLWithPath: file)) }
        let error = await #expect(throws: AFCache.Failure.self) {
            try await bench.cache.mount(URL(fileURLWithPath: file))
        }
        let sentence = "\(try #require(error))"
        #expect(sentence.contains(wrong.name), "\(sentence)")
        for word in wrong.words { #expect(sentence.contains(word), "\(sentence)") }
        #expect(bench.cache.mountedPackages().isEmpty)
        try await bench.close()
    }

    @Test func `a URL, a folder and the index of another package are refused, and what is mounted stays`() async throws
    {
        let bench = try AppBench()
        bench.cache.isOffline = true
        let file = try await AppBench.package([Self.page: "one"], in: bench.scratch, named: "docs.zip")
        let two = try await AppBench.package([Self.page: "two"], in: bench.scratch, named: "two.zip")
        try await bench.cache.mount(file)
        let remote = await #expect(throws: AFCache.Failure.self) {
            try await bench.cache.mount(try URL.parsed("https://docs.example/docs.zip"))
        }
        #expect("\(try #require(remote))".contains("'https://docs.example/docs.zip'"))
        #expect("\(try #require(remote))".contains("install the package from its URL"))
        await #expect(throws: AFCache.Failure.self) {
            try await bench.cache.mount(URL(fileURLWithPath: bench.scratch.path("cache")), name: "docs")
        }
        let index = bench.scratch.path("docs.index")
        try MountedPackages.writeIndex(of: file.path, to: index, now: Timestamp(secondsSinceEpoch: 0))
        let wrong = await #expect(throws: AFCache.Failure.self) {
            try await bench.cache.mount(two, name: "docs", index: URL(fileURLWithPath: index))
        }
        #expect("\(try #require(wrong))".contains("the index of another package"))
        await #expect(throws: AFCache.Failure.self) { try await bench.cache.mount(two, name: "a\nb") }
        #expect(try await bench.load(Self.page) == "hit one")
        try await bench.cache.mount(file, name: "again", index: URL(fileURLWithPath: index))
        #expect(bench.cache.mountedPackages().map(\.name) == ["again", "docs"])
        try await bench.close()
    }

    @Test(arguments: [false, true])
    func `with trusted keys, a mounted package must be signed by one of them, also by its index`(_ hasIndex: Bool)
        async throws
    {
        let scratch = try Scratch()
        let (team, thief) = (
            try #require(SigningKey(seed: Array(repeating: 1, count: 32))),
            try #require(SigningKey(seed: Array(repeating: 9, count: 32)))
        )
        let bench = try AppBench(in: scratch) { $0.trustedPackageKeys = [team.publicKey.line] }
        func mount(_ name: String, _ keys: [SigningKey]) async throws -> AFCache.CachedPackage {
            let file = try await AppBench.package([Self.page: name], in: scratch, named: name + ".zip", signedBy: keys)
            let index = scratch.path(name + ".index")
            try MountedPackages.writeIndex(of: file.path, to: index, now: Timestamp(secondsSinceEpoch: 0))
            return try await bench.cache.mount(file, index: hasIndex ? URL(fileURLWithPath: index) : nil)
        }
        for (name, keys, word) in [("plain", [], "is not signed"), ("stolen", [thief], thief.publicKey.id)] {
            let error = await #expect(throws: AFCache.Failure.self) { try await mount(name, keys) }
            #expect(error?.code == .untrustedPackage)
            let sentence = "\(try #require(error))"
            #expect(sentence.contains("\(name).zip") && sentence.contains(word), "\(sentence)")
        }
        #expect(bench.cache.mountedPackages().isEmpty)
        #expect(try await mount("both", [thief, team]).name == "both")
        #expect(try await bench.load(Self.page, .returnCacheDataDontLoad) == "hit both")
        try await bench.close()
    }

    @Test func `a validated response of a mounted package is fresh again, and a newer one takes its place`()
        async throws
    {
        let answers = [
            TestOrigin.Answer(304, [("Cache-Control", "max-age=60")]), .fresh("newer"),
        ]
        try await TestOrigin.withOrigin(["/page": answers]) { origin in
            let bench = try AppBench()
            let url = origin.base + "/page"
            let file = try await AppBench.package([url: "packaged"], in: bench.scratch, named: "docs.zip")
            let bytes = try Data(contentsOf: file)
            try await bench.cache.mount(file)
            bench.clock.advance(3600)
            let validated = try await bench.load(url)
            #expect(validated == "revalidated packaged")
            #expect(try await bench.load(url) == "hit packaged")
            // The validation counts for the same package only.
            try await bench.cache.unmount("docs")
            try await bench.cache.mount(file)
            #expect(try await bench.load(url) == "hit packaged")
            bench.clock.advance(3600)
            let loaded = try await bench.load(url)
            #expect(loaded.hasSuffix(" newer"), "\(loaded)")
            #expect(try await bench.load(url) == "hit newer")
            #expect(origin.requests.count == 2)
            try bench.cache.removeCachedResponse(for: try URL.parsed(url))
            let left = try await bench.load(url, .returnCacheDataDontLoad)
            #expect(left == "error -1008")
            #expect(try Data(contentsOf: file) == bytes)
            try await bench.close()
        }
    }

    @Test func `a mounted package answers after the cache's folder was purged`() async throws {
        let bench = try AppBench()
        bench.cache.isOffline = true
        let file = try await AppBench.package(
            [Self.page: "bundled", Self.other: "x"],
            in: bench.scratch,
            named: "docs.zip"
        )
        try await bench.cache.mount(file)
        #expect(try await bench.load(Self.page) == "hit bundled")
        try FileManager.default.removeItem(atPath: bench.scratch.path("cache"))
        #expect(try await bench.load(Self.page) == "hit bundled")
        #expect(try await bench.load(Self.other) == "hit x")
        #expect(try await bench.cache.search("absentword").count == 0)
        // The folder is made again by the next package that is installed, which doesn't touch the mounted one.
        try await bench.cache.removeAllCachedResponses()
        #expect(try await bench.load(Self.page) == "hit bundled")
        await #expect(throws: AFCache.Failure.self) { try await bench.cache.close() }
    }

    @Test func `caches of one process share what is mounted, and those of other folders mount the file again`()
        async throws
    {
        let scratch = try Scratch()
        let (app, view, other) = (try AppBench(in: scratch), try AppBench(in: scratch), try AppBench())
        for bench in [app, view, other] { bench.cache.isOffline = true }
        let file = try await AppBench.package([Self.page: "bundled"], in: scratch, named: "docs.zip")
        try await app.cache.mount(file)
        #expect(try await view.load(Self.page) == "hit bundled")
        #expect(try await other.load(Self.page) == "error -1009")
        try await other.cache.mount(file)
        #expect(try await other.load(Self.page) == "hit bundled")
        try await view.cache.unmount("docs")
        #expect(try await app.load(Self.page) == "error -1009")
        #expect(try await other.load(Self.page) == "hit bundled")
        for bench in [app, view, other] { try await bench.close() }
    }

    @Test func `another process mounts the same file at the same time`() async throws {
        let bench = try AppBench()
        bench.cache.isOffline = true
        let file = try await AppBench.package([Self.page: "bundled"], in: bench.scratch, named: "docs.zip")
        try await bench.cache.mount(file)
        let tool = (Program.afcache as NSString).deletingLastPathComponent + "/receivingwriter"
        // It uses the same cache's folder, in which this process has the right to store responses.
        for _ in 0..<3 {
            let result = try Program.run(tool, ["mount", bench.scratch.path("cache"), file.path, Self.page])
            #expect(String(decoding: result.output, as: UTF8.self) == "bundled\n", "\(result)")
            #expect(try await bench.load(Self.page) == "hit bundled")
        }
        try await bench.close()
    }

    @Test func `the text of mounted and installed packages is searched`() async throws {
        let bench = try AppBench()
        let text = "<!doctype html><title>Guide</title><main><p>The quick heron waits.</p></main>"
        let file = try await Self.page("https://docs.example/guide.html", text, in: bench.scratch, named: "guide.zip")
        let birds = text.replacing("Guide", with: "Birds").replacing("quick", with: "grey")
        let two = try await Self.page("https://birds.example/b.html", birds, in: bench.scratch, named: "birds.zip")
        #expect(try await bench.cache.search("heron").pages.isEmpty)
        // The cache's own capacity is in effect from now on.
        try await bench.cache.setDiskCapacity(bench.cache.diskCapacity)
        let before = try Self.files(bench.scratch.path("cache"))
        try await bench.cache.mount(file)
        let found = try await bench.cache.search("herons wait")
        #expect(found.pages.map(\.url.absoluteString) == ["https://docs.example/guide.html"])
        #expect(found.pages.first?.title == "Guide" && found.pages.first?.package == "guide")
        #expect(found.pages.first?.excerpt.contains("quick heron waits") == true)
        let after = try Self.files(bench.scratch.path("cache"))
        #expect(after == before)
        try await bench.cache.install(two)
        async let one = bench.cache.search("heron")
        async let other = bench.cache.search("heron", host: "birds.example")
        #expect(try await one.count == 2)
        #expect(try await other.pages.map(\.title) == ["Birds"])
        try await bench.cache.unmount("guide")
        #expect(try await bench.cache.search("heron").pages.map(\.package) == ["birds"])
        #expect(try await bench.cache.search("heron", offset: 10).pages.isEmpty)
        try await bench.close()
    }
}
