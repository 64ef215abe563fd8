import AFCCache
import AFCCaching
import AFCURL
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/rewriting.md, "The fence": what is counted.
struct StoppedRequestsTests {
    private func report(_ blocked: String) -> String { "{\"csp-report\":{\"blocked-uri\":\"\(blocked)\"}}" }

    @Test func `reports of browsers are counted, without queries and within limits`() throws {
        let stopped = StoppedRequests()
        for text in [
            report("https://live.example/a?token=1"), report("https://live.example/a?token=2"),
            report("wss://live.example/"),
            // Not a request to a host.
            report("inline"), report("data"), report("javascript:1"), "{", "[]", "{\"csp-report\":1}", "",
            String(repeating: "[", count: 10_000),
        ] {
            stopped.note(report: Array(text.utf8))
        }
        let (entries, total) = stopped.result
        #expect(entries.map(\.url.description) == ["https://live.example/a", "wss://live.example/"])
        #expect(entries.map(\.count) == [2, 1] && total == 3)
        for number in 0..<2_000 { stopped.note(try WebURL("https://live.example/\(number)")) }
        stopped.note(try WebURL("https://live.example/" + String(repeating: "a", count: 4_000)))
        #expect(stopped.result.entries.count == StoppedRequests.limit && stopped.result.total == 2_004)
    }

    @Test func `a page's reports arrive under each name, but no website's`() async throws {
        let scratch = try Scratch()
        let store = try await RealStoreTests.store(
            in: scratch.path,
            bodies: [("https://site.example/", "<p>a")],
            type: "text/html"
        )
        let stopped = StoppedRequests()
        let responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        try await withServer(responder: responder, configure: { $0.stopped = stopped }) { port, _ async throws in
            func post(_ host: String, _ type: String, _ body: String) async throws -> Int {
                try await RawClient.run(port: port) { client throws in
                    let length = body.utf8.count
                    try client.send(
                        "POST /.afcache/stopped HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\n"
                            + "Content-Length: \(length)\r\n\r\n\(body)"
                    )
                    return try client.reply().status
                }
            }
            let body = report("https://live.example/x")
            for host in ["site-example.localhost:\(port)", "localhost:\(port)"] {
                #expect(try await post(host, "application/csp-report", body) == 200)
            }
            #expect(stopped.result.total == 2)
            #expect(try await post("site-example.localhost:\(port)", "text/plain", body) == 405)
            #expect(try await post("site.example", "application/csp-report", body) == 405)
            #expect(
                try await post("localhost", "application/csp-report", String(repeating: " ", count: 20_000) + body)
                    == 200
            )
            #expect(stopped.result.total == 2)
            // What a page's script led to a name that no package has.
            _ = try await RawClient.get(port: port, "/t.js?a=1", host: "tracker-example.localhost:\(port)")
            // An answer is counted once it is sent.
            for _ in 0..<500 where stopped.result.total < 3 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(
                stopped.result.entries.map(\.url.description) == [
                    "https://live.example/x", "https://tracker.example/t.js",
                ]
            )
            let page = try await RawClient.get(port: port, "/", host: "site-example.localhost:\(port)")
            #expect(page["content-security-policy"]?.hasSuffix("; report-uri /.afcache/stopped") ?? false)
        }
    }
}
