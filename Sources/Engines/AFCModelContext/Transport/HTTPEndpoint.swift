internal import AFCFiles
internal import AFCHTTP
package import AFCServer
internal import AFCText
internal import HTTPTypes
internal import NIOCore
internal import Synchronization

/// The transport over HTTP: each message is a POST, and each answer a JSON text (specification, Streamable HTTP).
///
/// The server gives it only requests that name one of its own hosts. Fields that browsers send tell those of other
/// websites apart.
package final class HTTPEndpoint: OwnEndpoint {
    /// The limits of all clients together.
    enum Limits {
        /// The bytes of a message.
        static let body = 4 << 20
        /// The bytes of all messages that are being received or answered.
        static let allBodies = 64 << 20
        /// The requests that are answered at the same time.
        static let requests = 16
    }

    private let server: ContextServer
    private let sessions = Mutex(SessionTable())
    private let running = Atomic<Int>(0)
    private let received = Atomic<Int>(0)

    /// Creates the transport.
    package init(_ server: ContextServer) { self.server = server }

    /// Answers a request.
    package func answer(_ request: ServerRequest) async -> EndpointAnswer {
        if let refusal = Self.refusal(of: request) { return refusal }
        switch request.method {
        case "POST": return await post(request)
        case "DELETE":
            let id = request[.sessionID] ?? ""
            guard sessions.withLock({ $0.end(id) }) else { return .text(.notFound, "there is no such session") }
            return EndpointAnswer(status: .noContent)
        default:
            var answer = EndpointAnswer.text(.methodNotAllowed, "this server sends no messages of its own; use POST")
            answer.fields[.allow] = "POST, DELETE"
            return answer
        }
    }

    /// Returns the answer to a request that a website of another origin made, or that isn't one of the protocol's.
    ///
    /// A page whose name leads to this machine (DNS rebinding) has another Origin, and another Host, which the server
    /// refuses before.
    private static func refusal(of request: ServerRequest) -> EndpointAnswer? {
        if let origin = request[.origin] {
            guard isOwn(origin, request) else {
                return .text(.forbidden, "this server refuses requests that other websites make")
            }
        }
        if let site = request[.fetchSite], site != "same-origin", site != "none" {
            return .text(.forbidden, "this server refuses requests that other websites make")
        }
        guard request.method == "POST" else { return nil }
        let type = request.fields[.contentType].flatMap { MediaType($0) }
        guard type?.essence == "application/json" else {
            return .text(.unsupportedMediaType, "a message is sent as application/json")
        }
        let accepted = request.fields[.accept] ?? "*/*"
        guard ["application/json", "application/*", "*/*"].contains(where: accepted.lowercased().contains) else {
            return .text(.notAcceptable, "the answer is application/json, which the request doesn't accept")
        }
        return nil
    }

    /// Returns true if an origin is that of the server's own pages, at the host of the request.
    private static func isOwn(_ origin: String, _ request: ServerRequest) -> Bool {
        guard let host = request.host.authority, let asked = Authority(origin.drop { $0 != "/" }.dropFirst(2)) else {
            return false
        }
        let scheme = request.isSecure ? "https" : "http"
        let port: UInt16 = request.isSecure ? 443 : 80
        return origin.hasPrefix("\(scheme)://") && asked.host == host.host
            && (asked.port ?? port) == (host.port ?? port)
    }

    // MARK: Messages

    private static let tooMany = EndpointAnswer.text(
        .serviceUnavailable,
        "too many requests at the same time; try again"
    )

    private func post(_ request: ServerRequest) async -> EndpointAnswer {
        let body = await body(of: request)
        defer { received.subtract(body.size, ordering: .relaxed) }
        let bytes: [UInt8]
        switch body {
        case .whole(let whole): bytes = whole
        case .tooLarge:
            let error = MessageError(.invalidRequest, "the message has more than \(Limits.body) bytes")
            return .json(.contentTooLarge, error.json)
        case .incomplete: return .text(.badRequest, "the body is incomplete")
        case .noRoom: return Self.tooMany
        }
        // Only now: a client that sends slowly must not keep others from being answered.
        defer { running.subtract(1, ordering: .relaxed) }
        guard running.add(1, ordering: .relaxed).newValue <= Limits.requests else { return Self.tooMany }
        switch Message.parcel(bytes) {
        case .one(.failure(let error)): return .json(.badRequest, error.json)
        case .one(.success(let message)): return await answer(message, request)
        case .batch(let messages): return await answer(messages, request)
        }
    }

    /// A body as far as it was received.
    private enum Body {
        case whole([UInt8])
        case tooLarge, incomplete, noRoom

        /// The bytes that count as received until the answer.
        var size: Int { if case .whole(let bytes) = self { bytes.count } else { 0 } }
    }

    private func body(of request: ServerRequest) async -> Body {
        guard request.body.length ?? 0 <= Int64(Limits.body) else { return .tooLarge }
        var bytes: [UInt8] = []
        func discarded(_ body: Body) -> Body {
            received.subtract(bytes.count, ordering: .relaxed)
            return body
        }
        do {
            for try await piece in request.body {
                let count = piece.readableBytes
                guard bytes.count + count <= Limits.body else { return discarded(.tooLarge) }
                bytes += piece.readableBytesView
                let all = received.add(count, ordering: .relaxed).newValue
                guard all <= Limits.allBodies else { return discarded(.noRoom) }
            }
        } catch {
            return discarded(.incomplete)
        }
        return .whole(bytes)
    }

    private func answer(_ message: Message, _ request: ServerRequest) async -> EndpointAnswer {
        let stated = request[.protocolVersion]
        if case .request(let asked) = message, let version = asked.statedVersion {
            return await answerStateless(asked, version, request)
        }
        if let stated {
            guard let version = ProtocolVersion(rawValue: stated) else {
                return .json(.badRequest, MessageError.unsupported(stated).json)
            }
            if version.isStateless {
                guard case .request(let asked) = message else { return EndpointAnswer(status: .accepted) }
                let words = "the request states the revision \(stated) in its fields, and none in its body"
                return .json(.badRequest, MessageError(.headerMismatch, words, id: asked.id).json)
            }
        }
        let now = ContinuousClock.now
        guard let id = request[.sessionID] else {
            guard case .request(let asked) = message, asked.method == "initialize" else {
                return .json(.badRequest, Self.withoutSession(message).json)
            }
            var session = Session()
            let step = session.take(message)
            guard case .work = step else { return await carryOut(step) }
            let id = sessions.withLock { $0.add(session, at: now) }
            var answer = await carryOut(step)
            answer.set(.sessionID, id)
            return answer
        }
        guard let step = sessions.withLock({ $0.take(message, in: id, at: now) }) else { return Self.unknownSession }
        return await carryOut(step)
    }

    private static let unknownSession = EndpointAnswer.json(
        .notFound,
        MessageError(.invalidRequest, "there is no such session; begin with 'initialize'").json
    )

    private static func withoutSession(_ message: Message) -> MessageError {
        guard case .request(let request) = message else {
            return MessageError(.invalidRequest, "the field Mcp-Session-Id is missing")
        }
        guard ContextServer.isMethod(request.method) else {
            var error = MessageError.unknownMethod(request.method)
            error.id = request.id
            return error
        }
        return MessageError(.invalidRequest, "the session begins with 'initialize'", id: request.id)
    }

    /// Answers a batch, which only one revision has.
    private func answer(_ messages: [Result<Message, MessageError>], _ request: ServerRequest) async -> EndpointAnswer {
        let (id, now) = (request[.sessionID] ?? "", ContinuousClock.now)
        guard let version = sessions.withLock({ $0.version(of: id) }) else { return Self.unknownSession }
        guard version.allowsBatches else {
            let words = "this revision of the protocol has no batches"
            return .json(.badRequest, MessageError(.invalidRequest, words).json)
        }
        var answers: [JSONValue] = []
        for message in messages {
            let step: Session.Step
            switch message {
            case .failure(let error): step = .refuse(error)
            case .success(let message):
                guard let taken = sessions.withLock({ $0.take(message, in: id, at: now) }) else {
                    return Self.unknownSession
                }
                step = taken
            }
            if let answer = await result(of: step) { answers.append(answer.json) }
        }
        return answers.isEmpty ? EndpointAnswer(status: .accepted) : .json(.ok, .array(answers))
    }

    // MARK: Revision 2026-07-28

    /// Answers a request that states its revision.
    private func answerStateless(
        _ asked: Message.Request,
        _ version: String,
        _ request: ServerRequest
    ) async -> EndpointAnswer {
        if let words = Self.mismatch(asked, version, request) {
            return .json(.badRequest, MessageError(.headerMismatch, words, id: asked.id).json)
        }
        var session = Session()
        return await carryOut(session.take(.request(asked)), isStateless: true)
    }

    /// Returns the sentence about fields that contradict the body; nil if they agree.
    private static func mismatch(_ asked: Message.Request, _ version: String, _ request: ServerRequest) -> String? {
        var expected: [(HTTPField.Name?, String)] = [(.protocolVersion, version), (.mcpMethod, asked.method)]
        let name = asked.parameters[asked.method == "resources/read" ? "uri" : "name"]?.string
        if ["tools/call", "resources/read"].contains(asked.method), let name { expected.append((.mcpName, name)) }
        for (field, value) in expected {
            guard let field, let found = request[field] else {
                return "the field \(field?.rawName ?? "") is missing"
            }
            guard decoded(found) == value else { return "the field \(field.rawName) differs from the body" }
        }
        return nil
    }

    /// Returns the value of a field that may be encoded, as the protocol does it for characters beyond ASCII.
    private static func decoded(_ value: String) -> String {
        guard value.hasPrefix("=?base64?"), value.hasSuffix("?="), value.utf8.count >= 11,
            let bytes = Base64.decode(value.dropFirst(9).dropLast(2))
        else { return value }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Answers

    private func carryOut(_ step: Session.Step, isStateless: Bool = false) async -> EndpointAnswer {
        guard let (json, code) = await result(of: step) else { return EndpointAnswer(status: .accepted) }
        switch (step, code) {
        case (.refuse, _): return .json(.badRequest, json)
        case (_, .unknownMethod?) where isStateless: return .json(.notFound, json)
        default: return .json(.ok, json)
        }
    }

    /// Returns the answer to a request, and the code of its error; nil if nothing is to be answered.
    private func result(of step: Session.Step) async -> (json: JSONValue, code: MessageError.Code?)? {
        switch step {
        // A client that no longer waits closes its connection.
        case .nothing, .cancel: return nil
        case .refuse(let error): return (error.json, error.code)
        case .work(let request, let version):
            let flag = CancellationFlag()
            let server = server
            let result = await withTaskCancellationHandler {
                await OffPool.run { server.answer(request, by: version) { flag.isCancelled } }
            } onCancel: {
                flag.cancel()
            }
            var code: MessageError.Code?
            if case .failure(let error) = result { code = error.code }
            return (Message.answer(request.id, result), code)
        }
    }
}

extension EndpointAnswer {
    /// Creates an answer with a JSON text.
    fileprivate static func json(_ status: HTTPResponse.Status, _ value: JSONValue) -> EndpointAnswer {
        var answer = EndpointAnswer(status: status, body: Array(value.serialized.utf8))
        answer.fields[.contentType] = "application/json"
        return answer
    }

    /// Sets a field.
    fileprivate mutating func set(_ name: HTTPField.Name?, _ value: String) {
        if let name { fields[name] = value }
    }

    /// Creates an answer with a sentence.
    fileprivate static func text(_ status: HTTPResponse.Status, _ words: String) -> EndpointAnswer {
        EndpointAnswer(status: status, body: Array((words + "\n").utf8))
    }
}

extension ServerRequest {
    fileprivate subscript(_ name: HTTPField.Name?) -> String? { name.flatMap { fields[$0] } }
}

extension HTTPField.Name? {
    fileprivate static let sessionID = HTTPField.Name("Mcp-Session-Id")
    fileprivate static let protocolVersion = HTTPField.Name("MCP-Protocol-Version")
    fileprivate static let mcpMethod = HTTPField.Name("Mcp-Method")
    fileprivate static let mcpName = HTTPField.Name("Mcp-Name")
    fileprivate static let origin = HTTPField.Name("Origin")
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}
