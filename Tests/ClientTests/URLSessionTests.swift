import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client with URLSession.
///
/// On Linux `connectionProxyDictionary` is not read at all: swift-corelibs-foundation never hands it to libcurl, and so
/// libcurl goes by the environment (`http_proxy`), which belongs to the whole process. So URLSession comes to the store here by
/// `*.localhost` and to an origin by the gateway; the proxy is tested where Foundation has one.
@Suite(.fewAtOnce)
struct URLSessionTests {
    private func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 60
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    private func get(_ session: URLSession, _ url: String, _ fields: [String: String] = [:]) async throws -> (
        response: HTTPURLResponse, body: Data
    ) {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.cachePolicy = .reloadIgnoringLocalCacheData
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.data(for: request)
        return (try #require(response as? HTTPURLResponse), body)
    }

    @Test func `URLSession works online, by the gateway`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let session = session()
                defer { session.invalidateAndCancel() }
                let url = served.base + "/a?Cache-Control=max-age=600&ETag=%221%22&size=300000"
                let miss = try await get(session, url)
                #expect(miss.response.statusCode == 200)
                #expect(miss.body.count == 300_000)
                let hit = try await get(session, url)
                #expect(hit.body == miss.body)
                #expect(hit.response.value(forHTTPHeaderField: "Cache-Status")?.contains("; hit") == true)
                #expect(hit.response.value(forHTTPHeaderField: "Age") != nil)
                let part = try await get(session, url, ["Range": "bytes=16-31"])
                #expect(part.response.statusCode == 206)
                #expect(String(decoding: part.body, as: UTF8.self) == "0123456789abcdef")
                let same = try await get(session, url, ["If-None-Match": "\"1\""])
                #expect(same.response.statusCode == 304)
                #expect(try origin.count == 1)
                var post = URLRequest(url: try #require(URL(string: url)))
                post.httpMethod = "POST"
                post.httpBody = Data("abc".utf8)
                _ = try await session.data(for: post)
                #expect(try origin.requests.last?.body == "abc")
                let redirected = try await get(session, served.base + "/r?status=302&Location=/b")
                #expect(redirected.response.statusCode == 200)
                #expect(redirected.response.url?.path == "/b")
                origin.stop()
                #expect(try await get(session, served.base + "/c").response.statusCode == 504)
            }
        }
    }

    @Test func `URLSession works offline, by a name below localhost and by path`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("page".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "https://docs.example")
        try await Served.run([], in: scratch) { served in
            let session = session()
            defer { session.invalidateAndCancel() }
            let below = "http://docs.example.localhost:\(served.port)"
            for base in [below, served.base + "/docs.example"] {
                let page = try await get(session, base + "/index.html")
                #expect(page.response.statusCode == 200)
                #expect(String(decoding: page.body, as: UTF8.self) == "page")
                #expect(page.response.value(forHTTPHeaderField: "Cache-Status")?.contains("; hit") == true)
                #expect(try await get(session, base + "/none").response.statusCode == 504)
            }
        }
    }

    #if canImport(Darwin)
    @Test func `URLSession works through the proxy`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.proxy { served in
                let configuration = URLSessionConfiguration.ephemeral
                configuration.connectionProxyDictionary = [
                    kCFNetworkProxiesHTTPEnable: 1, kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                    kCFNetworkProxiesHTTPPort: Int(served.port), kCFNetworkProxiesExceptionsList: [String](),
                ]
                let session = URLSession(configuration: configuration)
                defer { session.invalidateAndCancel() }
                let url = "http://\(origin.authority)/a?Cache-Control=max-age=600"
                for _ in 0..<2 { #expect(try await get(session, url).body == Data("/a 1\n".utf8)) }
            }
        }
    }
    #endif
}
