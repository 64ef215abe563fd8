import AFCCaching
import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct MetricsTests {
    /// The samples of a page, by name and labels.
    static func samples(_ text: String) -> [String: String] {
        var samples: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = String(line[line.index(after: space)...])
        }
        return samples
    }

    @Test func `the metrics count the answers that were sent`() async throws {
        var store = try FakeCache()
        try store.add("http://docs.example/x", "hello", [("Cache-Control", "max-age=3600")])
        try await withServer(store) { port, _ async throws in
            for _ in 0..<3 { _ = try await RawClient.get(port: port, "/docs.example/x") }
            for _ in 0..<2 { _ = try await RawClient.get(port: port, "/docs.example/gone") }
            _ = try await RawClient.get(port: port, "/docs.example/x", host: "localhost", method: "POST")
            let page = try await RawClient.get(port: port, "/.afcache/metrics", host: "localhost:\(port)")
            #expect(page.status == 200)
            #expect(page["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(page["cache-control"] == "no-store")
            let samples = Self.samples(page.text)
            #expect(samples["afcache_answers_total{class=\"2xx\",cache=\"hit\"}"] == "3")
            #expect(samples["afcache_answers_total{class=\"5xx\",cache=\"miss\"}"] == "2")
            #expect(samples["afcache_answers_total{class=\"4xx\",cache=\"own\"}"] == "1")
            #expect(samples["afcache_connections_total"] == "7")
            #expect(samples["afcache_answer_seconds_count"] == "6")
            #expect(samples["afcache_answer_seconds_bucket{le=\"+Inf\"}"] == "6")
            #expect(samples["afcache_answer_seconds_bucket{le=\"0.0001\"}"] != nil)
            #expect(samples["afcache_answer_seconds_bucket{le=\"2.5\"}"] != nil)
            #expect(samples["afcache_memory_hits_total"] == "0")
        }
    }

    @Test func `a refusal is counted with the status that was sent`() async throws {
        try await withServer(responder: ScriptedResponder()) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
                #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 501 "))
            }
            let samples = Self.samples(try await RawClient.get(port: port, "/.afcache/metrics").text)
            #expect(samples["afcache_answers_total{class=\"5xx\",cache=\"own\"}"] == "1")
            #expect(samples["afcache_answers_total{class=\"4xx\",cache=\"own\"}"] == nil)
        }
    }

    @Test func `answers from memory are counted`() async throws {
        let origin = RepeatedAnswerTests.Origin()
        try await withServer(responder: origin, configure: { $0.now = { FakeCache.received } }) {
            port,
            _ async throws in
            try await RawClient.run(port: port) { client throws in
                for _ in 0..<5 {
                    try client.send("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
                    _ = try client.reply()
                }
            }
            let page = try await RawClient.get(port: port, "/.afcache/metrics")
            let samples = Self.samples(page.text)
            #expect(samples["afcache_memory_hits_total"] == "4")
            #expect(samples["afcache_answers_total{class=\"2xx\",cache=\"hit\"}"] == "5")
            #expect(samples["afcache_body_bytes_total"] == "55")
        }
    }

    @Test func `promtool's rules hold`() async throws {
        var counters = Counters()
        for time in [50, 100, 101, 3_000_000, 99_000_000] as [Int64] {
            counters.count(status: 200, verdict: .forward, bytes: 1, microseconds: time, isComplete: true)
        }
        let text = MetricsPage(counters: counters, openConnections: 2, memoryBytes: 3).text
        let samples = Self.samples(text)
        #expect(samples["afcache_answer_seconds_bucket{le=\"0.0001\"}"] == "2")
        #expect(samples["afcache_answer_seconds_bucket{le=\"0.00025\"}"] == "3")
        #expect(samples["afcache_answer_seconds_bucket{le=\"5\"}"] == "4")
        #expect(samples["afcache_answer_seconds_bucket{le=\"10\"}"] == "4")
        #expect(samples["afcache_answer_seconds_sum"] == "102.000251")
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: /[a-z_]+(\{[a-zA-Z0-9_="+.,]+\})? [0-9.]+/) != nil, "\(line)")
        }
        #expect(text.hasSuffix("\n"))
    }

    @Test(arguments: ["docs.example", "rebound.example:80"])
    func `other hosts don't receive them, whoever answers`(_ host: String) async throws {
        let responder = LookingUpResponder(atHand: { .text("responder \($0.target)") })
        try await withServer(responder: responder) { port, _ async throws in
            for page in ["metrics", "healthz", "else"] {
                let other = try await RawClient.get(port: port, "/.afcache/\(page)", host: host)
                #expect(other.text == "responder /.afcache/\(page)")
            }
            #expect(try await RawClient.get(port: port, "/.afcache/healthz").text == "ok\n")
            #expect(try await RawClient.get(port: port, "http://localhost:\(port)/.afcache/healthz").text == "ok\n")
            #expect(try await RawClient.get(port: port, "http://docs.example/.afcache/healthz").text.hasPrefix("resp"))
            #expect(try await RawClient.get(port: port, "/.afcache/else").status == 404)
            // A request of HTTP/1.0 without Host is for the server itself.
            for (page, text) in [
                ("healthz", "\r\n\r\nok\n"), ("metrics", "\nafcache_connections "), ("else", " 404 "),
            ] {
                let old = try await RawClient.run(port: port) { client throws in
                    try client.send("GET /.afcache/\(page) HTTP/1.0\r\n\r\n")
                    return try client.receiveToEnd()
                }
                #expect(old.contains(text), "\(old)")
            }
            #expect(
                try await RawClient.get(port: port, "/.afcache/metrics", host: "localhost", method: "HEAD").status
                    == 200
            )
        }
    }

    @Test(
        arguments: [
            (["LISTEN_PID": "7", "LISTEN_FDS": "2"], [3, 4]), (["LISTEN_PID": "8", "LISTEN_FDS": "2"], []),
            (["LISTEN_FDS": "2"], []), (["LISTEN_PID": "7"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], []),
            (["LISTEN_PID": "7", "LISTEN_FDS": "99999999"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "x"], []),
        ] as [([String: String], [Int32])]
    )
    func `systemd's sockets are used by the process they are meant for`(
        _ variables: [String: String],
        _ expected: [Int32]
    ) {
        #expect(SocketActivation.sockets(variables, process: 7) == expected)
    }

    @Test func `a socket that is already listening is served`() async throws {
        let handle = try Sockets.listening()
        let responder = LookingUpResponder(atHand: { .text($0.target) })
        try await withServer(responder: responder, configure: { $0.sockets = [handle] }) { port, _ async throws in
            #expect(try await RawClient.get(port: port, "/a").text == "/a")
        }
    }
}
