import AFCURL
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport

@testable import AFCResolver

/// A transport whose answers a test gives.
final class FakeOrigin: OriginTransport {
    /// What a request is answered with.
    struct Answer: Sendable {
        var status = 200
        var fields: [(String, String)] = []
        var body: [String] = []
        /// Whether the body's length is in the head.
        var saysLength = true
        /// What the body ends with.
        var breaksOff = false
        /// Opened before the head comes.
        var headGate: Gate?
        /// Opened before the second piece of the body comes.
        var bodyGate: Gate?
        var failure: TransportFailure?
    }

    private struct State {
        var requests: [TransportRequest] = []
        var ended = 0
    }

    private let state = Mutex(State())
    private let answer: @Sendable (TransportRequest, Int) -> Answer

    init(_ answer: @escaping @Sendable (TransportRequest, Int) -> Answer) { self.answer = answer }

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    var count: Int { requests.count }

    /// Waits until so many requests have come.
    func waitUntilAsked(times: Int = 1) async throws {
        try await waitUntil("the origin is asked \(times) times") { count >= times }
    }

    func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        let answer = answer(request, number)
        await answer.headGate?.pass()
        if Task.isCancelled { throw .cancelled }
        if let failure = answer.failure { throw failure }
        var fields = HTTPFields()
        for (name, value) in answer.fields {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let length = answer.saysLength ? Int64(answer.body.reduce(0) { $0 + $1.utf8.count }) : nil
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        Task {
            for (index, piece) in answer.body.enumerated() {
                if index == 1 { await answer.bodyGate?.pass() }
                continuation.yield(ByteBuffer(string: piece))
            }
            if answer.breaksOff {
                continuation.finish(throwing: TransportFailure(.disconnected, "it broke off"))
            } else {
                continuation.finish()
            }
        }
        return TransportResponse(status: answer.status, fields: fields, bodyLength: length, body: stream)
    }
}

/// Holds tasks up until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state -> Bool in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
