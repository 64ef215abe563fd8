import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Foundation
import HTTPTypes
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct FolderPackagerTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)  // Sun, 09 Sep 2001 01:46:40 GMT

    private func options(
        _ folder: String,
        base: String = "http://docs.example",
        _ change: (inout FolderOptions) throws -> Void = { _ in }
    ) throws -> FolderOptions {
        var options = FolderOptions(folder: folder, baseURL: try WebURL(base), now: now)
        try change(&options)
        return options
    }

    @Test(
        arguments: [
            ("http://docs.example", "a/b.html", "http://docs.example/a/b.html"),
            ("http://docs.example/", "a.html", "http://docs.example/a.html"),
            ("http://docs.example/sub/", "a.html", "http://docs.example/sub/a.html"),
            ("http://docs.example:8080/sub", "a.html", "http://docs.example:8080/sub/a.html"),
            ("afcpkg://localhost", "a/b.html", "afcpkg://localhost/a/b.html"),
            ("http://docs.example", "a b?c#d%e.html", "http://docs.example/a%20b%3Fc%23d%25e.html"),
            ("http://docs.example", "ä/%2e%2e/x", "http://docs.example/%C3%A4/%252e%252e/x"),
            ("http://docs.example", "a\\b", "http://docs.example/a%5Cb"),
            ("http://docs.example", "a;b,c=d&e+f@g:h", "http://docs.example/a;b,c=d&e+f@g:h"),
            ("http://docs.example", "a\"b<c>d`e{f}g^h", "http://docs.example/a%22b%3Cc%3Ed%60e%7Bf%7Dg%5Eh"),
            ("http://docs.example", "...", "http://docs.example/..."),
        ]
    ) func `a file's URL is its percent-encoded path after the base URL`(
        base: String,
        path: String,
        expected: String
    ) throws {
        #expect(try FolderPackager.url(ofPath: path, below: try WebURL(base)).description == expected)
    }

    @Test func `the example of the documentation packs a folder`() async throws {
        try await withScratchFolder { folder in
            try write("abc", to: folder + "/site/a.html", modified: 784_111_777)
            let now = now
            let output = folder + "/site.zip"

            let options = FolderOptions(folder: folder + "/site", baseURL: try WebURL("https://docs.example"), now: now)
            let packed = try await FolderPackager.resources(of: options)
            let writing = PackageWriter.Options(created: now, generator: "example/1")
            let summary = try await PackageWriter.write(packed.resources, to: output, options: writing)
            try packed.requireUnchanged()

            #expect(summary.resources == 1)
            #expect(summary.bodyBytes == 3)
        }
    }

    @Test func `files become resources in the order of their paths`() async throws {
        try await withScratchFolder { folder in
            try write("b { }", to: folder + "/b/style.css", modified: 784_111_777)
            try write("abc", to: folder + "/a.html", modified: 784_111_777)
            try write("x", to: folder + "/b.unknown")
            let packed = try await FolderPackager.resources(of: options(folder) { $0.maxAge = 3600 })
            #expect(packed.resources.map { $0.record.url.path } == ["/a.html", "/b.unknown", "/b/style.css"])
            let first = try #require(packed.resources.first)
            #expect(first.record.size == 3)
            // printf abc | sha256sum
            #expect(first.record.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(first.entry?.mediaType == "text/html")
            #expect(first.entry?.lastModified == now)
            #expect(first.entry?.expires == now + 3600)
            #expect(first.record.expiry == now + 3600)
            #expect(packed.report.withoutMediaType == ["b.unknown"])
            #expect(packed.report.files == 3)
            #expect(packed.report.bytes == 9)
        }
    }

    @Test func `what robots.txt and pages say about AI is recorded`() async throws {
        try await withScratchFolder { folder in
            try write("User-agent: *\nContent-Usage: train-ai=n\n", to: folder + "/site/robots.txt")
            try write("<meta name=robots content=noai><p>a", to: folder + "/site/a.html")
            let output = Packaging.Output(path: folder + "/site.zip", created: now, generator: "example/1")
            _ = try await Packaging.pack(options(folder + "/site"), to: output)
            let records = try PackageReader(path: output.path).index.resources.compactMap(\.record)
            let said = records.map { "\($0.url.path) \($0.robotsUsage.text) \($0.pageUsage.text)" }
            #expect(said == ["/a.html train-ai=n noai", "/robots.txt train-ai=n "])
        }
    }

    @Test func `private keys are named`() async throws {
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n"
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        let files = [
            ("a.pem", pem, true), ("b.pem", certificate + pem, true), ("c.pem", certificate, false),
            ("d", "\r\n-----BEGIN OPENSSH PRIVATE KEY-----\r\nb3Bl\r\n", true),
            ("e", "afcache-ed25519-private 0a0b\n", true),
            ("f.pub", "afcache-ed25519 0a0b\n", false), ("g.html", "<pre>\n" + pem, false),
            ("h.txt", "Write:\n" + pem, false),
            ("i", "-----BEGIN PGP PUBLIC KEY BLOCK-----\n", false), ("j", "", false),
        ]
        try await withScratchFolder { folder in
            for (name, text, _) in files { try write(text, to: folder + "/" + name) }
            let packed = try await FolderPackager.resources(of: options(folder))
            #expect(packed.report.privateKeys == files.filter(\.2).map(\.0))
        }
    }

    @Test func `an index file is also the page of its folder`() async throws {
        try await withScratchFolder { folder in
            for path in ["index.html", "a/index.htm", "a/b/index.html", "a/b/index.htm", "c/x.html", "d/Index.html"] {
                try write(path, to: folder + "/" + path)
            }
            let packed = try await FolderPackager.resources(of: options(folder, base: "http://docs.example/s"))
            let extra = packed.resources.filter { $0.record.url.path.hasSuffix("/") }
            #expect(extra.map(\.record.url.path).sorted() == ["/s/", "/s/a/", "/s/a/b/"])
            let nested = try #require(extra.first { $0.record.url.path == "/s/a/b/" })
            #expect(nested.entry?.url.path == "/s/a/b/")
            #expect(nested.entry?.mediaType == "text/html")
            #expect(nested.record.size == Int64("a/b/index.html".utf8.count))
            #expect(packed.report.files == 6)
            #expect(packed.resources.count == 9)
            let files = try options(folder, base: "http://docs.example/s") { $0.givesFolderURLs = false }
            #expect(try await FolderPackager.resources(of: files).resources.count == 6)
            let mapped = try options(folder) {
                $0.urls = [
                    "c/x.html": try WebURL("http://docs.example/a/"), "index.html": try WebURL("http://docs.example/h"),
                ]
            }
            let urls = try await FolderPackager.resources(of: mapped).resources.map(\.record.url.path)
            #expect(urls.filter { $0.hasSuffix("/") }.sorted() == ["/a/", "/a/b/"])
        }
    }

    @Test func `a file that a mirror named with a query answers the query, too`() async throws {
        try await withScratchFolder { folder in
            let files = [
                ("a/page?x=1", "<!DOCTYPE html><p>"), ("s.css?v=3", "p{}"), ("b?c", "\u{0}"), ("?x", "x"),
                ("d?e/f", "x"),
            ]
            for (path, body) in files { try write(body, to: folder + "/" + path) }
            let result = try await FolderPackager.resources(of: try options(folder))
            let types = result.resources.map { ($0.record.url.description, $0.entry?.mediaType) }
            let expected: [String: String?] = [
                "http://docs.example/a/page%3Fx=1": "text/html", "http://docs.example/a/page?x=1": "text/html",
                "http://docs.example/s.css%3Fv=3": "text/css", "http://docs.example/s.css?v=3": "text/css",
                "http://docs.example/b%3Fc": nil, "http://docs.example/b?c": nil,
                "http://docs.example/%3Fx": "text/plain",
                "http://docs.example/d%3Fe/f": nil,
            ]
            #expect(Dictionary(uniqueKeysWithValues: types) == expected)
        }
    }

    @Test func `a page also has its URL without the extension, unless a file or a folder has it`() async throws {
        try await withScratchFolder { folder in
            for path in [
                "index.html", "about.html", "guide.html", "guide/index.html", "guide/a.html", "raw.html", "raw",
                "x.htm",
                "m.html", "404.html", "empty/b.html", "empty.html",
            ] {
                try write(path, to: folder + "/" + path)
            }
            let clean = try options(folder, base: "http://docs.example/s") {
                $0.givesCleanURLs = true
                $0.urls = ["m.html": try WebURL("http://docs.example/s/mapped.html")]
            }
            let packed = try await FolderPackager.resources(of: clean)
            let further = packed.resources.dropFirst(12)
            let redirects = further.filter { $0.entry == nil }
            #expect(redirects.map(\.record.url.path) == ["/s/guide"])
            #expect(redirects.first?.record.status == 301)
            #expect(redirects.first?.record.fields[.location] == "/s/guide/")
            #expect(redirects.first?.body == nil)
            #expect(
                further.filter { $0.entry != nil }.map(\.record.url.path)
                    == ["/s/", "/s/404", "/s/about", "/s/empty", "/s/empty/b", "/s/guide/", "/s/guide/a"]
            )
            let about = try #require(further.first { $0.record.url.path == "/s/about" })
            #expect(about.entry?.mediaType == "text/html")
            #expect(about.record.size == Int64("about.html".utf8.count))
            let without = try options(folder) { ($0.givesCleanURLs, $0.givesFolderURLs) = (true, false) }
            let urls = try await FolderPackager.resources(of: without).resources.map(\.record.url.path)
            #expect(urls.dropFirst(12) == ["/404", "/about", "/empty", "/empty/b", "/guide", "/guide/a", "/m"])
        }
    }

    @Test func `a body at two URLs is stored once`() async throws {
        try await withScratchFolder { folder in
            try write(String(repeating: "0123456789abcdef", count: 128), to: folder + "/site/about.html")
            let output = Packaging.Output(path: folder + "/x.zip", created: now, generator: "test")
            let clean = try options(folder + "/site") { $0.givesCleanURLs = true }
            #expect(try await Packaging.pack(clean, to: output).summary.resources == 2)
            let reader = try PackageReader(path: folder + "/x.zip")
            #expect(reader.archive.members.filter { $0.name.hasPrefix("docs.example/") }.count == 1)
        }
    }

    @Test func `the pages for missing URLs are stated in the package`() async throws {
        try await withScratchFolder { folder in
            for path in ["index.html", "404.html", "a/404.html", "app/start.html"] {
                try write(path, to: folder + "/" + path)
            }
            func rules(_ change: (inout FolderOptions) throws -> Void) async throws -> String? {
                let options = try options(folder, base: "http://docs.example/s", change)
                let rules = try await FolderPackager.resources(of: options).fallback
                return rules.map { ([$0.base] + $0.pages.map(\.url)).map(\.path).joined(separator: " ") }
            }
            #expect(try await rules { _ in } == "/s/ /s/404.html")
            #expect(try await rules { $0.missingPage = .none } == nil)
            #expect(try await rules { $0.missingPage = .file("a/404.html") } == "/s/ /s/a/404.html")
            #expect(
                try await rules { $0.applicationPage = "app/start.html" } == "/s/ /s/app/start.html /s/404.html"
            )
            #expect(try await rules { $0.exclude = [Glob("404.html")] } == nil)
            // A page that has another URL isn't found by chance, but one that is named must be below the base.
            let elsewhere = ["404.html": try WebURL("http://other.example/404.html")]
            #expect(try await rules { $0.urls = elsewhere } == nil)
            await #expect(throws: PackagingError.self) {
                _ = try await rules { ($0.urls, $0.missingPage) = (elsewhere, .file("404.html")) }
            }
            let error = await #expect(throws: PackagingError.self) {
                _ = try await rules { $0.applicationPage = "none.html" }
            }
            #expect(error?.subject == "none.html")
        }
    }

    @Test(arguments: [(ManifestDialect.afcache, 2), (.five, 2), (.four, 1), (.three, 1)])
    func `a dialect that can't name members has no folders' URLs`(dialect: ManifestDialect, count: Int) async throws {
        try await withScratchFolder { folder in
            try write("x", to: folder + "/site/index.html")
            var output = Packaging.Output(path: folder + "/x.zip", created: now, generator: "test")
            output.dialect = dialect
            let summary = try await Packaging.pack(try options(folder + "/site"), to: output).summary
            #expect(summary.resources == count)
        }
    }

    @Test func `last-modified is the file's time on request, shifted by the offset`() async throws {
        try await withScratchFolder { folder in
            try write("abc", to: folder + "/a.html", modified: 784_111_777)
            let options = try options(folder) {
                ($0.usesFileTime, $0.lastModifiedOffset, $0.maxAge, $0.recordsMediaTypes) = (true, -77, 100, false)
            }
            let entry = try #require(try await FolderPackager.resources(of: options).resources.first?.entry)
            #expect(entry.lastModified == Timestamp(secondsSinceEpoch: 784_111_700))
            #expect(entry.expires == Timestamp(secondsSinceEpoch: 784_111_800))
            #expect(entry.mediaType == nil)
        }
    }

    @Test func `omissions are reported with the reason`() async throws {
        try await withScratchFolder { folder in
            for path in ["a.html", ".hidden", ".git/config", "cache/x.html", "big.bin", "t.tmp"] {
                try write(path == "big.bin" ? String(repeating: "x", count: 100) : "x", to: folder + "/" + path)
            }
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "/etc")
            try FileManager.default.createSymbolicLink(atPath: folder + "/l.html", withDestinationPath: "a.html")
            _ = try run("mkfifo", folder + "/fifo")
            let options = try options(folder) {
                $0.exclude = [Glob("*.tmp"), Glob(folder + "/cache/*")]
                $0.maxFileSize = 99
            }
            let packed = try await FolderPackager.resources(of: options)
            #expect(packed.resources.map { $0.record.url.path } == ["/a.html"])
            #expect(
                packed.report.skipped.map { "\($0.path) \($0.reason.rawValue)" } == [
                    ".git hidden", ".hidden hidden", "big.bin too-large", "cache/x.html excluded", "fifo special",
                    "l.html symbolic-link", "link symbolic-link", "t.tmp excluded",
                ]
            )
            let all = try await FolderPackager.resources(
                of: try self.options(folder + "//") { $0.includesHidden = true }
            )
            #expect(all.resources.map { $0.record.url.path }.prefix(2) == ["/.git/config", "/.hidden"])
        }
    }

    /// A folder with links, beside a folder with a library.
    private func withLinks(_ body: (_ folder: String) async throws -> Void) async throws {
        try await withScratchFolder { scratch in
            for path in ["site/a.html", "site/sub/b.html", "lib/jquery.js", "lib/more/c.js"] {
                try write(path, to: scratch + "/" + path)
            }
            _ = try run("mkfifo", scratch + "/site/fifo")
            let links = [
                "a2.html": "a.html", "sub/a3.html": "../a.html", "twin": "sub", "jquery.js": "../lib/jquery.js",
                "more": scratch + "/lib/more", "gone.html": "none.html", "self": ".", "sub/up": "..",
                "circle": "circle",
                "pipe": "fifo", "null": "/dev/null",
            ]
            for (path, target) in links {
                try FileManager.default.createSymbolicLink(
                    atPath: scratch + "/site/" + path,
                    withDestinationPath: target
                )
            }
            try await body(scratch)
        }
    }

    private func listed(_ folder: String, _ links: FolderOptions.Links) async throws -> (
        paths: [String], skips: [String]
    ) {
        let packed = try await FolderPackager.resources(of: try options(folder + "/site") { $0.links = links })
        try packed.requireUnchanged()
        return (
            packed.resources.map(\.record.url.path), packed.report.skipped.map { "\($0.path) \($0.reason.rawValue)" }
        )
    }

    @Test func `links are followed within the folder`() async throws {
        try await withLinks { folder in
            let (paths, skips) = try await listed(folder, .within([]))
            let twins = ["/twin/a3.html", "/twin/b.html"]
            #expect(paths == ["/a.html", "/a2.html", "/sub/a3.html", "/sub/b.html"] + twins)
            #expect(
                skips == [
                    "circle link-broken", "fifo special", "gone.html link-broken", "jquery.js link-outside",
                    "more link-outside", "null link-outside", "pipe special", "self link-loop", "sub/up link-loop",
                    "twin/up link-loop",
                ]
            )
        }
    }

    @Test func `links are followed within a folder that is named`() async throws {
        try await withLinks { folder in
            let (paths, skips) = try await listed(folder, .within([folder + "/lib"]))
            #expect(paths.contains("/jquery.js") && paths.contains("/more/c.js"))
            #expect(!skips.contains { $0.hasPrefix("jquery.js") || $0.hasPrefix("more") })
            #expect(skips.contains("null link-outside"))
        }
        try await withLinks { folder in
            // The beginning of a name isn't a folder.
            let (_, skips) = try await listed(folder, .within([folder + "/lib/more"]))
            #expect(skips.contains("jquery.js link-outside"))
        }
    }

    @Test func `links that multiply a folder are refused`() async throws {
        try await withScratchFolder { folder in
            for level in 0..<12 {
                try write("x", to: folder + "/\(level)/x.html")
                for name in ["left", "right"] where level < 11 {
                    try FileManager.default.createSymbolicLink(
                        atPath: folder + "/\(level)/\(name)",
                        withDestinationPath: "../\(level + 1)"
                    )
                }
            }
            let error = #expect(throws: PackagingError.self) {
                try FolderWalk(root: folder, includesHidden: false, links: .within([]), limit: 1000)
            }
            #expect(error?.code == .badOption)
        }
    }

    @Test(arguments: ["ftp://docs.example", "file:///srv", "ws://docs.example", "wss://docs.example"])
    func `a base URL whose answers no package can hold is refused`(base: String) async throws {
        try await withScratchFolder { folder in
            try write("x", to: folder + "/a.html")
            let error = await #expect(throws: PackagingError.self) {
                try await FolderPackager.resources(of: options(folder, base: base))
            }
            #expect(error?.code == .badOption)
        }
    }

    @Test(arguments: ["", "/sub/..", "/link"])
    func `an older package at the path of the new one isn't packed`(way: String) async throws {
        try await withScratchFolder { folder in
            for path in ["a.html", "sub/old.zip", "old.zip"] { try write("x", to: folder + "/" + path) }
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: ".")
            let packed = try await FolderPackager.resources(
                of: options(folder) { $0.output = folder + way + "/old.zip" }
            )
            #expect(packed.resources.map(\.record.url.path) == ["/a.html", "/sub/old.zip"])
            #expect(packed.report.skipped.filter { $0.reason == .output }.map(\.path) == ["old.zip"])
        }
    }

    @Test func `single files get the URLs of the map`() async throws {
        try await withScratchFolder { folder in
            for path in ["a.html", "b.html"] { try write("x", to: folder + "/" + path) }
            let base = try WebURL("http://docs.example/x/")
            let map = try FileURLMap.parse(Array(#"{"a.html": "../find?q=1"}"#.utf8), base: base)
            let packed = try await FolderPackager.resources(of: options(folder) { $0.urls = map })
            #expect(
                packed.resources.map(\.record.url.description) == [
                    "http://docs.example/find?q=1", "http://docs.example/b.html",
                ]
            )
            for urls in [["no.html": base], ["a.html": try WebURL("http://docs.example/b.html")]] {
                await #expect(throws: PackagingError.self) {
                    try await FolderPackager.resources(of: options(folder) { $0.urls = urls })
                }
            }
        }
    }

    @Test(
        arguments: [
            ("[]", .notAnObject), ("{", .notAnObject), (#"{"a": 1}"#, .notAString(path: "a")),
            (#"{"a": "http://[/"}"#, .badURL(path: "a", url: "http://[/")),
            (#"{"a": "/x", "a": "/y"}"#, .duplicate(path: "a")),
        ] as [(String, FileURLMap.Malformation)]
    ) func `an invalid map is refused`(text: String, expected: FileURLMap.Malformation) throws {
        let base = try WebURL("http://docs.example/")
        #expect(throws: expected) { try FileURLMap.parse(Array(text.utf8), base: base) }
    }

    @Test func `user data is stored below its key`() async throws {
        try await withScratchFolder { folder in
            try write("x", to: folder + "/site/a.html")
            try write("y", to: folder + "/data/b/c.json")
            let packed = try await FolderPackager.resources(
                of: options(folder + "/site") {
                    $0.userData = FolderOptions.UserData(folder: folder + "/data", key: "app")
                }
            )
            #expect(packed.userData.map(\.member) == [".userdata/app/b/c.json"])
            for key in ["", "..", "a/b", "a\\b"] {
                await #expect(throws: PackagingError.self) {
                    try await FolderPackager.resources(
                        of: options(folder + "/site") {
                            $0.userData = FolderOptions.UserData(folder: folder + "/data", key: key)
                        }
                    )
                }
            }
        }
    }

    @Test func `a file that changes in the meantime is named`() async throws {
        try await withScratchFolder { folder in
            try write("x", to: folder + "/a.html")
            let packed = try await FolderPackager.resources(of: options(folder))
            try packed.requireUnchanged()
            try write("xy", to: folder + "/a.html")
            let error = #expect(throws: PackagingError.self) { try packed.requireUnchanged() }
            #expect(error?.code == .changed)
            #expect(error?.subject == folder + "/a.html")
            // Seen in one state, read in another.
            let state = try OpenFile.State(path: folder + "/a.html")
            try write("xyz", to: folder + "/a.html")
            #expect(throws: PackagingError.self) {
                try FolderPackager.digest(of: folder + "/a.html", as: state)
            }
        }
    }

    @Test(
        arguments: ["http://docs.example/?q", "mailto:a@docs.example", "http://user@docs.example/"]
    ) func `an invalid base URL is refused`(base: String) async throws {
        try await withScratchFolder { folder in
            try write("x", to: folder + "/a.html")
            let error = await #expect(throws: PackagingError.self) {
                try await FolderPackager.resources(of: options(folder, base: base))
            }
            #expect(error?.code == .badOption)
        }
    }

    @Test func `a folder that is missing or has no files is refused`() async throws {
        try await withScratchFolder { folder in
            let empty = await #expect(throws: PackagingError.self) {
                try await FolderPackager.resources(of: options(folder))
            }
            #expect(empty?.code == .nothing)
            let missing = await #expect(throws: PackagingError.self) {
                try await FolderPackager.resources(of: options(folder + "/no"))
            }
            #expect(missing?.description == "'\(folder)/no': cannot read it: no such file or directory")
        }
    }

    @Test func `unzip finds each file where the rule puts it`() async throws {
        try await withScratchFolder { folder in
            try write("<p>x", to: folder + "/site/a/b c.html", modified: 784_111_777)
            try write("y", to: folder + "/data/c.json")
            let path = folder + "/out.zip"
            var output = Packaging.Output(path: path, created: now, generator: "afcache/0.1.0")
            output.keepsManifest = true
            let packed = try await Packaging.pack(
                options(folder + "/site") {
                    ($0.usesFileTime, $0.maxAge) = (true, 60)
                    $0.userData = FolderOptions.UserData(folder: folder + "/data", key: nil)
                },
                to: output
            )
            #expect(packed.summary.resources == 1)
            #expect(try run("unzip", "-p", path, "docs.example/a/b%20c.html") == Array("<p>x".utf8))
            #expect(try run("unzip", "-p", path, ".userdata/c.json") == Array("y".utf8))
            let manifest = String(decoding: try run("unzip", "-p", path, "manifest.afcache"), as: UTF8.self)
            #expect(
                manifest == "http://docs.example/a/b%20c.html ; Sun, 06 Nov 1994 08:49:37 GMT ; "
                    + "Sun, 06 Nov 1994 08:50:37 GMT ; text/html\n"
            )
            #expect(
                String(decoding: ManifestDump.json(packed.summary.manifest), as: UTF8.self) == """
                    [
                    {"url":"http://docs.example/a/b%20c.html","lastModified":"Sun, 06 Nov 1994 08:49:37 GMT",\
                    "expires":"Sun, 06 Nov 1994 08:50:37 GMT","mediaType":"text/html",\
                    "member":"docs.example/a/b%20c.html"}
                    ]

                    """
            )
        }
    }
}
