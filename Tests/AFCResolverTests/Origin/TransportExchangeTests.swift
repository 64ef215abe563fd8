import AFCOrigin
import AFCText
import AFCURL
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

private func get(_ url: String, _ method: HTTPRequest.Method = .get) throws -> TransportRequest {
    TransportRequest(method: method, url: try WebURL(url), fields: HTTPFields())
}

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/// Pieces that come when they are asked for, and count how many were.
private struct Pieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    var list: [String]

    func makeAsyncIterator() -> Iterator { Iterator(list: list[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var list: ArraySlice<String>
        mutating func next() async throws -> ByteBuffer? { list.popFirst().map { ByteBuffer(string: $0) } }
    }
}

/// What a program sees of a transport.
@Suite struct TransportExchangeTests {
    private let transport = DirectTransport()

    private func ask(_ url: String, _ method: HTTPRequest.Method = .get) async throws -> String {
        let response = try await transport.send(try get(url, method)) { _, _ in }
        return "\(response.status) " + (try await response.text())
    }

    private func expectOK(_ url: String) async throws {
        let answer = try await ask(url)
        #expect(answer == "200 ok")
    }

    @Test(arguments: ["/a?b", "/%E4/%zz|[x]?q=\"%20'", "/"])
    func `the request target is sent as in the URL, on a persistent connection`(_ target: String) async throws {
        try await ScriptedOrigin.run { _ in
            [.send(ok)]
        } _: { origin in
            let url = try WebURL(origin.base + target)
            for _ in 0..<5 { try await expectOK(origin.base + target) }
            #expect(origin.connections == 1)
            let query = url.query.map { "?" + $0 } ?? ""
            #expect(origin.heads.first == "GET \(url.path)\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)")
        }
    }

    @Test func `fields are sent and received in order, and no redirect is followed`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 302 Found\r\nSet-Cookie: a\r\nLocation: /b\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n")]
        } _: { origin in
            var request = try get(origin.base + "/a")
            request.fields[.host] = "docs.example"
            request.fields[.accept] = "text/html"
            request.fields[.contentLength] = "7"
            let response = try await transport.send(request) { _, _ in }
            #expect(response.status == 302 && response.bodyLength == 0)
            #expect(response.fields.map(\.value) == ["a", "/b", "b", "0"])
            #expect(origin.heads == ["GET /a HTTP/1.1\r\nHost: docs.example\r\nAccept: text/html"])
        }
    }

    @Test func `a content coding is kept`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nxyz")]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            #expect(response.fields[.contentEncoding] == "gzip")
            let text = try await response.text()
            #expect(text == "xyz")
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
        (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"),
        (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
    ])
    func `a response without a body has none, whatever its head says`(_ method: HTTPRequest.Method, answer: String)
        async throws
    {
        try await ScriptedOrigin.run { _ in
            [.send(answer)]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/", method)) { _, _ in }
            #expect(response.bodyLength == 0)
            let text = try await response.text()
            #expect(text == "")
        }
    }

    @Test func `chunks are joined, and their coding isn't passed on`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            #expect(response.bodyLength == nil && response.fields[.transferEncoding] == nil)
            let text = try await response.text()
            #expect(text == "abc")
        }
    }

    @Test func `interim responses are skipped`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 103 E\r\nLink: </a>\r\n\r\n" + ok)]
        } _: { origin in
            try await expectOK(origin.base + "/")
        }
    }

    @Test func `an idle connection that the origin closed is replaced silently`() async throws {
        let count = Mutex(0)
        try await ScriptedOrigin.run { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [.close] : [.send(ok)]
        } _: { origin in
            for _ in 0..<3 { try await expectOK(origin.base + "/") }
        }
    }

    @Test func `a request that must not be repeated isn't`() async throws {
        let count = Mutex(0)
        try await ScriptedOrigin.run { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [.close] : [.send(ok)]
        } _: { origin in
            try await expectOK(origin.base + "/")
            let failure = await #expect(throws: TransportFailure.self) { try await ask(origin.base + "/", .post) }
            #expect(failure?.code == .disconnected)
            #expect(origin.heads.count == 2)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Le", TransportFailure.Code.malformed),
        ("", .disconnected),
        ("garbage\r\n\r\n", .malformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformed),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", .malformed),
    ])
    func `an origin that sends a truncated response or no HTTP is a failure`(
        _ answer: String,
        code: TransportFailure.Code
    )
        async throws
    {
        try await ScriptedOrigin.run { _ in
            [.send(answer), .close]
        } _: { origin in
            let failure = await #expect(throws: TransportFailure.self) { try await ask(origin.base + "/") }
            #expect(failure?.code == code)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    ])
    func `a truncated body ends with an error`(_ answer: String) async throws {
        try await ScriptedOrigin.run { _ in
            [.send(answer), .close]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            let failure = await #expect(throws: TransportFailure.self) { try await response.text() }
            #expect(failure?.code == .disconnected)
        }
    }

    @Test func `a closed port and a scheme that isn't HTTP are failures that say so`() async throws {
        let taken = try TakenPort()
        for url in ["http://127.0.0.1:\(taken.port)/", "ftp://127.0.0.1/"] {
            let failure = await #expect(throws: TransportFailure.self) { try await ask(url) }
            #expect(failure?.code == .unreachable)
        }
    }

    @Test(
        arguments: [
            ([.reset], .reset), ([.finish], .closed), ([.send("SSH-2.0-x\r\n"), .finish], .malformed),
        ] as [([ScriptedOrigin.Step], TransportFailure.Cause)]
    )
    func `the cause of a failure is told apart`(_ steps: [ScriptedOrigin.Step], _ cause: TransportFailure.Cause)
        async throws
    {
        try await ScriptedOrigin.run { _ in
            steps
        } _: { origin in
            let failure = await #expect(throws: TransportFailure.self) { try await ask(origin.base + "/") }
            #expect(failure?.cause == cause)
        }
    }

    @Test func `a name that doesn't exist and a port where nobody listens are told apart`() async throws {
        let taken = try TakenPort()
        let names = NameLookup { host, port in
            guard host == "public.example" else { throw NameLookup.Failure.unknownHost }
            return [try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))]
        }
        let guarded = DirectTransport(.init(), publicNames: names)
        for (url, transport, cause) in [
            ("http://none.example/", guarded, .unknownHost), ("http://public.example/", guarded, .forbiddenAddress),
            ("http://127.0.0.1:\(taken.port)/", transport, .connectionRefused),
        ] as [(String, DirectTransport, TransportFailure.Cause)] {
            let request = try get(url)
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(request) { _, _ in } }
            #expect(failure?.cause == cause, "\(url)")
        }
    }

    @Test func `a large body arrives whole, as fast as it is read`() async throws {
        let size = 20 << 20
        try await ScriptedOrigin.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .bytes([UInt8](repeating: 7, count: size))]
        } _: { origin in
            let response = try await transport.send(try get(origin.base + "/")) { _, _ in }
            #expect(response.bodyLength == Int64(size))
            var count = 0
            for try await piece in response.body { count += piece.readableBytes }
            #expect(count == size)
        }
    }

    @Test(arguments: [(Int64?.some(6), "content-length: 6"), (nil, "transfer-encoding: chunked")])
    func `a body is sent in pieces, with its length or in chunks`(_ length: Int64?, _ field: String) async throws {
        try await ScriptedOrigin.run { _ in
            [.send(ok)]
        } _: { origin in
            var request = try get(origin.base + "/", .post)
            request.body = Pieces(list: ["abc", "def"])
            request.bodyLength = length
            let response = try await transport.send(request) { _, _ in }
            let text = try await response.text()
            #expect(text == "ok")
            #expect(origin.heads.first?.lowercased().contains(field) == true)
        }
    }

    @Test(arguments: [5, 7] as [Int64])
    func `a body with another length than announced isn't sent, nor anything after it`(length: Int64) async throws {
        try await ScriptedOrigin.run { _ in
            []
        } _: { origin in
            var request = try get(origin.base + "/", .post)
            request.body = Pieces(list: ["abc", "def"])
            request.bodyLength = length
            let sent = request
            let failure = await #expect(throws: TransportFailure.self) { try await transport.send(sent) { _, _ in } }
            #expect(failure?.code == .refused)
            #expect(transport.pool.inUse("127.0.0.1") == 0)
        }
    }

    @Test func `a cancelled waiter is released`() async throws {
        try await ScriptedOrigin.run { _ in
            []
        } _: { origin in
            let task = Task { try await ask(origin.base + "/") }
            try await waitUntil("the origin is asked") { !origin.heads.isEmpty }
            task.cancel()
            let failure = await #expect(throws: TransportFailure.self) { try await task.value }
            #expect(failure?.code == .cancelled)
        }
    }

    @Test func `the body can be read after the transport is released`() async throws {
        try await ScriptedOrigin.run { _ in
            [.send(ok)]
        } _: { origin in
            let response = try await DirectTransport().send(try get(origin.base + "/")) { _, _ in }
            let text = try await response.text()
            #expect(text == "ok")
        }
    }
}
