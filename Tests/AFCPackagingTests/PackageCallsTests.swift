import AFCCache
import AFCHTTP
import AFCLinter
import AFCPackageFormat
import AFCPackaging
import AFCTime
import Foundation
import TestOrigin
import TestSupport
import Testing

/// Packages made and used by one call each.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PackageCallsTests {
    private static func page(_ text: String) -> [TestOrigin.Answer] {
        [TestOrigin.Answer(200, [("Content-Type", "text/html"), ("ETag", "\"1\"")], body: Array(text.utf8))]
    }

    private static let site = [
        "/robots.txt": [TestOrigin.Answer(404, [])], "/favicon.ico": [TestOrigin.Answer(404, [])],
        "/": page("<!doctype html><html lang=en><title>Start</title><a href=/a>a</a><a href=/gone>gone</a>"),
        "/a": page("<!doctype html><html lang=en><title>A</title><a href=/b>b</a>"),
        "/b": page("<!doctype html><html lang=en><title>B</title>"),
        "/gone": [TestOrigin.Answer(410, [])],
    ]

    private static func keys(in scratch: Scratch) throws -> (private: URL, public: URL) {
        let key = try #require(SigningKey(seed: Array(repeating: 3, count: 32), comment: "team"))
        try scratch.write(Array(key.secretLine.utf8), to: "team")
        try scratch.write(Array(key.publicKey.line.utf8), to: "team.pub")
        return (URL(fileURLWithPath: scratch.path("team")), URL(fileURLWithPath: scratch.path("team.pub")))
    }

    @Test func `a site is packed, signed, checked, loaded and exported`() async throws {
        let scratch = try Scratch()
        let (key, trusted) = try Self.keys(in: scratch)
        let file = URL(fileURLWithPath: scratch.path("site.zip"))
        try await TestOrigin.withOrigin(Self.site) { origin in
            let url = try #require(URL(string: origin.base + "/"))
            let report = try await Package.pack([url], to: file) { $0.depth = 1 }
            #expect(report.resources == 2 && !report.isUnchanged)
            #expect(report.failures.map(\.url.path) == ["/gone"])
            #expect("\(report.failures[0])" == "'\(origin.base)/gone': status 410 Test", "\(report.failures[0])")
            #expect("\(report)".hasPrefix("2 resources, 0 redirects, "))
            let again = try await Package.pack([url], to: file) { settings in
                settings.depth = 1
                settings.updates = true
            }
            #expect(again.resources == 2)
            // One that isn't signed isn't loaded if it must be.
            await #expect(throws: CacheError.self) {
                try await Package.load(file, into: URL(fileURLWithPath: scratch.path("cache")), trusting: [trusted])
            }
            // A key that can't be read is named, in words.
            let missing = URL(fileURLWithPath: scratch.path("none"))
            await #expect { try await Package.sign(file, with: [missing]) } throws: {
                "\($0)".contains("the key can't be read: ") && "\($0)".contains(missing.path)
            }
            try await Package.sign(file, with: [key])
            // The same build may run again.
            let signed = try await Package.pack([url], to: file) { ($0.depth, $0.keys) = (1, [key]) }
            #expect(signed.resources == 2)
            let findings = try await Package.lint(file, trusting: [trusted])
            #expect(findings.allSatisfy { $0.severity != .error }, "\(findings)")
            let cache = URL(fileURLWithPath: scratch.path("cache"))
            #expect(try await Package.load(file, into: cache, trusting: [trusted]) == 2)
            let store = try DiskCache(path: cache.path, access: .readOnly)
            #expect(try store.packages().map(\.resources) == [2])
            let folder = URL(fileURLWithPath: scratch.path("export"))
            try await Package.export(file, to: folder)
            #expect(FileManager.default.fileExists(atPath: folder.path + "/index.html"))
            let html = URL(fileURLWithPath: scratch.path("export.html"))
            try await Package.export(file, to: html)
            #expect(try Data(contentsOf: html).prefix(15) == Data("<!doctype html>".utf8))
        }
    }

    @Test func `a folder is packed, and signing again replaces the signature`() async throws {
        let scratch = try Scratch()
        let (key, trusted) = try Self.keys(in: scratch)
        try FileManager.default.createDirectory(atPath: scratch.path("site"), withIntermediateDirectories: true)
        try scratch.write(Array("<!doctype html><html lang=en><title>x</title>".utf8), to: "site/index.html")
        let file = URL(fileURLWithPath: scratch.path("folder.zip"))
        let base = try #require(URL(string: "https://docs.example/"))
        let site = URL(fileURLWithPath: scratch.path("site"))
        let report = try await Package.pack(folder: site, as: base, to: file, name: "docs", keys: [key])
        #expect(report.resources == 2)
        for _ in 0..<2 { try await Package.sign(file, with: [key]) }
        let cache = URL(fileURLWithPath: scratch.path("cache"))
        #expect(try await Package.load(file, into: cache, trusting: [trusted]) == 2)
        #expect(try DiskCache(path: cache.path, access: .readOnly).packages().map(\.name) == ["docs"])
    }

    @Test func `what can't be done is an error with its subject, and leaves the file as it was`() async throws {
        let scratch = try Scratch()
        let (key, trusted) = try Self.keys(in: scratch)
        let file = URL(fileURLWithPath: scratch.path("site.zip"))
        try scratch.write(Array("no package".utf8), to: "site.zip")
        try await TestOrigin.withOrigin([
            "/robots.txt": [TestOrigin.Answer(404, [])], "/": [TestOrigin.Answer(500, [])],
        ]) { origin in
            let url = try #require(URL(string: origin.base + "/"))
            let taken = await #expect(throws: (any Error).self) { try await Package.pack([url], to: file) }
            #expect("\(try #require(taken))".contains("not a package"))
            let new = URL(fileURLWithPath: scratch.path("new.zip"))
            let nothing = await #expect(throws: (any Error).self) { try await Package.pack([url], to: new) }
            #expect("\(try #require(nothing))".contains("nothing was fetched"))
            #expect(!FileManager.default.fileExists(atPath: new.path))
        }
        let swapped = await #expect(throws: (any Error).self) { try await Package.sign(file, with: [trusted]) }
        #expect("\(try #require(swapped))".contains("'\(trusted.path)': the key can't be used: it is a public key"))
        let none = await #expect(throws: (any Error).self) { try await Package.sign(file, with: []) }
        #expect("\(try #require(none))".contains("there is no key to sign with"))
        let broken = await #expect(throws: (any Error).self) { try await Package.sign(file, with: [key]) }
        #expect("\(try #require(broken))".contains("site.zip"))
        #expect(try scratch.read("site.zip") == Array("no package".utf8))
        let findings = try await Package.lint(file)
        #expect(findings.contains { "\($0)".contains("site.zip': ") && "\($0)".hasSuffix("]") }, "\(findings)")
        let folder = URL(fileURLWithPath: scratch.path("out"))
        await #expect(throws: (any Error).self) { try await Package.export(file, to: folder) }
    }

    @Test(arguments: [
        (0.0, 0), (1.9, 1), (-0.5, -1), (1_700_000_000.25, 1_700_000_000), (1e300, Int64.max), (-1e300, .min),
    ])
    func `a date becomes the second that contains it`(_ date: Double, _ second: Int64) {
        #expect(Timestamp(Date(timeIntervalSince1970: date)).secondsSinceEpoch == second)
    }

    @Test func `the present second is the clock's, and a second becomes the date at its beginning`() {
        let before = Date().timeIntervalSince1970.rounded(.down)
        let now = Double(Timestamp.now.secondsSinceEpoch)
        #expect(before <= now && now <= Date().timeIntervalSince1970)
        #expect(Date(Timestamp(secondsSinceEpoch: 9)) == Date(timeIntervalSince1970: 9))
    }
}
