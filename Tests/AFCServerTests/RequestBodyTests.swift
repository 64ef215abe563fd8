import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import AFCServer

@Suite(.timeLimit(.minutes(10)))
struct RequestBodyTests {
    /// Says what it was sent.
    static let echo = ScriptedResponder.making { request in
        if request.target == "/refuse" { return .text("no", status: .forbidden) }
        var count = 0
        var text = ""
        for try await bytes in request.body {
            count += bytes.readableBytes
            if count < 100 { text += String(buffer: bytes) }
        }
        return .text("\(request.body.length ?? -1) \(count) \(text)")
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nhello", "5 5 hello"), ("Content-Length: 0\r\n\r\n", "0 0 "),
        ("Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX: y\r\n\r\n", "-1 5 hello"),
        ("\r\n", "0 0 "),
    ])
    func `a body that is read to its end keeps the connection open`(_ request: String, _ expected: String) async throws
    {
        try await withServer(responder: Self.echo) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                for _ in 0..<3 {
                    try client.send("POST /a HTTP/1.1\r\nHost: h\r\n" + request)
                    let reply = try client.reply()
                    #expect(reply.text == expected)
                    #expect(reply["connection"] == nil)
                    try client.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == "0 0 ")
                }
            }
        }
    }

    @Test func `100 Continue is sent when the body is read, and not otherwise`() async throws {
        let head = "Host: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
        try await withServer(responder: Self.echo) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("PUT /a HTTP/1.1\r\n" + head)
                #expect(try client.head().status == 100)
                try client.send("hello")
                #expect(try client.reply().text == "5 5 hello")
                try client.send("PUT /refuse HTTP/1.1\r\n" + head)
                let refused = try client.reply()
                #expect(refused.status == 403)
                #expect(refused["connection"] == "close")
                #expect(try client.receiveToEnd().isEmpty)
            }
        }
    }

    @Test func `a big body arrives whole`() async throws {
        let size = 20_000_000
        try await withServer(responder: Self.echo) { port, _ async throws in
            let text = try await RawClient.run(port: port) { client throws in
                try client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
                let block = String(repeating: "a", count: 100_000)
                for _ in 0..<(size / block.count) { try client.send(block) }
                return try client.reply().text
            }
            #expect(text == "\(size) \(size) ")
        }
    }

    @Test func `a slow reader slows the client`() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let responder = ScriptedResponder.making { request in
            guard request.target == "/a" else { return .text("other") }
            var count = 0
            var iterator = request.body.makeAsyncIterator()
            while let bytes = try await iterator.next() {
                if count == 0 { for await _ in gate { break } }
                count += bytes.readableBytes
            }
            return .text("\(count)")
        }
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                let size = 64_000_000
                try client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: \(size)\r\n\r\n")
                // What the sockets and a few buffers hold; the rest has to wait.
                let other = try RawClient(port: port)
                let taken = try client.sendWhileThereIsRoom(limit: size) {
                    for _ in 0..<AnsweringTests.much {
                        try AnsweringTests.get(other, "/other")
                        #expect(try other.reply().text == "other")
                    }
                }
                #expect(taken < size / 2)
                open.yield()
                let block = String(repeating: "a", count: 100_000)
                var left = size - taken
                while left > 0 {
                    try client.send(String(block.prefix(left)))
                    left -= min(left, block.count)
                }
                #expect(try client.reply().text == "\(size)")
            }
        }
    }

    @Test func `a client that disconnects in the middle of a body causes an error for its reader`() async throws {
        let ends = Box<String>()
        let (done, finish) = AsyncStream<Void>.makeStream()
        let responder = ScriptedResponder.making { request in
            do {
                for try await _ in request.body {}
                ends.append("whole")
            } catch {
                ends.append("cut")
            }
            finish.yield()
            return .text("late")
        }
        try await withServer(responder: responder) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\nhello")
            }
            for await _ in done { break }
        }
        #expect(ends.values == ["cut"])
    }

    @Test func `an unwanted body closes the connection, but without a reset before the answer is read`() async throws {
        try await withServer(responder: Self.echo) { port, _ async throws in
            try await RawClient.run(port: port) { client throws in
                try client.send("PUT /refuse HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n")
                try client.send(String(repeating: "a", count: 200_000))
                let reply = try client.reply()
                #expect(reply.status == 403)
                #expect(reply["connection"] == "close")
                #expect(reply.text == "no")
            }
        }
    }

    /// A request whose body comes a byte at a time holds no place that another client needs.
    @Test(arguments: [false, true])
    func `trickled bodies give way to other clients`(isHTTP2: Bool) async throws {
        let other = HTTP2FloodTests.preface + HTTP2FloodTests.frame(.headers, 5, 1, HTTP2FloodTests.request)
        try await withServer(
            responder: Self.echo,
            configure: {
                $0.connectionLimit = 2
                $0.limits.assumesHTTP2 = isHTTP2
                // A client that hasn't sent its request yet, on a busy machine, isn't the one to close.
                $0.limits.idleGrace = .seconds(1)
                $0.limits.receivingGrace = .milliseconds(20)
                // How often the server looks.
                $0.limits.lingerTimeout = .milliseconds(40)
            }
        ) { port, _ async throws in
            try await RawClient.pool.runIfActive {
                let trickling = try (0..<4).map { _ in try RawClient(port: port) }
                for client in trickling {
                    if isHTTP2 {
                        // HEADERS without END_STREAM, and a byte.
                        let head = HTTP2FloodTests.frame(.headers, 4, 1, HTTP2FloodTests.request)
                        let byte = HTTP2FloodTests.frame(.data, 0, 1, [0x61])
                        try client.send(bytes: HTTP2FloodTests.preface + head + byte)
                    } else {
                        try client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\na")
                    }
                }
                let client = try RawClient(port: port)
                if isHTTP2 {
                    try client.send(bytes: other)
                    var all: [UInt8] = []
                    // The end of the answer.
                    while !HTTP2FloodTests.contains(all, Array("0 0 ".utf8)) {
                        let bytes = try client.receive()
                        try #require(!bytes.isEmpty)
                        all += bytes
                    }
                } else {
                    try client.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.reply().text == "0 0 ")
                }
            }
        }
    }
}
