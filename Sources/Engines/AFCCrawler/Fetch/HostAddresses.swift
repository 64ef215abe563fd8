internal import AFCCrawlRules
internal import AFCOrigin
internal import AFCURL
internal import NIOCore
internal import Synchronization

/// The hosts of a crawl whose addresses are public; each name is looked up once.
final class HostAddresses: Sendable {
    private typealias Waiter = CheckedContinuation<Bool?, Never>

    private enum Entry {
        case asking([Waiter])
        case known(isPublic: Bool)
    }

    private enum Step {
        case ask
        case wait
        case known(Bool)
    }

    private let names: NameLookup
    private let entries = Mutex<[String: Entry]>([:])

    init(names: NameLookup) { self.names = names }

    /// Returns if every address of the URL's host is public.
    ///
    /// A single private address is enough to refuse the host, because any of them may be used for the connection.
    ///
    /// - Throws: ``FetchFailure/privateAddress``, ``FetchFailure/unknownHost``, or `CancellationError`.
    func requirePublic(_ url: WebURL) async throws {
        guard !url.hostIsLoopbackOrPrivate, let host = url.host else { throw FetchFailure.privateAddress }
        while true {
            switch enter(host) {
            case .known(let isPublic): return try require(isPublic)
            case .ask: return try require(try await ask(host, port: url.effectivePort ?? 443))
            case .wait:
                let answer = await withCheckedContinuation { wait(for: host, $0) }
                if let answer { return try require(answer) }
                try Task.checkCancellation()
            }
        }
    }

    private func require(_ isPublic: Bool) throws(FetchFailure) {
        guard isPublic else { throw .privateAddress }
    }

    private func enter(_ host: String) -> Step {
        entries.withLock { entries in
            switch entries[host] {
            case .known(let isPublic): return .known(isPublic)
            case .asking: return .wait
            case nil:
                entries[host] = .asking([])
                return .ask
            }
        }
    }

    private func wait(for host: String, _ waiter: Waiter) {
        let answer: Bool?? = entries.withLock { entries in
            switch entries[host] {
            case .known(let isPublic): return .some(isPublic)
            case .asking(let waiters):
                entries[host] = .asking(waiters + [waiter])
                return .none
            case nil: return .some(nil)
            }
        }
        if let answer { waiter.resume(returning: answer) }
    }

    private func ask(_ host: String, port: UInt16) async throws -> Bool {
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        do {
            let isPublic = try await names.addresses(of: name, port: port).allSatisfy(AddressRules.isPublic)
            settle(host, isPublic)
            return isPublic
        } catch {
            // Waiting tasks look the name up themselves: the failure may concern only this task.
            settle(host, nil)
            switch error {
            case NameLookup.Failure.unknownHost: throw FetchFailure.unknownHost
            case NameLookup.Failure.unanswered: throw FetchFailure.connection("the name server didn't respond")
            default: throw error
            }
        }
    }

    private func settle(_ host: String, _ isPublic: Bool?) {
        let waiters = entries.withLock { entries -> [Waiter] in
            guard case .asking(let waiters) = entries[host] else { return [] }
            entries[host] = isPublic.map { .known(isPublic: $0) }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: isPublic) }
    }
}
