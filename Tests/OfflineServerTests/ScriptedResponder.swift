import HTTPTypes
import NIOCore

@testable import AFCServer

/// A responder made of closures.
struct ScriptedResponder: LookingUp {
    typealias Interim = @Sendable (HTTPResponse.Status, HTTPFields) async -> Void

    var atHand: @Sendable (ServerRequest) -> ServerAnswer? = { _ in nil }
    var answering: @Sendable (ServerRequest, Interim) async throws -> ServerAnswer = { _, _ in
        ServerAnswer(status: .notFound)
    }

    func lookUp(_ request: ServerRequest) -> ServerAnswer? { atHand(request) }

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
