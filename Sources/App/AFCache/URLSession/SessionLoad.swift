internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The loading of one request of a session, which waits while the session takes no more.
final class SessionLoad: Sendable {
    /// A part of the answer to a task.
    enum Event: Sendable {
        case head(HTTPURLResponse)
        case piece(Data)
        case end
        case redirect(URLRequest, HTTPURLResponse)
        case failure(any Error)
    }

    /// The way of a body to its task.
    enum Delivery: Sendable {
        /// In pieces, by the protocol's client.
        case pieces
        /// In one piece.
        case whole
        #if !canImport(Darwin)
        /// In pieces, to the session's delegate.
        case delegate(SessionTask)
        #endif
    }

    private struct State {
        var task: Task<Void, Never>?
        var events: [Event] = []
        /// The load, if it waits until its events are taken, or until its task is resumed.
        var waiting: CheckedContinuation<Void, Never>?
        var isPaused = false
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let delivery: Delivery
    private let onAnswer: @Sendable () -> Void

    /// Creates a load.
    ///
    /// - Parameters:
    ///   - delivery: The way of the body.
    ///   - onAnswer: A closure called when there are events to take.
    init(_ delivery: Delivery, onAnswer: @escaping @Sendable () -> Void) {
        (self.delivery, self.onAnswer) = (delivery, onAnswer)
    }

    /// Starts to load.
    func start(_ request: URLRequest, _ cache: AFCache, _ settings: SessionSettings) {
        state.withLock { $0.task = Task { await run(request, cache, settings) } }
    }

    /// Returns what is to be given to the task; ``confirm()`` follows.
    func take() -> [Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    /// Notes that the task was given what was taken.
    func confirm() { free { $0.events.isEmpty && !$0.isPaused } }

    /// Notes that the task is suspended, and wants no more for now.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Notes that the task is no longer suspended.
    func resume() {
        state.withLock { $0.isPaused = false }
        confirm()
    }

    /// Ends the loading.
    func cancel() {
        let task = state.withLock { state in
            (state.isCancelled, state.events) = (true, [])
            return state.task
        }
        task?.cancel()
        free { _ in true }
    }

    /// Lets the load continue, if it waits and may.
    private func free(_ isFree: (State) -> Bool) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard isFree(state) else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Gives events to the task; returns when it was given them and wants more.
    private func give(_ events: [Event]) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard !state.isCancelled else { return true }
                (state.events, state.waiting) = (events, continuation)
                return false
            }
            if isOver { continuation.resume() } else { onAnswer() }
        }
    }

    /// Returns when the task isn't suspended.
    private func unpaused() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isPaused, !state.isCancelled else { return true }
                state.waiting = continuation
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func run(_ first: URLRequest, _ cache: AFCache, _ settings: SessionSettings) async {
        do {
            try await load(first, cache, settings)
        } catch is CancellationError {
            // The session has stopped this.
            await give([.failure(URLError(.cancelled, failing: first.url))])
        } catch {
            await give([.failure(AFCache.Failure.ofSession(error))])
        }
    }

    private func load(_ first: URLRequest, _ cache: AFCache, _ settings: SessionSettings) async throws {
        var limits = settings.limits(of: first)
        limits.isPaused = { [weak self] in self?.state.withLock { $0.isPaused } ?? false }
        var (request, hops) = (first, 0)
        while true {
            var progress: (@Sendable (AFCache.LoadProgress) -> Void)?
            if let onProgress = cache.configuration.onProgress, let url = request.url {
                progress = { onProgress(url, $0) }
            }
            let open = try await cache.open(settings.withCookies(request), settings.options, limits, progress)
            settings.keepCookies(of: open)
            guard let next = RedirectRules.next(after: open.head.response, to: request) else {
                return try await give(open)
            }
            try await open.reader.skip(upTo: 1 << 20)
            #if canImport(Darwin)
            return await give([.redirect(next, open.head.response)])
            #else
            hops += 1
            guard hops <= cache.configuration.redirects else {
                throw URLError(.httpTooManyRedirects, failing: request.url)
            }
            request = next
            #endif
        }
    }

    /// Gives a response to the task as it arrives.
    private func give(_ open: OpenResponse) async throws {
        let head = Event.head(open.head.response)
        if let data = open.data { return await give([head] + (data.isEmpty ? [] : [.piece(data)]) + [.end]) }
        switch delivery {
        case .pieces:
            await give([head])
            while let piece = try await open.reader.next() { await give([.piece(piece)]) }
            await give([.end])
        case .whole:
            var data = Data()
            while let piece = try await open.reader.next() { data.append(piece) }
            await give([head] + (data.isEmpty ? [] : [.piece(data)]) + [.end])
        #if !canImport(Darwin)
        case .delegate(let task):
            await give([head])
            while let piece = try await open.reader.next() {
                await unpaused()
                try Task.checkCancellation()
                await task.give(piece) { [weak self] in self?.state.withLock { !$0.isCancelled } ?? false }
            }
            await unpaused()
            await give([.end])
        #endif
        }
    }
}

#if !canImport(Darwin)
/// A task whose session's delegate takes the body in pieces.
///
/// A protocol's client on Linux keeps the last piece alone for tasks with a completion handler, gives no sign which ones
/// these are, and takes pieces faster than the delegate does. So Foundation is looked into, and where that shows nothing,
/// the body is given whole. The delegate is called as the client would: by the session's queue of operations.
struct SessionTask: Sendable {
    private let session: URLSession
    private let task: URLSessionDataTask
    /// The delegate; nil if nobody takes the body.
    private let delegate: (any URLSessionDataDelegate)?

    /// Creates the form of a task, on the queue of its session; nil if the body is wanted whole.
    init?(_ task: URLSessionTask?) {
        guard let task = task as? URLSessionDataTask, let session = Self.session(of: task),
            let registry = Mirror(reflecting: session).descendant("taskRegistry"),
            let behaviours = Mirror(reflecting: registry).descendant("behaviours") as? any TasksByNumber,
            let behaviour = behaviours.value(task.taskIdentifier), "\(behaviour)" == "callDelegate"
        else { return nil }
        (self.session, self.task, delegate) = (session, task, session.delegate as? any URLSessionDataDelegate)
    }

    private static func session(of task: URLSessionTask) -> URLSession? {
        var mirror: Mirror? = Mirror(reflecting: task)
        while let known = mirror {
            if let session = known.descendant("session") { return session as? URLSession }
            mirror = known.superclassMirror
        }
        return nil
    }

    /// Gives a piece of the body to the delegate, and returns when it has taken it.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - isWanted: A closure that returns false if the task was cancelled meanwhile.
    func give(_ piece: Data, if isWanted: @escaping @Sendable () -> Bool) async {
        guard let delegate else { return }
        await withCheckedContinuation { continuation in
            session.delegateQueue.addOperation {
                if isWanted() { delegate.urlSession(session, dataTask: task, didReceive: piece) }
                continuation.resume()
            }
        }
    }
}

/// A dictionary whose keys are the numbers of tasks.
private protocol TasksByNumber {
    func value(_ number: Int) -> Any?
}

extension Dictionary: TasksByNumber where Key == Int {
    fileprivate func value(_ number: Int) -> Any? { self[number] }
}
#endif
