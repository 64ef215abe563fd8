import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import AFCServer

/// What a connection does next, without a socket.
final class HTTP1StateMachineTests {
    private static func head(
        _ target: String,
        _ method: HTTPMethod = .GET,
        version: HTTPVersion = .http1_1,
        _ fields: [(String, String)] = []
    ) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: method, uri: target, headers: HTTPHeaders([("Host", "h")] + fields))
    }

    private static func name(_ action: HTTP1StateMachine.Action) -> String {
        switch action {
        case .none: "none"
        case .begin(let request): "begin \(request.head.uri)"
        case .refuse(let status): "refuse \(status.code) \(status.reasonPhrase)"
        case .finish: "finish"
        case .cut: "cut"
        case .cutUnlessAnswered: "cutUnlessAnswered"
        case .askLater: "askLater"
        case .read: "read"
        }
    }

    private var machine = HTTP1StateMachine(lingerBytes: 100)

    /// An expectation can't take a property of what can't be copied.
    private var mayRead: Bool { machine.mayRead }

    private func read(_ head: HTTPRequestHead) -> String {
        Self.name(machine.read(head, bytes: nil) { IncomingBody(length: nil) {} })
    }

    private func answer(_ status: HTTPResponse.Status = .ok) throws -> HTTP1StateMachine.AnswerForm {
        let answer = ServerAnswer(status: status, body: .bytes(ByteBuffer(string: "x")))
        let form = machine.beginAnswer(answer, length: 1)
        return try #require(form)
    }

    private func end(isComplete: Bool = true) -> String {
        Self.name(machine.answerEnded(isComplete: isComplete))
    }

    private func next() -> String { Self.name(machine.next()) }

    private func readEnd() -> Bool { machine.readEnd() }
    private func wantBody() -> Bool { machine.wantBody() }
    private func linger() -> Bool { machine.linger() }
    private func cut() -> Bool { machine.cut { false } }
    private func leave() -> Bool { machine.leave() }
    private func handOver() -> Bool { machine.handOver() }
    private func inputClosed() -> String { Self.name(machine.inputClosed()) }
    private func quiesce(hasUnsentBytes: Bool) -> String { Self.name(machine.quiesce { hasUnsentBytes }) }

    @Test func `requests that arrived together are answered one after another`() throws {
        #expect(mayRead)
        #expect(read(Self.head("/a")) == "begin /a")
        #expect(readEnd(), "the next byte begins a request")
        #expect(read(Self.head("/b")) == "none")
        #expect(readEnd())
        #expect(!mayRead, "a client that takes no answers doesn't fill the memory")
        #expect(try answer().persistence == .implied)
        #expect(end() == "askLater")
        #expect(next() == "begin /b")
        #expect(try answer().repeatable?.head.uri == "/b")
        #expect(end() == "read")
        #expect(machine.isIdle && machine.mayRead)
    }

    @Test func `a body that wasn't read to its end closes the connection`() throws {
        #expect(read(Self.head("/", .POST, [("Content-Length", "5")])) == "begin /")
        #expect(!mayRead, "nobody wants the body yet")
        #expect(try answer().persistence == .close)
        #expect(end() == "finish")
        #expect(linger())
        #expect(machine.mayRead && machine.received == 0)
        machine.read(ByteBuffer(repeating: 0x61, count: 100))
        #expect(!mayRead, "so much is thrown away, and no more")
    }

    @Test func `a body that was read keeps the connection open, except with GET`() throws {
        for (method, persistence) in [(HTTPMethod.POST, HeadWriter.Persistence.implied), (.GET, .close)] {
            machine = HTTP1StateMachine(lingerBytes: 100)
            _ = read(Self.head("/", method, [("Content-Length", "1")]))
            machine.read(ByteBuffer(string: "x"))
            #expect(!readEnd(), "behind a body only the parser knows")
            #expect(try answer().persistence == persistence)
        }
    }

    @Test func `a waiting client gets 100 Continue once, before the answer, and in its turn`() throws {
        let waiting = Self.head("/b", .POST, [("Content-Length", "5"), ("Expect", "100-continue")])
        _ = read(Self.head("/a"))
        _ = readEnd()
        _ = read(waiting)
        #expect(!wantBody(), "another request's turn")
        _ = try answer()
        _ = end()
        #expect(next() == "begin /b")
        #expect(wantBody() && machine.mayRead)
        #expect(!wantBody(), "once only")

        machine = HTTP1StateMachine(lingerBytes: 100)
        _ = read(waiting)
        _ = try answer(.init(code: 417))
        #expect(!wantBody(), "after a final answer")
    }

    @Test func `bytes that aren't HTTP are refused after the answers to valid requests`() throws {
        _ = read(Self.head("/a"))
        _ = readEnd()
        let (givesUp, action) = machine.parserFailed(HTTPParserError.invalidMethod)
        #expect(!givesUp && Self.name(action) == "none")
        #expect(read(Self.head("/b")) == "none", "nothing behind it is understood")
        _ = try answer()
        #expect(end() == "askLater")
        #expect(next() == "refuse 400 Bad Request")
    }

    @Test func `a broken body gets one answer`() throws {
        _ = read(Self.head("/a", .POST, [("Transfer-Encoding", "chunked")]))
        let (givesUp, action) = machine.parserFailed(HTTPParserError.invalidChunkSize)
        #expect(givesUp && Self.name(action) == "refuse 400 Bad Request")

        machine = HTTP1StateMachine(lingerBytes: 100)
        #expect(read(Self.head("/a", .POST, [("Transfer-Encoding", "gzip, chunked")])) == "refuse 501 Not Implemented")
    }

    @Test func `a client that has closed its side gets the pending answer`() throws {
        #expect(inputClosed() == "finish")

        machine = HTTP1StateMachine(lingerBytes: 100)
        _ = read(Self.head("/a"))
        _ = readEnd()
        #expect(inputClosed() == "cutUnlessAnswered")
        _ = try answer()
        #expect(end() == "askLater")
        #expect(next() == "finish")
    }

    @Test func `a server that shuts down finishes the answer`() throws {
        _ = read(Self.head("/a"))
        _ = readEnd()
        #expect(quiesce(hasUnsentBytes: false) == "none")
        #expect(try answer().persistence == .close)
        #expect(end() == "finish")

        machine = HTTP1StateMachine(lingerBytes: 100)
        #expect(quiesce(hasUnsentBytes: false) == "cut")
        machine = HTTP1StateMachine(lingerBytes: 100)
        #expect(quiesce(hasUnsentBytes: true) == "finish", "written bytes are still sent")
    }

    @Test func `a body that ends with the connection is never truncated unnoticed`() throws {
        _ = read(Self.head("/a", version: .http1_0))
        let stream = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish() }
        let begun = machine.beginAnswer(ServerAnswer(status: .ok, body: .stream(stream)), length: nil)
        let form = try #require(begun)
        #expect(form.framing == .untilClose && form.persistence == .close)
        #expect(cut())
    }

    @Test func `a connection isn't reused while another request's bytes are in transit`() throws {
        let connect = Self.head("h:443", .CONNECT)
        _ = read(connect)
        _ = readEnd()
        #expect(leave() && !machine.mayRead)
        #expect(handOver() && machine.mayRead && machine.isHandedOver)

        machine = HTTP1StateMachine(lingerBytes: 100)
        _ = read(connect)
        _ = readEnd()
        _ = read(Self.head("/b"))
        #expect(!leave())
    }
}
