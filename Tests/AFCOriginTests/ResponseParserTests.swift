import AFCURL
import HTTPTypes
import NIOCore
import Testing

@testable import AFCOrigin

/// What a parser makes of bytes, in words that are easy to compare.
private func events(
    _ text: String,
    method: HTTPRequest.Method = .get,
    pieces: Int = .max,
    closes: Bool = false
) throws -> [String] {
    var parser = ResponseParser(method: method)
    var buffer = ByteBuffer()
    var found: [String] = []
    func drain() throws {
        while let event = try parser.next(&buffer) {
            switch event {
            case .interim(let head): found.append("interim \(head.status)")
            case .head(let head, let length): found.append("head \(head.status) \(length)")
            case .body(let bytes):
                let text = String(buffer: bytes)
                if let last = found.last, last.hasPrefix("body ") {
                    found[found.count - 1] = last + text
                } else {
                    found.append("body " + text)
                }
            case .end: found.append("end")
            }
        }
    }
    var rest = ArraySlice(text.unicodeScalars.map { UInt8($0.value) })
    while !rest.isEmpty {
        buffer.writeBytes(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        try drain()
    }
    if closes, let event = try parser.close(buffer) {
        #expect(event == .end(HTTPFields()))
        found.append("end")
    }
    if parser.isDone { found.append(parser.keepsConnection && buffer.readableBytes == 0 ? "keep" : "close") }
    return found
}

@Suite struct ResponseParserTests {
    /// RFC 9112 §6.3.
    private static let framings: [(String, String, [String])] = [
        (
            "a length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            ["head 200 bytes(3)", "body abc", "end", "keep"]
        ),
        ("no body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ["head 200 bytes(0)", "end", "keep"]),
        ("204 has none", "HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\n", ["head 204 bytes(0)", "end", "keep"]),
        ("304 has none", "HTTP/1.1 304 No\r\nContent-Length: 3\r\n\r\n", ["head 304 bytes(0)", "end", "keep"]),
        (
            "chunks with an extension and trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n",
            ["head 200 chunked", "body abcde", "end", "keep"]
        ),
        (
            "the same length twice",
            "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\nContent-Length: 3\r\n\r\nabc",
            ["head 200 bytes(3)", "body abc", "end", "keep"]
        ),
        (
            "more than the length",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef",
            ["head 200 bytes(3)", "body abc", "end", "close"]
        ),
        (
            "a length beside chunks, which count, but the connection isn't trusted",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            ["head 200 chunked", "body a", "end", "close"]
        ),
        (
            "interim responses",
            "HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            ["interim 102", "interim 103", "head 200 bytes(1)", "body x", "end", "keep"]
        ),
        (
            "a status line without a reason, and lines that end with LF",
            "HTTP/1.1 299\nContent-Length: 1\n\nx",
            ["head 299 bytes(1)", "body x", "end", "keep"]
        ),
        (
            "HTTP/1.0",
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
            ["head 200 bytes(1)", "body x", "end", "close"]
        ),
        (
            "chunks in HTTP/1.0",
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            ["head 200 chunked", "body a", "end", "close"]
        ),
        (
            "the old coding identity",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\nx",
            ["head 200 bytes(1)", "body x", "end", "close"]
        ),
        (
            "Connection: close",
            "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 1\r\n\r\nx",
            ["head 200 bytes(1)", "body x", "end", "close"]
        ),
    ]

    @Test(arguments: framings, [1, 7, Int.max])
    func `a response is read in whatever pieces it arrives`(_ framing: (String, String, [String]), pieces: Int) throws {
        #expect(try events(framing.1, pieces: pieces) == framing.2, "\(framing.0)")
    }

    @Test(arguments: [
        ("nothing says the length", "HTTP/1.1 200 OK\r\n\r\nabc"),
        ("the old coding identity", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nabc"),
    ])
    func `a response without a length ends with the connection`(_ name: String, text: String) throws {
        #expect(try events(text, closes: true) == ["head 200 untilClose", "body abc", "end", "close"], "\(name)")
    }

    @Test func `an answer to HEAD has no body`() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
        #expect(try events(text, method: .head) == ["head 200 bytes(0)", "end", "keep"])
    }

    @Test(arguments: [
        ("no HTTP", "SSH-2.0-x\r\n\r\n"),
        ("HTTP/2", "HTTP/2.0 200 OK\r\n\r\n"),
        ("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        ("a status below 100", "HTTP/1.1 099 OK\r\n\r\n"),
        ("a length without a colon", "HTTP/1.1 200 OK\r\nContent-Length 3\r\n\r\nabc"),
        ("a length with a space in its name", "HTTP/1.1 200 OK\r\nContent -Length: 3\r\n\r\nabc"),
        ("a coding with a control character", "HTTP/1.1 200 OK\r\nTransfer-Encoding\u{B}: chunked\r\n\r\nabc"),
        ("a coding behind another character", "HTTP/1.1 200 OK\r\n\u{FC}transfer-encoding: chunked\r\n\r\nabc"),
        ("a NUL in a line without a colon", "HTTP/1.1 200 OK\r\na\0b\r\n\r\n"),
        ("a bare CR in a line without a colon", "HTTP/1.1 200 OK\r\na\rb\r\n\r\n"),
        ("a fold at the start", "HTTP/1.1 200 OK\r\n a: c\r\n\r\n"),
        ("a bare CR in a value", "HTTP/1.1 200 OK\r\na: b\rc\r\n\r\n"),
        ("a NUL in a value", "HTTP/1.1 200 OK\r\na: b\0c\r\n\r\n"),
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n"),
        ("a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\n"),
        ("an empty length", "HTTP/1.1 200 OK\r\nContent-Length: 3,\r\n\r\n"),
        ("a length past 64 bits", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        ("a coding that wasn't asked for", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
        ("an unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: garbage\r\nContent-Length: 1\r\n\r\nabc"),
        ("a coding that hides chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\nabc"),
        ("a protocol that wasn't asked for", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc"),
        ("another protocol's greeting, before its end", "SSH-2.0-x\r\n"),
        ("the beginning of no status line", "\u{16}\u{3}\u{1}"),
        ("a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nabc"),
        ("a chunk size with a sign", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc"),
        ("a chunk size past 60 bits", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n"),
        ("a chunk size that ends with LF alone", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\nab"),
        ("a chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"),
        ("a head without end", "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 50_000)),
        ("too many fields", "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 1100) + "\r\n"),
        (
            "trailers without end",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
                + String(repeating: "a: b\r\n", count: 12_000)
        ),
        (
            "interim responses that are longer together than one head may be",
            String(repeating: "HTTP/1.1 103 E\r\na: " + String(repeating: "b", count: 20_000) + "\r\n\r\n", count: 14)
        ),
        ("interim responses without end", String(repeating: "HTTP/1.1 103 E\r\n\r\n", count: 20)),
    ])
    func `a request that isn't HTTP is refused`(_ name: String, text: String) {
        #expect(throws: WireError.self, "\(name)") { try events(text) }
    }

    @Test(arguments: [1, 7, Int.max])
    func `a line that is no field is ignored, as browsers do, with the lines that continue it`(pieces: Int) throws {
        let lines = ["no colon", " a fold of it", "X-\u{FC}: y", "X y: z", ": v", "A: b", "\t c", "(x): y"]
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" + lines.joined(separator: "\r\n") + "\r\nD: e\r\n\r\nx"
        #expect(try events(text, pieces: pieces) == ["head 200 bytes(1)", "body x", "end", "keep"])
        var (buffer, progress) = (ByteBuffer(string: text), ResponseHeadParser.Progress())
        let head = try #require(try ResponseHeadParser.take(&buffer, &progress, WireLimits()))
        #expect(head.fields.map { "\($0.name): \($0.value)" } == ["Content-Length: 1", "A: b c", "D: e"])
    }

    @Test(arguments: [1000, 4096])
    func `a head of 250,000 bytes in 1,000 fields is read`(pieces: Int) throws {
        let field = "a: " + String(repeating: "b", count: 245) + "\r\n"
        let text = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 1000) + "Content-Length: 1\r\n\r\nx"
        #expect(try events(text, pieces: pieces) == ["head 200 bytes(1)", "body x", "end", "keep"])
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\na: " + String(repeating: "b", count: 300_000),
            "the response's head is longer than 262144 bytes"
        ),
        (
            "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 1100) + "\r\n",
            "the response has more than 1024 fields"
        ),
        (String(repeating: "HTTP/1.1 103 E\r\n\r\n", count: 20), "the server sent more than 16 interim responses"),
    ])
    func `a response beyond a limit isn't called invalid`(_ text: String, words: String) {
        let error = #expect(throws: WireError.self) { try events(text) }
        #expect(error.map { ConnectionTrouble($0).words } == words)
    }

    @Test(arguments: [
        ("", "before a response arrived"),
        ("HTT", "head was complete"),
        ("HTTP/1.1 200 OK\r\nContent-Le", "head was complete"),
        ("HTTP/1.1 103 E\r\n\r\n", "head was complete"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "body was complete"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "body was complete"),
    ])
    func `a truncated response is no response`(_ text: String, place: String) {
        let error = #expect(throws: WireError.self) { try events(text, closes: true) }
        #expect(error?.description.contains(place) ?? false)
    }

    @Test func `values keep their bytes, and folds become spaces`() throws {
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nETag: \"a")
        buffer.writeBytes([0xFC])
        buffer.writeString("\"\r\nX : 1\r\n\t2 \r\n\r\n")
        var progress = ResponseHeadParser.Progress()
        let head = try #require(try ResponseHeadParser.take(&buffer, &progress, WireLimits()))
        let tag = try #require(head.fields.first { $0.name == .eTag })
        #expect(tag.withUnsafeBytesOfValue { Array($0) } == Array("\"a".utf8) + [0xFC] + Array("\"".utf8))
        let name = try #require(HTTPField.Name("X"))
        #expect(head.fields[name] == "1 2")
        #expect(buffer.readableBytes == 0)
    }

    @Test func `a request's head has its fields unchanged`() throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .ifNoneMatch, value: [0x22, 0xFC, 0x22]))
        let head = OriginRequest(try WebURL("http://docs.example:81/a?b"), fields: fields).head
        let start = "GET /a?b HTTP/1.1\r\nHost: docs.example:81\r\nIf-None-Match: \""
        #expect(Array(head.readableBytesView) == Array(start.utf8) + [0xFC] + Array("\"\r\n\r\n".utf8))
    }
}
