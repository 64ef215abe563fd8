import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCServer

/// Fields of newer standards that the server sends, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct StandardFieldTests {
    /// Mounts a package with a page, a page with a link, and a rule for the first.
    private static func mounted(in scratch: Scratch) async throws -> MountedPackages {
        let now = FakeCache.received
        let pages = [
            ("http://d.example/a.html", "hello\n", HTTPFields()),
            ("http://d.example/b.html", "<a href='http://d.example/a.html'>a</a>", HTTPFields()),
            ("http://d.example/c.html", "c", [.noVarySearch: "params"] as HTTPFields),
        ]
        // From coreutils.
        let digests = [
            "hello\n": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            "<a href='http://d.example/a.html'>a</a>":
                "698075998be02fce747221305a3eef4b25f61523fcb42b5cdc785d87c77e1f50",
            "c": "2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6",
        ]
        let resources = try pages.map { url, body, fields in
            let url = try WebURL(url)
            var record = ResourceRecord(url: url, fetched: now, size: Int64(body.utf8.count), sha256: digests[body])
            record.fields = fields
            return PackageWriter.Resource(
                record: record,
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: "text/html"),
                body: .bytes(Array(body.utf8)),
                isCompressible: true
            )
        }
        var options = PackageWriter.Options(created: now, generator: "test/1")
        options.matchRules = try MatchRules(
            Array(
                "{\"rules\": [{\"path\": \"/a.html\", \"ignore\": [\"from\"]}, {\"path\": \"/c*\", \"ignore\": [\"x\"]}]}"
                    .utf8
            )
        )
        _ = try await PackageWriter.write(resources, to: scratch.path("site.zip"), options: options)
        return try MountedPackages([scratch.path("site.zip")], now: now)
    }

    @Test func `RFC 9530: a digest is sent to who wants it, of a page that isn't rewritten`() async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        // From coreutils.
        let digest = "sha-256=:WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=:"
        let wish = "Want-Repr-Digest: sha-512=9, sha-256=1\r\nWant-Content-Digest: sha-256=1\r\n"
        try await withServer(store) { port, _ async throws in
            for _ in 0..<3 {
                let plain = try await RawClient.get(port: port, "/a.html", host: "d.example")
                #expect(plain.status == 200 && plain["repr-digest"] == nil && plain["content-digest"] == nil)
                let wanted = try await RawClient.get(port: port, "/a.html", host: "d.example", wish)
                #expect(wanted["repr-digest"] == digest && wanted["content-digest"] == digest)
                let part = try await RawClient.get(
                    port: port,
                    "/a.html",
                    host: "d.example",
                    wish + "Range: bytes=1-2\r\n"
                )
                #expect(part.status == 206 && part["repr-digest"] == digest && part["content-digest"] == nil)
                let coded = try await RawClient.get(
                    port: port,
                    "/a.html",
                    host: "d.example",
                    wish + "Accept-Encoding: gzip\r\n"
                )
                #expect((coded["content-encoding"] == nil) == (coded["repr-digest"] != nil))
                // By the origin's name below localhost, the page's link is replaced.
                let page = try await RawClient.get(
                    port: port,
                    "/b.html",
                    host: "d-example---80.localhost:\(port)",
                    wish
                )
                #expect(page.status == 200 && page["repr-digest"] == nil && page["content-digest"] == nil)
                #expect(!page.text.contains("http://d.example/"))
            }
        }
    }

    @Test(
        arguments: [
            (.loose, "/a.html", "key-order, params=(\"from\")"), (.query, "/a.html", nil), (.exact, "/a.html", nil),
            (.loose, "/b.html", nil), (.loose, "/c.html", "params"), (.query, "/c.html", "params"),
            (.loose, "/a.html?from=x", "key-order, params=(\"from\")"),
        ] as [(QueryMatching, String, String?)]
    )
    func `No-Vary-Search says what the package's rule does, if rules count`(
        matching: QueryMatching,
        target: String,
        expected: String?
    ) async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        try await withServer(store, matching: matching) { port, _ async throws in
            for _ in 0..<3 {
                let reply = try await RawClient.get(port: port, target, host: "d.example")
                #expect(reply.status == 200 && reply["no-vary-search"] == expected)
            }
        }
    }

    @Test func `Server-Timing is sent if that is wanted, and each response has its own`() async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        try await withServer(store) { port, _ async throws in
            #expect(try await RawClient.get(port: port, "/a.html", host: "d.example")["server-timing"] == nil)
        }
        try await withServer(store, configure: { $0.sendsTiming = true }) { port, _ async throws in
            for (target, word) in [("/a.html", "hit"), ("/a.html", "hit"), ("/none.json", "miss")] {
                let reply = try await RawClient.get(port: port, target, host: "d.example")
                let timing = try #require(reply["server-timing"])
                #expect(
                    timing.wholeMatch(of: /cache;desc=(hit|miss), total;dur=[0-9]+\.[0-9]{3}/)?.1 == word[...],
                    "\(timing)"
                )
            }
        }
    }
}
