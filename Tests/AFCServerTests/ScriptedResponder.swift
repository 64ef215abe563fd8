import HTTPTypes
import NIOCore

@testable import AFCServer

/// A responder made of closures.
struct ScriptedResponder: Responding {
    typealias Interim = @Sendable (HTTPResponse.Status, HTTPFields) async -> Void

    var answering: @Sendable (ServerRequest, Interim) async throws -> ServerAnswer = { _, _ in
        ServerAnswer(status: .notFound)
    }

    func answer(_ request: ServerRequest, interim: @escaping Interim) async throws -> ServerAnswer {
        try await answering(request, interim)
    }

    /// Answers each request by itself.
    static func making(
        _ answering: @escaping @Sendable (ServerRequest) async throws -> ServerAnswer
    ) -> ScriptedResponder {
        ScriptedResponder(answering: { request, _ in try await answering(request) })
    }
}

/// A responder made of closures that looks up before it answers.
struct LookingUpResponder: LookingUp {
    var atHand: @Sendable (ServerRequest) -> ServerAnswer?
    var atOnce: @Sendable (ServerRequest) -> ServerAnswer? = { _ in nil }
    var base = ScriptedResponder()

    init(
        atHand: @escaping @Sendable (ServerRequest) -> ServerAnswer?,
        answering: @escaping @Sendable (ServerRequest, ScriptedResponder.Interim) async throws -> ServerAnswer = {
            _,
            _ in
            ServerAnswer(status: .notFound)
        }
    ) {
        self.atHand = atHand
        base.answering = answering
    }

    func lookUp(_ request: ServerRequest) -> ServerAnswer? { atHand(request) }

    func lookUpAtOnce(_ request: ServerRequest) -> ServerAnswer? { atOnce(request) }

    func answer(_ request: ServerRequest, interim: @escaping ScriptedResponder.Interim) async throws -> ServerAnswer {
        try await base.answer(request, interim: interim)
    }
}

extension ServerAnswer {
    /// A text.
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> ServerAnswer {
        ServerAnswer(status: status, body: .bytes(ByteBuffer(string: text)))
    }

    /// Pieces that arrive one after the other.
    static func pieces(_ pieces: [String], length: Int? = nil, failing: Bool = false) -> ServerAnswer {
        let stream = AsyncThrowingStream<ByteBuffer, any Error> { continuation in
            for piece in pieces { continuation.yield(ByteBuffer(string: piece)) }
            continuation.finish(throwing: failing ? FakeCache.Failure() : nil)
        }
        var fields = HTTPFields()
        fields[.contentLength] = length.map(String.init)
        return ServerAnswer(status: .ok, fields: fields, body: .stream(stream))
    }
}

extension HTTPField.Name {
    static let xHint = HTTPField.Name("X-Hint") ?? .age
    static let xSum = HTTPField.Name("X-Sum") ?? .age
}
