import AFCCache
import AFCHTTP
import AFCHummingbird
import AFCURL
import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import NIOHTTP1
import TestSite
import Testing

/// A package served by somebody's own Hummingbird server, over real sockets.
@Suite(.timeLimit(.minutes(5)))
struct PackageMiddlewareTests {
    @Test func `packages and origins that can't be used are errors at the start`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await TestSite.write(to: folder + "/site.zip")
        let zip = try Data(contentsOf: URL(fileURLWithPath: folder + "/site.zip"))
        try zip.dropLast(100).write(to: URL(fileURLWithPath: folder + "/cut.zip"))
        let site = try PackageSite.path("/docs", of: "https://garden.example/")
        _ = try PackageMiddleware<BasicRequestContext>(packages: [folder + "/site.zip"], site: site)
        for name in ["cut.zip", "none.zip"] {
            #expect {
                try PackageMiddleware<BasicRequestContext>(packages: [folder + "/" + name], site: site)
            } throws: {
                "\($0)".contains(name)
            }
        }
        #expect(throws: (any Error).self) { try PackageSite.path("/docs", of: "garden.example") }
    }

    @Test func `a body that is damaged is an error for the client, and the log says which`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await TestSite.write(to: folder + "/site.zip")
        var zip = try Data(contentsOf: URL(fileURLWithPath: folder + "/site.zip"))
        // The name stands before the data first.
        let name = try #require(zip.firstRange(of: Data("garden.example/style.css".utf8)))
        zip[name.upperBound + 40] ^= 0xFF
        try zip.write(to: URL(fileURLWithPath: folder + "/site.zip"))
        let handler = InMemoryLogHandler()
        let router = Router()
        let site = try PackageSite.path("/docs", of: "https://garden.example/")
        router.add(middleware: try PackageMiddleware(packages: [folder + "/site.zip"], site: site))
        let app = Application(router: router, logger: Logger(label: "test") { _ in handler })
        try await app.test(.router) { client in
            try await client.execute(uri: "/docs/style.css", method: .get) {
                #expect($0.status == .internalServerError)
            }
            try await client.execute(uri: "/docs/", method: .get) { #expect($0.status == .ok) }
        }
        let errors = handler.entries.filter { $0.level == .error }.map { "\($0.message)" }
        #expect(errors.count { $0.contains("cannot serve") && $0.contains("style.css") } == 1, "\(errors)")
    }

    /// Serves the package with a site, and gives a function that requests a path.
    private func serve(
        _ site: PackageSite,
        fromCache: Bool = false,
        client configuration: HTTPClient.Configuration = .init(redirectConfiguration: .disallow),
        _ body: @Sendable @escaping (@escaping Getting) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await TestSite.write(to: folder + "/site.zip")
        let router = Router()
        router.get("/first") { _, _ in "of the server, first" }
        if fromCache {
            let cache = try DiskCache(path: folder + "/cache", access: .readWrite)
            _ = try await cache.install(folder + "/site.zip", now: TestSite.made)
            router.addMiddleware { PackageMiddleware(cache, site: site, now: { TestSite.made }) }
        } else {
            let packages = try MountedPackages([folder + "/site.zip"], now: TestSite.made)
            router.addMiddleware { PackageMiddleware(packages, site: site, now: { TestSite.made }) }
        }
        router.get("/docs/own") { _, _ in "of the server" }
        router.post("/docs/text") { _, _ in "posted" }
        let client = HTTPClient(configuration: configuration)
        do {
            let app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
            try await app.test(.live) { tester in
                let port = tester.port ?? 0
                try await body { path, fields, method in
                    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
                    request.method = method
                    for (name, value) in fields { request.headers.add(name: name, value: value) }
                    let response = try await client.execute(request, timeout: .seconds(60))
                    return Got(
                        status: response.status.code,
                        headers: response.headers,
                        body: Array(try await response.body.collect(upTo: 64 << 20).readableBytesView)
                    )
                }
            }
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    typealias Getting = @Sendable (String, [(String, String)], HTTPMethod) async throws -> Got

    struct Got: Sendable {
        var status: UInt
        var headers: HTTPHeaders
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        subscript(name: String) -> String? {
            let all = headers[name]
            return all.isEmpty ? nil : all.joined(separator: ", ")
        }
    }

    private static func garden() throws -> WebURL { try WebURL("https://garden.example/") }

    @Test(arguments: [false, true])
    func `pages come from the package, and all else from the next handler`(_ fromCache: Bool) async throws {
        try await serve(.path("/docs", of: Self.garden()), fromCache: fromCache) { get in
            let page = try await get("/docs/", [], .GET)
            #expect(page.status == 200)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("<h1>The garden</h1>"))
            #expect(page["content-length"] == String(page.body.count))
            #expect(page.headers["date"].count == 1)
            let got1 = try await get("/docs/trees/oak", [], .GET)
            #expect(got1.text.contains("400 years"))
            let got2 = try await get("/docs/own", [], .GET)
            #expect(got2.text == "of the server")
            let got3 = try await get("/first", [], .GET)
            #expect(got3.text == "of the server, first")
            let got4 = try await get("/docs/text", [], .POST)
            #expect(got4.text == "posted")
            for path in ["/docs/none", "/", "/docsx", "/docs/../docs", "/docs//garden.example/"] {
                let got5 = try await get(path, [], .GET)
                #expect(got5.status == 404, "\(path)")
            }
        }
    }

    @Test func `conditions and ranges are answered by the standard`() async throws {
        try await serve(.path("/", of: Self.garden())) { get in
            let whole = try await get("/text", [], .GET)
            let tag = try #require(whole["etag"])
            let isWhole = whole.body == Array(TestSite.text.utf8)
            #expect(isWhole)
            #expect(whole["accept-ranges"] == "bytes")

            let same = try await get("/text", [("If-None-Match", tag)], .GET)
            #expect(same.status == 304 && same.body.isEmpty)
            let got6 = try await get("/text", [("If-None-Match", "*")], .GET)
            #expect(got6.status == 304)
            let got7 = try await get("/text", [("If-Match", "\"x\"")], .GET)
            #expect(got7.status == 412)

            let part = try await get("/text", [("Range", "bytes=2-5")], .GET)
            #expect(part.status == 206 && part.text == "text")
            #expect(part["content-range"] == "bytes 2-5/\(whole.body.count)")
            let last = try await get("/text", [("Range", "bytes=-5")], .GET)
            #expect(last.status == 206 && last.text == "sed. ")
            let past = try await get("/text", [("Range", "bytes=99999999-")], .GET)
            #expect(past.status == 416 && past["content-range"] == "bytes */\(whole.body.count)")
            let parts = try await get("/text", [("Range", "bytes=0-1,4-5")], .GET)
            #expect(parts.status == 206 && parts["content-type"]?.hasPrefix("multipart/byteranges") == true)
            #expect(parts["content-length"] == String(parts.body.count))

            let head = try await get("/text", [], .HEAD)
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head["content-length"] == String(whole.body.count) && head["etag"] == tag)
        }
    }

    @Test(arguments: ["/text", "/long"])
    func `gzip comes from the package as it is`(_ path: String) async throws {
        let plain = Array((path == "/text" ? TestSite.text : TestSite.long).utf8)
        try await serve(.path("/", of: Self.garden())) { get in
            let gzip = try await get(path, [("Accept-Encoding", "gzip")], .GET)
            #expect(gzip["content-encoding"] == "gzip" && gzip["vary"] == "Accept-Encoding")
            #expect(gzip["content-length"] == String(gzip.body.count))
            #expect(gzip.body.count < plain.count && gzip.body.starts(with: [0x1F, 0x8B]))
        }
        var configuration = HTTPClient.Configuration()
        configuration.decompression = .enabled(limit: .none)
        try await serve(.path("/", of: Self.garden()), client: configuration) { get in
            for fields in [[("Accept-Encoding", "gzip")], []] {
                let isSame = try await get(path, fields, .GET).body == plain
                #expect(isSame)
            }
        }
    }

    @Test func `redirects keep the form, and a missing slash is added`() async throws {
        try await serve(.path("docs/", of: Self.garden())) { get in
            let moved = try await get("/docs/old", [], .GET)
            #expect(moved.status == 301 && moved["location"] == "/docs/trees/oak")
            let slash = try await get("/docs?a=b", [], .GET)
            #expect(slash.status == 308 && slash["location"] == "/docs/?a=b")
        }
    }

    @Test func `a path of the site can stand for the server's root`() async throws {
        try await serve(.path("/", of: try WebURL("https://garden.example/trees/"))) { get in
            let got8 = try await get("/oak", [], .GET)
            #expect(got8.text.contains("400 years"))
            let got9 = try await get("/../text", [], .GET)
            #expect(got9.status == 404)
            let got10 = try await get("/%2E%2e/text", [], .GET)
            #expect(got10.status == 404)
        }
    }

    @Test func `the Host field names the site`() async throws {
        for hosts in [nil, ["garden.example"]] {
            try await serve(.hosts(hosts)) { get in
                let page = try await get("/", [("Host", "garden.example")], .GET)
                #expect(page.text.contains("<h1>The garden</h1>"))
                #expect(page["content-security-policy"] == nil)
                let moved = try await get("/old", [("Host", "garden.example:8080")], .GET)
                #expect(moved["location"] == "/trees/oak")
                let got11 = try await get("/", [("Host", "other.example")], .GET)
                #expect(got11.status == 404)
            }
        }
        try await serve(.hosts(["other.example"])) { get in
            let got12 = try await get("/", [("Host", "garden.example")], .GET)
            #expect(got12.status == 404)
        }
    }

    @Test func `pages of others get an origin of their own, and no service worker is served`() async throws {
        try await serve(.path("/docs", of: Self.garden())) { get in
            let page = try await get("/docs/", [], .GET)
            #expect(page["content-security-policy"]?.hasPrefix("sandbox") == true)
            let got13 = try await get("/docs/text", [("Service-Worker", "script")], .GET)
            #expect(got13.status == 404)
        }
        try await serve(.path("/docs", of: Self.garden(), isTrusted: true)) { get in
            let got14 = try await get("/docs/", [], .GET)
            #expect(got14["content-security-policy"] == nil)
        }
    }

    @Test func `many clients read large bodies at the same time`() async throws {
        let plain = Array(TestSite.long.utf8)
        try await serve(.path("/", of: Self.garden())) { get in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<24 { group.addTask { try await get("/long", [], .GET).body == plain } }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }
}
