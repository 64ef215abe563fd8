internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

/// The answers to one request: the stored response, then the origin's if it differs.
public struct ResourceResponses: AsyncSequence, Sendable {
    /// The type of the answers.
    public typealias Element = ResolverResponse
    /// The type of the errors.
    public typealias Failure = any Error

    enum Step: Sendable {
        case first
        case second
    }

    /// A closure that requests an answer, and also says if a second one may follow.
    typealias Ask = @Sendable (Step) async throws -> (response: ResolverResponse, hasSecond: Bool)

    private let ask: Ask

    init(_ ask: @escaping Ask) { self.ask = ask }

    /// Returns an iterator, which sends the request.
    public func makeAsyncIterator() -> Iterator { Iterator(ask: ask) }

    /// An iterator that requests one answer after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case start
            case answered(ResolverResponse)
            case end
        }

        private let ask: Ask
        private var state = State.start

        fileprivate init(ask: @escaping Ask) { self.ask = ask }

        /// Returns the next answer, or nil.
        ///
        /// - Returns: The answer.
        /// - Throws: The errors of ``Resolver/response(for:policy:options:priority:progress:)``.
        public mutating func next() async throws -> ResolverResponse? {
            switch state {
            case .start:
                state = .end
                let (response, hasSecond) = try await ask(.first)
                if hasSecond { state = .answered(response) }
                return response
            case .answered(let first):
                state = .end
                let (second, _) = try await ask(.second)
                return try await second.isNews(after: first) ? second : nil
            case .end: return nil
            }
        }
    }
}
