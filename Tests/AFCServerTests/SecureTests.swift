import AFCCaching
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import ServiceLifecycle
import TestSupport
import Testing

@testable import AFCServer

/// TLS and HTTP/2, by curl.
@Suite(.timeLimit(.minutes(10)))
struct SecureTests {
    static func serve(
        _ responder: any Responding,
        configure: (inout Server.Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (UInt16, TestCertificates) async throws -> Void
    ) async throws {
        let authority = try TestCertificates(names: ["docs.example"])
        let provider = try FixedCertificate(try #require(authority.certificates["docs.example"]))
        try await withServer(
            responder: responder,
            configure: {
                $0.certificates = provider
                configure(&$0)
            }
        ) { port, _ async throws in
            try await body(port, authority)
        }
    }

    static func get(_ port: UInt16, _ authority: TestCertificates, _ arguments: [String]) async throws -> ProgramResult
    {
        try await curl(
            ["--cacert", authority.path("docs.example"), "--resolve", "docs.example:\(port):127.0.0.1"] + arguments
        )
    }

    @Test func `a graceful shutdown lets an answer over HTTP 2 end`() async throws {
        let store = try StreamingTests.store("https")
        let authority = try TestCertificates(names: ["docs.example"])
        let provider = try FixedCertificate(try #require(authority.certificates["docs.example"]))
        let responder = CacheResponder(store: store, policy: OfflinePolicy(), now: { FakeCache.received })
        let scratch = try Scratch()
        let file = scratch.path("big")
        let options = [
            "--http2", "-sS", "-f", "--limit-rate", "40M", "-o", file, "-w", "%{http_version} %{size_download}",
        ]
        try await withServer(responder: responder, configure: { $0.certificates = provider }) {
            port,
            group async throws in
            let url = "https://docs.example:\(port)/big"
            async let answer = Self.get(port, authority, options + [url])
            try await waitUntil("a part of the answer has arrived") {
                (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int).flatMap(\.self) ?? 0 > 0
            }
            await group.triggerGracefulShutdown()
            let result = try await answer
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.text == "2 \(StreamingTests.size)")
        }
    }

    @Test func `a store is served over TLS, with HTTP 1.1 and HTTP 2`() async throws {
        var store = try FakeCache()
        try store.add("https://docs.example/x", "hello", [("Content-Type", "text/plain"), ("ETag", "\"5f\"")])
        let responder = CacheResponder(store: store, policy: .init(), now: { FakeCache.received })
        try await Self.serve(responder) { port, authority async throws in
            let url = "https://docs.example:\(port)/x"
            for (version, number) in [("--http1.1", "1.1"), ("--http2", "2")] {
                let whole = try await Self.get(
                    port,
                    authority,
                    [version, "-w", " %{http_version} %{http_code}", url, url]
                )
                #expect(whole.text == "hello \(number) 200hello \(number) 200", "\(whole.errors)")
                let head = try await Self.get(port, authority, [version, "-I", url])
                #expect(head.text.lowercased().contains("content-length: 5"))
                #expect(head.text.hasPrefix("HTTP/\(number) 200"))
                let part = try await Self.get(port, authority, [version, "-r", "1-2", url])
                #expect(part.text == "el")
                let cached = try await Self.get(
                    port,
                    authority,
                    [version, "-H", "If-None-Match: \"5f\"", "-w", "%{http_code}", url]
                )
                #expect(cached.text == "304")
                let miss = try await Self.get(
                    port,
                    authority,
                    [version, "-o", "/dev/null", "-w", "%{http_code}", url + "y"]
                )
                #expect(miss.text == "504")
                let post = try await Self.get(
                    port,
                    authority,
                    [version, "-d", "a=b", "-w", "%{http_code}", "-o", "/dev/null", url]
                )
                #expect(post.text == "405")
            }
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `bodies are streamed in both directions`(_ version: String) async throws {
        let scratch = try Scratch()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        _ = try scratch.write(bytes, to: "body")
        let responder = ScriptedResponder.making { request in
            let body = request.body
            let stream = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
                let task = Task {
                    do {
                        for try await piece in body { continuation.yield(piece) }
                        continuation.finish()
                    } catch { continuation.finish(throwing: error) }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
            var answer = ServerAnswer(status: .ok, body: .stream(stream))
            answer.trailers = { [.xSum: "9"] }
            return answer
        }
        try await Self.serve(responder) { port, authority async throws in
            let url = "https://docs.example:\(port)/"
            let echoed = try await Self.get(
                port,
                authority,
                // The other tests of the group take their time.
                [
                    version, "--max-time", "600", "--data-binary", "@" + scratch.path("body"), "-D",
                    scratch.path("head"), url,
                ]
            )
            // Not as an expectation of two arrays, whose differences would be searched for hours.
            let isWhole = echoed.output == bytes
            #expect(isWhole, "\(echoed.output.count) bytes; \(echoed.errors)")
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `heads, interim responses and trailers contain no field that must not be sent`(_ version: String) async throws
    {
        let fields: HTTPFields = [.connection: "x-sum", .xSum: "1", .cookie: "a=b", .xHint: "seen"]
        let responder = ScriptedResponder(answering: { _, interim in
            await interim(.init(code: 103, reasonPhrase: "Early Hints"), fields)
            var answer = ServerAnswer.pieces(["one\n"])
            answer.fields = fields
            answer.trailers = { fields }
            return answer
        })
        try await Self.serve(responder) { port, authority async throws in
            let result = try await Self.get(port, authority, [version, "-D", "-", "https://docs.example:\(port)/"])
            let lines = result.text.lowercased().split(whereSeparator: \.isNewline).map(String.init)
            #expect(lines.count { $0 == "x-hint: seen" } == 3, "\(result.text) \(result.errors)")
            for name in ["x-sum", "cookie", "connection"] { #expect(!lines.contains { $0.hasPrefix(name + ":") }) }
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `a stream that fails is an error to the client`(_ version: String) async throws {
        let responder = ScriptedResponder.making { _ in .pieces(["one"], failing: true) }
        try await Self.serve(responder) { port, authority async throws in
            let result = try await Self.get(port, authority, [version, "https://docs.example:\(port)/"])
            #expect(result.status != 0)
        }
    }

    @Test func `a big stored body arrives whole over HTTP 2`() async throws {
        let store = try StreamingTests.store()
        let responder = CacheResponder(store: store, policy: .init(), now: { FakeCache.received })
        try await Self.serve(responder) { port, authority async throws in
            let result = try await Self.get(
                port,
                authority,
                [
                    "--http2", "-H", "Host: docs.example", "-o", "/dev/null", "-w", "%{size_download}",
                    "https://docs.example:\(port)/big",
                ]
            )
            #expect(result.text == String(StreamingTests.size), "\(result.errors)")
        }
    }

    @Test func `an answer is complete when its client has all bytes, even without the end`() async throws {
        let (bytes, more) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        let responder = ScriptedResponder.making { _ in
            more.yield(ByteBuffer(string: "hello"))
            var answer = ServerAnswer(status: .ok, body: .stream(bytes))
            answer.fields[.contentLength] = "5"
            return answer
        }
        let records = Box<Bool>()
        try await Self.serve(responder, configure: { $0.onAnswer = { records.append($0.isComplete) } }) {
            port,
            authority async throws in
            let url = "https://docs.example:\(port)/"
            let got = try await Self.get(port, authority, ["--http2", "--max-time", "600", url])
            #expect(got.text == "hello" && got.status == 0, "\(got.errors)")
            // The client has gone, and the origin has not ended its body.
            try await waitUntil("the answer is logged") { !records.values.isEmpty }
        }
        more.finish()
        #expect(records.values == [true])
    }

    @Test func `logs and numbers are the same over HTTP 1.1 and HTTP 2`() async throws {
        var store = try FakeCache()
        let big = String(repeating: "b", count: 700_000)
        try store.add("https://docs.example/x", "hello", [("Content-Type", "text/plain"), ("ETag", "\"5f\"")])
        try store.add("https://docs.example/big", big, [("Content-Type", "text/plain")])
        try store.add("https://docs.example/empty", "", [("Content-Type", "text/plain")])
        let found = CacheResponder(store: store, policy: .init(), now: { FakeCache.received })
        let responder = ScriptedResponder.making { request in
            if request.target == "/stream" { return .pieces(["one", "two"]) }
            if request.target == "/none" { return .pieces([]) }
            if request.target == "/broken" { return .pieces(["one"], failing: true) }
            return try await found.answer(request) { _, _ in }
        }
        for version in ["--http1.1", "--http2"] {
            let records = Box<AccessRecord>()
            try await Self.serve(responder, configure: { $0.onAnswer = { records.append($0) } }) {
                port,
                authority async throws in
                let base = "https://docs.example:\(port)"
                for arguments in [
                    ["\(base)/x"], ["-I", "\(base)/x"], ["-H", "If-None-Match: \"5f\"", "\(base)/x"],
                    ["-r", "1-2", "\(base)/x"], ["\(base)/big"], ["\(base)/empty"], ["\(base)/stream"],
                    ["\(base)/none"],
                    ["-I", "\(base)/stream"], ["\(base)/broken"], ["\(base)/gone"], ["-d", "a=b", "\(base)/x"],
                ] { _ = try await Self.get(port, authority, [version, "-o", "/dev/null"] + arguments) }
                let page = try await Self.get(
                    port,
                    authority,
                    [version, "-H", "Host: localhost", "\(base)/.afcache/metrics"]
                )
                let samples = MetricsTests.samples(page.text)
                #expect(samples["afcache_incomplete_answers_total"] == "1", "\(version): the broken one alone")
                // The record of the page itself may come later than the page.
                let bytes = records.values.prefix(12).reduce(0) { $0 + $1.bytes }
                #expect(samples["afcache_body_bytes_total"] == String(bytes))
            }
            let seen = records.values.prefix(12).map { "\($0.method) \($0.status) \($0.bytes) \($0.isComplete)" }
            let missing = records.values[10].bytes
            #expect(
                seen == [
                    "GET 200 5 true", "HEAD 200 0 true", "GET 304 0 true", "GET 206 2 true", "GET 200 700000 true",
                    "GET 200 0 true", "GET 200 6 true", "GET 200 0 true", "HEAD 200 0 true", "GET 200 3 false",
                    "GET 504 \(missing) true", "POST 405 \(records.values[11].bytes) true",
                ],
                "\(version)"
            )
            #expect(missing > 0)
        }
    }

    @Test func `many streams at once are answered`() async throws {
        let responder = ScriptedResponder.making { .text("\($0.target)\n") }
        try await Self.serve(responder) { port, authority async throws in
            let result = try await Self.get(
                port,
                authority,
                ["--http2", "-Z", "--parallel-max", "50", "https://docs.example:\(port)/[1-300]"]
            )
            let lines = result.text.split(separator: "\n").map(String.init).sorted()
            #expect(lines == (1...300).map { "/\($0)" }.sorted())
        }
    }

    @Test func `a connection that doesn't begin TLS in time, or speaks something else, is closed`() async throws {
        let authority = try TestCertificates(names: ["docs.example"])
        let provider = try FixedCertificate(try #require(authority.certificates["docs.example"]))
        try await withServer(
            responder: ScriptedResponder(),
            configure: {
                $0.certificates = provider
                $0.limits.idleTimeout = .milliseconds(300)
            }
        ) { port, _ async throws in
            let silent = try await RawClient.run(port: port) { client throws in try client.receiveToEnd() }
            #expect(silent.isEmpty)
            let plain = try await RawClient.run(port: port) { client throws in
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                return (try? client.receiveToEnd()) ?? ""
            }
            #expect(!plain.contains("HTTP/1.1"))
        }
    }

    @Test func `an invalid certificate is refused before the server listens`() async throws {
        #expect(throws: (any Error).self) {
            try FixedCertificate(ServerCertificate(chain: "nonsense", key: "nonsense"))
        }
        let authority = try TestCertificates(names: ["one.example", "two.example"])
        let chain = try #require(authority.certificates["one.example"]).chain
        let key = try #require(authority.certificates["two.example"]).key
        #expect(throws: (any Error).self) { try FixedCertificate(ServerCertificate(chain: chain, key: key)) }
    }
}
