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

    @Test func `a 304 states no length, whatever its body, and other answers without a body do`() throws {
        // RFC 9110 §8.6; a HEAD of unknown length states none.
        for (method, status, length) in [
            (HTTPMethod.GET, 304, nil), (.HEAD, 304, nil), (.GET, 204, nil), (.GET, 412, 0), (.GET, 205, 0),
            (.GET, 200, 0), (.GET, 416, 0), (.HEAD, 200, nil), (.HEAD, 412, nil),
        ] as [(HTTPMethod, Int, Int64?)] {
            machine = HTTP1StateMachine(lingerBytes: 100)
            _ = read(Self.head("/", method))
            let begun = machine.beginAnswer(ServerAnswer(status: .init(code: status)), length: nil)
            #expect(try #require(begun).framing == .length(length), "\(method) \(status)")
        }
    }

    // MARK: Sequences of events

    /// An event of a connection.
    enum Event: Sendable, CaseIterable {
        /// A whole GET.
        case get
        /// The head of a POST, whose body is wanted.
        case post
        /// The end of its body.
        case bodyEnd
        /// Bytes that aren't HTTP.
        case garbage
        /// A head with a coding that nobody knows.
        case coding
        /// The whole answer to the current request.
        case answer
        /// The start of the answer.
        case begin
        /// The end of the answer that began.
        case end
        /// An answer that ended early.
        case cutShort
        /// The socket is full.
        case full
        /// There is room again.
        case room
        /// The later turn of the loop.
        case turn
        /// The client closes its side.
        case closed
        /// The server shuts down.
        case quiesce
        /// This side is closed.
        case linger
        /// The connection is ended at once.
        case cut
        /// The connection is to be handed over.
        case leave
        /// It is handed over.
        case handOver
        /// The connection has ended.
        case lost
    }

    /// Applies an event, and names the action; nil if the event can't happen now.
    private func apply(_ event: Event, _ number: inout Int) -> String? {
        switch event {
        case .get:
            number += 1
            let action = read(Self.head("/\(number)"))
            _ = readEnd()
            return action
        case .post:
            number += 1
            let action = read(Self.head("/\(number)", .POST, [("Content-Length", "5")]))
            _ = wantBody()
            return action
        case .bodyEnd:
            _ = readEnd()
            return "none"
        case .garbage:
            let (givesUp, action) = machine.parserFailed(HTTPParserError.invalidMethod)
            return (givesUp ? "give up, " : "") + Self.name(action)
        case .coding: return read(Self.head("/coding", .POST, [("Transfer-Encoding", "x")]))
        case .answer:
            guard machine.beginAnswer(ServerAnswer(status: .ok), length: nil) != nil else { return nil }
            return end()
        case .begin: return machine.beginAnswer(ServerAnswer(status: .ok), length: nil) == nil ? nil : "none"
        case .end: return machine.isAnswering ? end() : nil
        case .cutShort: return machine.isAnswering ? end(isComplete: false) : nil
        case .full:
            machine.writabilityChanged(false)
            return "none"
        case .room:
            machine.writabilityChanged(true)
            return Self.name(machine.actionWithRoom)
        case .turn: return next()
        case .closed: return inputClosed()
        case .quiesce: return quiesce(hasUnsentBytes: false)
        case .linger: return linger() ? "yes" : "no"
        case .cut: return cut() ? "reset" : "close"
        case .leave: return leave() ? "yes" : "no"
        case .handOver: return handOver() ? "yes" : "no"
        case .lost:
            machine.end()
            return "none"
        }
    }

    /// Events, and the action after each.
    static let sequences: [(String, [(Event, String)])] = [
        ("one request", [(.get, "begin /1"), (.answer, "read")]),
        (
            "requests in a row",
            [
                (.get, "begin /1"), (.get, "none"), (.get, "none"), (.answer, "askLater"), (.turn, "begin /2"),
                (.answer, "askLater"), (.turn, "begin /3"), (.answer, "read"),
            ]
        ),
        (
            "a full socket holds requests back",
            [
                (.full, "none"), (.get, "none"), (.get, "none"), (.turn, "none"), (.room, "askLater"),
                (.turn, "begin /1"), (.answer, "askLater"), (.turn, "begin /2"),
            ]
        ),
        (
            "garbage behind requests that wait for room is refused after their answers",
            [
                (.get, "begin /1"), (.full, "none"), (.answer, "read"), (.get, "none"), (.get, "none"),
                (.garbage, "none"), (.turn, "none"), (.room, "askLater"), (.turn, "begin /2"), (.answer, "askLater"),
                (.turn, "begin /3"), (.answer, "askLater"), (.turn, "refuse 400 Bad Request"),
            ]
        ),
        (
            "an unknown coding behind requests that wait for room is refused after their answers",
            [
                (.full, "none"), (.get, "none"), (.coding, "none"), (.room, "askLater"), (.turn, "begin /1"),
                (.answer, "askLater"), (.turn, "refuse 501 Not Implemented"),
            ]
        ),
        (
            "garbage instead of a body that waits takes only that request's answer",
            [
                (.full, "none"), (.get, "none"), (.post, "none"), (.garbage, "none"), (.room, "askLater"),
                (.turn, "begin /1"), (.answer, "askLater"), (.turn, "refuse 400 Bad Request"),
            ]
        ),
        ("garbage at the start", [(.garbage, "refuse 400 Bad Request")]),
        ("garbage into a full socket", [(.full, "none"), (.garbage, "refuse 400 Bad Request")]),
        (
            "garbage while a request is answered",
            [
                (.get, "begin /1"), (.garbage, "none"), (.get, "none"), (.answer, "askLater"),
                (.turn, "refuse 400 Bad Request"),
            ]
        ),
        (
            "garbage instead of the current body, before the answer",
            [(.post, "begin /1"), (.garbage, "give up, refuse 400 Bad Request")]
        ),
        (
            "garbage instead of the current body, during the answer",
            [(.post, "begin /1"), (.begin, "none"), (.garbage, "none"), (.end, "finish")]
        ),
        (
            "a body that arrives whole keeps the connection",
            [(.post, "begin /1"), (.bodyEnd, "none"), (.get, "none"), (.answer, "askLater"), (.turn, "begin /2")]
        ),
        ("a body that is still due closes it", [(.post, "begin /1"), (.answer, "finish")]),
        ("an answer that ended early cuts", [(.get, "begin /1"), (.get, "none"), (.cutShort, "cut")]),
        (
            "a client that closed its side gets all its answers",
            [
                (.get, "begin /1"), (.get, "none"), (.closed, "cutUnlessAnswered"), (.answer, "askLater"),
                (.turn, "begin /2"), (.answer, "askLater"), (.turn, "finish"),
            ]
        ),
        (
            "a client that closed its side while requests wait for room",
            [
                (.full, "none"), (.get, "none"), (.closed, "none"), (.room, "askLater"), (.turn, "begin /1"),
                (.answer, "askLater"), (.turn, "finish"),
            ]
        ),
        ("an idle client closes its side", [(.closed, "finish")]),
        ("a shutdown without requests", [(.quiesce, "cut")]),
        (
            "a shutdown during an answer",
            [(.get, "begin /1"), (.begin, "none"), (.quiesce, "none"), (.end, "askLater")]
        ),
        ("a shutdown before an answer", [(.get, "begin /1"), (.quiesce, "none"), (.answer, "finish")]),
    ]

    @Test(arguments: sequences.map(\.0)) func `each event leads to the expected action`(name: String) throws {
        let steps = try #require(Self.sequences.first { $0.0 == name }?.1)
        var number = 0
        for (place, step) in steps.enumerated() {
            #expect(apply(step.0, &number) == step.1, "event \(place + 1), \(step.0)")
        }
    }

    /// The events that lead to a state, and what each event does then, in the order of ``Event``: the action, and the
    /// stage if that changes.
    static let table: [(events: [Event], expected: String)] = [
        (
            [],
            """
            begin /1|begin /1|none|refuse 400 Bad Request|refuse 501 Not Implemented|-|-|-|-|none|read|read|finish|cut|\
            yes lingering|close lingering|yes leaving|no|none lingering
            """
        ),
        (
            [.full, .get],
            """
            none|none|none|none|none|-|-|-|-|none|askLater|none|none|none|\
            yes lingering|close lingering|no|no|none lingering
            """
        ),
        (
            [.get],
            """
            none|none|none|none|none|read|none|read|cut|none|none|none|cutUnlessAnswered|none|\
            yes lingering|close lingering|yes leaving|no|none lingering
            """
        ),
        (
            [.get, .begin],
            """
            none|none|none|none|none|read|none|read|cut|none|none|none|none|none|\
            yes lingering|close lingering|yes leaving|no|none lingering
            """
        ),
        (
            [.post],
            """
            none|none|none|give up, refuse 400 Bad Request|none|finish|none|read|cut|none|none|none|cutUnlessAnswered|\
            none|yes lingering|close lingering|no|no|none lingering
            """
        ),
        // Whatever follows a request is no part of the protocol that it asks for.
        (
            [.get, .garbage],
            """
            none|none|none|none|none|askLater|none|askLater|cut|none|none|none|cutUnlessAnswered|none|\
            yes lingering|close lingering|no|no|none lingering
            """
        ),
        (
            [.linger],
            """
            none|none|none|none|none|-|-|-|-|none|none|none|none|none|no|close|no|no|none
            """
        ),
        (
            [.get, .leave],
            """
            none|none|none|none|none|none|none|none|none|none|none|none|none|none|\
            no|close lingering|no|yes handedOver|none lingering
            """
        ),
        (
            [.get, .leave, .handOver],
            """
            none|none|none|none|none|none|none|none|none|none|none|none|none|none|no|close lingering|no|no|none
            """
        ),
    ]

    @Test(arguments: table.indices) func `each event has its effect in each state`(row: Int) {
        let (events, expected) = Self.table[row]
        let results = expected.split(separator: "|").map(String.init)
        #expect(results.count == Event.allCases.count)
        for (event, expected) in zip(Event.allCases, results) {
            machine = HTTP1StateMachine(lingerBytes: 100)
            var number = 0
            for event in events { _ = apply(event, &number) }
            let fate = machine.fate
            let action = apply(event, &number) ?? "-"
            let result = machine.fate == fate ? action : "\(action) \(machine.fate)"
            #expect(result == expected, "\(event) after \(events)")
        }
    }

    /// A request begins only when the one before it has ended; requests begin in their order; all that came before
    /// malformed input begin before that is refused; and there is one refusal.
    @Test func `in every sequence of events, answers keep the order of the requests`() {
        let events: [Event] = [.get, .garbage, .answer, .full, .room, .closed]
        let length = 5
        let count = (0..<length).reduce(1) { count, _ in count * events.count }
        for code in 0..<count {
            machine = HTTP1StateMachine(lingerBytes: 100)
            var (rest, number, begun, refusals, whole) = (code, 0, 0, 0, 0)
            var isOpen = true
            var sequence: [Event] = []
            for _ in 0..<length where isOpen {
                let event = events[rest % events.count]
                rest /= events.count
                sequence.append(event)
                let isUnderstood = !sequence.dropLast().contains(.garbage)
                let hadRequest = machine.isAnswering
                guard var action = apply(event, &number) else { continue }
                if event == .get, isUnderstood { whole += 1 }
                // As the connection does it.
                if action == "askLater" { action = next() }
                if action.hasPrefix("begin") {
                    begun += 1
                    if action != "begin /\(begun)" || hadRequest && event != .answer {
                        Issue.record("\(sequence): \(action)")
                        return
                    }
                } else if action.hasPrefix("refuse") {
                    refusals += 1
                    isOpen = false
                    if begun != whole || refusals > 1 || machine.isAnswering {
                        Issue.record("\(sequence): \(action) after \(begun) of \(whole)")
                        return
                    }
                } else if ["finish", "cut"].contains(action) {
                    isOpen = false
                }
            }
        }
    }
}
