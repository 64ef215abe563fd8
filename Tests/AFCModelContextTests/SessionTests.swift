import AFCText
import Testing

@testable import AFCModelContext

/// Phases, messages and revisions.
struct SessionTests {
    /// Every phase with every event, by hand (specification 2025-11-25, Lifecycle).
    private static let table: [(SessionPhase, SessionEvent, SessionPhase, SessionAction)] = [
        (.new, .initialize, .greeted, .greet), (.new, .initialized, .new, .ignore), (.new, .ping, .new, .answer),
        (.new, .request, .new, .refuseEarly), (.new, .statelessRequest, .new, .answerStateless),
        (.new, .cancelled, .new, .cancel), (.new, .other, .new, .ignore),
        (.greeted, .initialize, .greeted, .refuseAgain), (.greeted, .initialized, .ready, .ignore),
        (.greeted, .ping, .greeted, .answer), (.greeted, .request, .greeted, .answer),
        (.greeted, .statelessRequest, .greeted, .answerStateless), (.greeted, .cancelled, .greeted, .cancel),
        (.greeted, .other, .greeted, .ignore),
        (.ready, .initialize, .ready, .refuseAgain), (.ready, .initialized, .ready, .ignore),
        (.ready, .ping, .ready, .answer), (.ready, .request, .ready, .answer),
        (.ready, .statelessRequest, .ready, .answerStateless), (.ready, .cancelled, .ready, .cancel),
        (.ready, .other, .ready, .ignore),
    ]

    @Test func `each phase has one answer to each event`() {
        #expect(Self.table.count == SessionPhase.allCases.count * SessionEvent.allCases.count)
        for phase in SessionPhase.allCases {
            for event in SessionEvent.allCases {
                let row = Self.table.first { $0.0 == phase && $0.1 == event }
                let (next, action) = phase.next(event)
                #expect(row?.2 == next && row?.3 == action, "\(phase) \(event)")
            }
        }
    }

    private static func message(_ text: String) throws -> Message {
        guard case .one(let message) = Message.parcel(Array(text.utf8)) else { throw MessageError(.parse, "a batch") }
        return try message.get()
    }

    private static func request(_ method: String, _ parameters: String = "{}") throws -> Message {
        try message(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#)
    }

    @Test(
        arguments: [
            ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1900-01-01", "2025-11-25"),
        ]
    )
    func `a revision is negotiated`(asked: String, answer: String) throws {
        var session = Session()
        let step = session.take(try Self.request("initialize", #"{"protocolVersion":"\#(asked)"}"#))
        guard case .work(_, let version) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(version.rawValue == answer)
        #expect(session.phase == .greeted)
    }

    @Test func `requests before the introduction are refused`() throws {
        var session = Session()
        func code(_ message: Message) -> MessageError.Code? {
            if case .refuse(let error) = session.take(message) { error.code } else { nil }
        }
        #expect(code(try Self.request("tools/list")) == .invalidRequest)
        #expect(code(try Self.request("server/discover")) == .unknownMethod)
        #expect(code(try Self.request("initialize")) == .invalidParameters)
        #expect(session.phase == .new)
        #expect(code(try Self.request("initialize", #"{"protocolVersion":"2025-06-18"}"#)) == nil)
        #expect(code(try Self.request("initialize", #"{"protocolVersion":"2025-06-18"}"#)) == .invalidRequest)
        #expect(code(try Self.request("tools/list")) == nil)
    }

    @Test func `a request that states its revision needs no session`() throws {
        var session = Session()
        func meta(_ version: String) -> String {
            #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)"}}"#
        }
        guard case .work(_, .july2026) = session.take(try Self.request("tools/list", meta("2026-07-28"))) else {
            Issue.record("the request was refused")
            return
        }
        for version in ["2025-11-25", "1900-01-01", ""] {
            guard case .refuse(let error) = session.take(try Self.request("tools/list", meta(version))) else {
                Issue.record("\(version) was answered")
                continue
            }
            #expect(error.code == .unsupportedVersion)
            #expect(error.data?["supported"]?.array?.first == .string("2026-07-28"))
        }
        #expect(session.phase == .new)
    }

    @Test func `a cancellation names its request`() throws {
        var session = Session()
        let text = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#
        #expect(session.take(try Self.message(text)) == .cancel(.text("a")))
        let nothing = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#
        #expect(session.take(try Self.message(nothing)) == .nothing)
    }

    @Test(
        arguments: [
            ("{", -32700, "null"), ("\u{FF}", -32600, "null"), ("[]", -32600, "null"), ("1", -32600, "null"),
            (#"{"id":1,"method":"a"}"#, -32600, "1"), (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, -32600, "null"),
            (#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, -32600, "null"),
            (#"{"jsonrpc":"2.0","id":"x","method":7}"#, -32600, #""x""#),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32700, "null"),
        ]
    )
    func `what is no message has an error`(text: String, code: Int, id: String) {
        var bytes = Array(text.utf8)
        // JSON with a byte that no UTF-8 has.
        if text == "\u{FF}" { bytes = Array("\"".utf8) + [0xFF] + Array("\"".utf8) }
        guard case .one(.failure(let error)) = Message.parcel(bytes) else {
            Issue.record("'\(text)' was read")
            return
        }
        #expect(error.code.rawValue == (text == "\u{FF}" ? -32700 : code))
        #expect((error.json["id"] ?? .null).serialized == id)
    }

    @Test func `a batch has limits`() {
        let one = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        func batch(_ count: Int) -> Message.Parcel {
            Message.parcel(Array(("[" + Array(repeating: one, count: count).joined(separator: ",") + "]").utf8))
        }
        guard case .batch(let messages) = batch(64) else {
            Issue.record("a batch of 64 was refused")
            return
        }
        #expect(messages.count == 64)
        guard case .one(.failure(let error)) = batch(65) else {
            Issue.record("a batch of 65 was read")
            return
        }
        #expect(error.code == .invalidRequest)
    }
}
