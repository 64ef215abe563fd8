import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import AFCServer

/// Packages that are served from their files, over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct MountedServerTests {
    private static let text = String(repeating: "a text that can be compressed. ", count: 2000)
    /// A body that is compressed, and too large to be inflated as a whole.
    private static let long = (0..<300_000).map { "line \($0 &* 7919 % 100_003)\n" }.joined()
    private static let noise = (0..<3_000_000).reduce(into: (bytes: [UInt8](), state: UInt64(1))) { noise, _ in
        noise.state = noise.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        noise.bytes.append(UInt8(truncatingIfNeeded: noise.state >> 33))
    }.bytes

    private static func mounted(in scratch: Scratch) async throws -> MountedPackages {
        let now = FakeCache.received
        let bodies = [
            ("http://d.example/a.txt", Array(text.utf8), true), ("http://d.example/long.txt", Array(long.utf8), true),
            ("http://d.example/noise.bin", noise, false), ("http://d.example/small", Array("small".utf8), false),
            ("http://d.example/api?__wb_method=POST&a=1", Array("posted".utf8), false),
            ("http://d.example/api?x=y&__wb_method=PUT", Array("put".utf8), false),
        ]
        let resources = try bodies.map { url, body, isCompressible in
            let url = try WebURL(url)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(body.count)),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: "text/plain"),
                body: .bytes(body),
                isCompressible: isCompressible
            )
        }
        let options = PackageWriter.Options(created: now, generator: "test/1")
        _ = try await PackageWriter.write(resources, to: scratch.path("site.zip"), options: options)
        return try MountedPackages([scratch.path("site.zip")], now: now)
    }

    @Test func `bodies arrive with and without gzip, looked up or repeated from memory`() async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        let bodies = [("/a.txt", Array(Self.text.utf8)), ("/long.txt", Array(Self.long.utf8))]
        try await withServer(store) { port, _ async throws in
            for _ in 0..<4 {
                for (target, body) in bodies {
                    let plain = try await RawClient.get(port: port, target, host: "d.example")
                    let isSame = plain.body == body
                    #expect(plain.status == 200 && isSame && plain["content-encoding"] == nil)
                    #expect(plain["vary"] == "Accept-Encoding" && plain["accept-ranges"] == "bytes")
                    let gzip = try await RawClient.get(
                        port: port,
                        target,
                        host: "d.example",
                        "Accept-Encoding: gzip, br\r\n"
                    )
                    #expect(gzip.status == 200 && gzip["content-encoding"] == "gzip")
                    #expect(gzip["content-length"] == String(gzip.body.count))
                    #expect(gzip["vary"] == "Accept-Encoding" && gzip["accept-ranges"] == nil)
                    try scratch.write(gzip.body, to: "body.gz")
                    let inflated = try Program.run("gzip", ["-dc", "body.gz"], in: scratch.path)
                    let isInflated = inflated.status == 0 && inflated.output == body
                    #expect(isInflated)
                }
                let noise = try await RawClient.get(port: port, "/noise.bin", host: "d.example")
                let isSame = noise.body == Self.noise
                #expect(isSame && noise["vary"] == nil)
            }
        }
    }

    @Test func `HEAD has the fields of GET, in each coding`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.mounted(in: scratch)) { port, _ async throws in
            for line in ["", "Accept-Encoding: gzip\r\n"] {
                let get = try await RawClient.get(port: port, "/a.txt", host: "d.example", line)
                let client = try RawClient(port: port)
                try client.send("HEAD /a.txt HTTP/1.1\r\nHost: d.example\r\n\(line)Connection: close\r\n\r\n")
                let head = try client.head()
                #expect(try client.receiveToEnd().isEmpty)
                #expect(head.status == 200)
                for name in ["content-length", "content-encoding", "etag", "vary", "accept-ranges", "last-modified"] {
                    #expect(head[name] == get[name], "\(name)")
                }
            }
        }
    }

    @Test func `a 304 states no length, in each coding`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.mounted(in: scratch)) { port, _ async throws in
            for line in ["", "Accept-Encoding: gzip\r\n"] {
                let whole = try await RawClient.get(port: port, "/a.txt", host: "d.example", line)
                let date = try #require(whole["last-modified"])
                for method in ["GET", "HEAD", "GET"] {
                    let client = try RawClient(port: port)
                    try client.send(
                        "\(method) /a.txt HTTP/1.1\r\nHost: d.example\r\n\(line)If-Modified-Since: \(date)\r\n"
                            + "Connection: close\r\n\r\n"
                    )
                    let head = try client.head()
                    #expect(head.status == 304 && head["content-length"] == nil, "\(method)")
                    #expect(try client.receiveToEnd().isEmpty)
                }
            }
        }
    }

    @Test func `a body is read only if a package has an answer for the method and the URL`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.mounted(in: scratch)) { port, _ async throws in
            let form = "Host: d.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\n"
            func ask(_ head: String, body: String = "") async throws -> RawClient.Reply {
                try await RawClient.run(port: port) { client throws in
                    try client.send(head + " HTTP/1.1\r\n" + form + body)
                    return try client.reply()
                }
            }
            #expect(try await ask("POST /api", body: "a=1").text == "posted")
            #expect(try await ask("POST /api", body: "a=2").status == 405)
            #expect(try await RawClient.get(port: port, "/api?x=y", host: "d.example", method: "PUT").text == "put")
            // These get no body, so that the server would wait for it.
            for head in ["PUT /api", "POST /api?x=y", "POST /ap", "POST /small", "POST /none", "DELETE /"] {
                let refused = try await ask(head)
                #expect(refused.status == 405 && refused["connection"] == "close", "\(head)")
                #expect(refused["allow"] == "GET, HEAD")
            }
        }
    }

    @Test func `a range far into a compressed body is made in steps, one client's at a time`() async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        let url = try WebURL("http://d.example/long.txt")
        let (size, now) = (Self.long.utf8.count, FakeCache.received)
        func stream(_ range: String) throws -> BodyStream {
            let request = OfflineRequest(method: .get, url: url, fields: [.range: range])
            let answer = try store.respond(to: request, now: now, policy: OfflinePolicy())
            return BodyStream(answer.resolution.body, of: try #require(answer.body))
        }
        var last = try stream("bytes=-10")
        var steps = 0
        while last.isFar {
            try last.advance()
            steps += 1
        }
        // Each step is of a mebibyte, after which a client that left isn't worked for any more.
        #expect(steps == (size - 10) >> 20)
        #expect(try last.next().map { String(buffer: $0) } == String(Self.long.suffix(10)))
        // The first part is sent before the work for the second one.
        var parts = try stream("bytes=0-9,\(size - 10)-")
        #expect(!parts.isFar)
        let first = try #require(try parts.next())
        #expect(String(buffer: first).contains(Self.long.prefix(10)) && parts.isFar)
        #expect(try stream("bytes=5-14").isFar == false)
    }

    @Test func `a range is one of the body without a coding`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.mounted(in: scratch)) { port, _ async throws in
            for (target, body) in [("/a.txt", Array(Self.text.utf8)), ("/long.txt", Array(Self.long.utf8))] {
                for (range, expected) in [
                    ("5-14", body[5..<15]), ("-10", body.suffix(10)), ("\(body.count - 5)-", body.suffix(5)),
                ] {
                    let lines = "Range: bytes=\(range)\r\nAccept-Encoding: gzip\r\n"
                    let part = try await RawClient.get(port: port, target, host: "d.example", lines)
                    #expect(part.status == 206 && part.body == Array(expected) && part["content-encoding"] == nil)
                }
            }
        }
    }

    @Test func `a package that is truncated while a body is sent cuts the connection`() async throws {
        let scratch = try Scratch()
        let store = try await Self.mounted(in: scratch)
        try await withServer(store) { port, _ async throws in
            let client = try RawClient(port: port, receiveBuffer: 4096)
            try client.send("GET /noise.bin HTTP/1.1\r\nHost: d.example\r\n\r\n")
            let head = try client.head()
            #expect(head.status == 200 && head["content-length"] == String(Self.noise.count))
            #expect(truncate(scratch.path("site.zip"), 100) == 0)
            var count = 0
            // The connection ends, or is reset.
            while let bytes = try? client.receive(), !bytes.isEmpty { count += bytes.count }
            #expect(count < Self.noise.count)
            let reply = try await RawClient.get(port: port, "/a.txt", host: "d.example")
            #expect(reply.status == 500)
            // The package's directory isn't needed any more.
            let missing = try await RawClient.get(port: port, "/missing", host: "d.example")
            #expect(missing.status == 504)
        }
    }

    @Test func `the home page shows the titles, languages and icons of mounted sites`() async throws {
        let scratch = try Scratch()
        let now = FakeCache.received
        let page = "<html lang=de><title>A &amp; B</title><link rel=icon href=/i.png><p>text"
        let files = [
            ("https://d.example/", "text/html", Array(page.utf8)),
            ("https://d.example/i.png", "image/png", [0x89, 0x50, 0x4E, 0x47, 1]),
        ]
        let resources = try files.map { url, type, body in
            let url = try WebURL(url)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: now, size: Int64(body.count)),
                entry: ManifestEntry(url: url, lastModified: now, expires: now + 3600, mediaType: type),
                body: .bytes(body),
                isCompressible: true
            )
        }
        // Made four days before it is mounted.
        let options = PackageWriter.Options(created: now - 4 * 86400, generator: "test/1")
        _ = try await PackageWriter.write(resources, to: scratch.path("site.zip"), options: options)
        let store = try MountedPackages([scratch.path("site.zip")], now: now)
        try await withServer(store) { port, _ async throws in
            for _ in 0..<2 {
                let reply = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
                #expect(reply["content-security-policy"]?.contains("; img-src data:;") ?? false)
                let home = reply.text
                #expect(home.contains("lang=\"de\">A &amp; B</a>"), "\(home)")
                // printf '\x89PNG\x01' | base64
                #expect(home.contains("src=\"data:image/png;base64,iVBORwE=\""))
                #expect(home.contains("Deutsch · 2026-11-17 · 2 resources"))
            }
        }
    }

    @Test func `the home page lists mounted packages`() async throws {
        let scratch = try Scratch()
        try await withServer(try await Self.mounted(in: scratch)) { port, _ async throws in
            let home = try await RawClient.get(port: port, "/", host: "localhost:\(port)")
            #expect(home.status == 200 && home.text.contains("d.example"))
        }
    }
}
