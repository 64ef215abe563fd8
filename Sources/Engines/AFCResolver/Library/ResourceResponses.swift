internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

/// The answers to one request: what is stored, then the origin's where it is another one.
public struct ResourceResponses: AsyncSequence, Sendable {
    /// What comes.
    public typealias Element = ResolverResponse
    /// What may go wrong.
    public typealias Failure = any Error

    enum Step: Sendable {
        case first
        case second
    }

    /// Asks; says also whether a second answer may follow.
    typealias Ask = @Sendable (Step) async throws -> (response: ResolverResponse, hasSecond: Bool)

    private let ask: Ask

    init(_ ask: @escaping Ask) { self.ask = ask }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator { Iterator(ask: ask) }

    /// Asks one time after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case start
            case answered(ResolverResponse)
            case end
        }

        private let ask: Ask
        private var state = State.start

        fileprivate init(ask: @escaping Ask) { self.ask = ask }

        /// The next answer, or nil.
        ///
        /// - Returns: The answer.
        /// - Throws: What ``Resolver/response(for:policy:options:priority:progress:)`` throws.
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

extension ResolverResponse {
    /// Whether the origin says something else than what was answered before.
    fileprivate func isNews(after first: ResolverResponse) async throws -> Bool {
        guard source == .miss else { return false }
        guard status == first.status, let tag = fields[.eTag].flatMap({ EntityTag($0) }),
            first.fields[.eTag].flatMap({ EntityTag($0) })?.strongMatches(tag) == true
        else { return true }
        // Its body is the one that was answered; it is read all the same, so that the store has the newer head.
        do {
            for try await _ in pieces {}
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
        return false
    }
}
