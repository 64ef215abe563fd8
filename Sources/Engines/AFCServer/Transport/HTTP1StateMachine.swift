internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Decides what a connection of HTTP/1 does next, from what is read, answered and closed.
///
/// It does no I/O and reads no clock: the functions take what has happened, and return the action that the connection performs.
/// What was read together may hold several requests; nothing more is read while one is being answered, but for its body.
/// It can't be copied, as reading one of its properties copied all of it otherwise, on each request.
struct HTTP1StateMachine: ~Copyable {
    /// A request that waits for its turn, or is being answered.
    struct Request {
        var head: HTTPRequestHead
        var body: RequestBody?
        /// The head as it came, where it came in one piece.
        var bytes: ByteBuffer?
    }

    /// The next thing to do.
    enum Action {
        case none
        /// Answer a request, whose turn it is.
        case begin(Request)
        /// Say with a status that what came can't be understood, and close behind that.
        case refuse(HTTPResponse.Status)
        /// Close this side behind all that was written, and wait a little for the client to close its own.
        case finish
        /// End the connection at once.
        case cut
        /// End it unless the answer begins soon: a client that has closed its side may be gone, and only sending would tell.
        case cutUnlessAnswered
        /// Ask for ``next()`` in a later turn of the loop, or a thousand requests at once would nest as deep.
        case askLater
        /// Read, where that was held back.
        case read
    }

    /// The form in which an answer goes out.
    struct AnswerForm {
        var framing: HeadWriter.Framing
        var persistence: HeadWriter.Persistence
        var hasBody: Bool
        /// The request, where a later one that is the same may get the same bytes.
        var repeatable: Request?
    }

    /// What becomes of the connection.
    private enum Fate {
        /// More requests may come.
        case open
        /// What comes is thrown away until the client closes its side.
        case lingering
        /// About to be given away.
        case leaving
        /// Given away: bytes pass through.
        case handedOver
    }

    /// How far a body is whose end is that of the connection.
    private enum OpenEnd {
        /// There is none.
        case none
        /// More of it will be handed over.
        case sending
        /// All of it was handed over.
        case sent
    }

    /// The bytes that are thrown away of a body that nobody wants.
    private let lingerBytes: Int
    private var fate = Fate.open
    private var intake = BodyIntake()
    private var waiting = CircularBuffer<Request>(initialCapacity: 2)
    /// The request that is being answered.
    private var current: Request?
    /// Whether the answer to the current request has begun.
    private var isAnswered = false
    /// What is said of something that isn't HTTP, and came after the requests that wait.
    private var refusal: HTTPResponse.Status?
    private var isInputClosed = false
    private var isQuiescing = false
    private var openEnd = OpenEnd.none
    /// Whether the connection ends with the answer that is being sent.
    private var closesAfterCurrent = false
    /// Whether the answer that is being sent is chunked.
    private(set) var isChunked = false
    /// Whether there is room for more in the socket, or before it.
    private(set) var isWritable = true

    init(lingerBytes: Int) { self.lingerBytes = lingerBytes }

    // MARK: What can be seen

    var isOpen: Bool { fate == .open }
    var isLingering: Bool { fate == .lingering }
    var isHandedOver: Bool { fate == .handedOver }
    var isAnswering: Bool { current != nil }
    /// Whether no request is being read or answered.
    var isIdle: Bool { current == nil && waiting.isEmpty && fate == .open && refusal == nil }
    /// Whether a request that comes now is answered at once.
    var isFree: Bool { isIdle && isWritable && !isQuiescing }
    /// Whether an answer may be repeated from memory.
    var mayRepeat: Bool { !isQuiescing }
    /// Whether bytes of a request's body are due.
    var isBodyDue: Bool { intake.isDue }
    /// The bytes of bodies that came; a client that keeps sending an unwanted body holds nobody up.
    var received: Int { fate == .lingering ? 0 : intake.received }

    /// Whether more may be read.
    ///
    /// A client that sends requests and takes no answers must not fill the memory with them.
    var mayRead: Bool {
        switch fate {
        case .open: intake.isArriving ? intake.isDue : current == nil && waiting.isEmpty && isWritable
        case .lingering: intake.received < lingerBytes
        case .leaving: false
        case .handedOver: true
        }
    }

    // MARK: What is read

    /// A head came.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - bytes: The same as it came, where it came in one piece.
    ///   - body: Makes the way of its body to whoever answers.
    /// - Returns: What to do.
    mutating func read(_ head: HTTPRequestHead, bytes: ByteBuffer?, body: () -> IncomingBody) -> Action {
        guard fate == .open, refusal == nil else { return .none }
        if head.hasUnknownCoding {
            refusal = .notImplemented
            return current == nil && waiting.isEmpty ? refuse() : .none
        }
        var request = Request(head: head, bytes: bytes)
        if head.hasBody {
            let incoming = body()
            request.body = incoming.body
            intake.begin(incoming, awaitsContinue: !head.version.isBefore11 && head.expectsContinue)
        }
        guard current == nil, waiting.isEmpty, isWritable else {
            waiting.append(request)
            return .none
        }
        return begin(request)
    }

    /// Bytes of a body came.
    mutating func read(_ bytes: ByteBuffer) { intake.take(bytes) }

    /// A request has ended.
    ///
    /// - Returns: Whether the next byte begins a request for sure.
    mutating func readEnd() -> Bool {
        if intake.end() { return false }
        return fate == .open && (waiting.last ?? current)?.body == nil
    }

    /// Whoever answers asks for bytes of the body.
    ///
    /// - Returns: Whether the client must be told to send them (RFC 9110 §10.1.1): not after a final answer, and only for the
    ///   request whose turn it is.
    mutating func wantBody() -> Bool {
        guard fate == .open else { return false }
        return intake.demand(mayContinue: waiting.isEmpty && current != nil && !isAnswered)
    }

    /// What came is no HTTP, so that nothing of the connection can be understood from here on.
    ///
    /// Where it was the body of the last request, that request gets one answer, which is the last.
    ///
    /// - Parameter error: Tells those who read the body.
    /// - Returns: Whether the current request is given up, and what to do.
    mutating func parserFailed(_ error: any Error) -> (givesUp: Bool, action: Action) {
        refusal = refusal ?? .badRequest
        var givesUp = false
        if intake.isArriving {
            intake.fail(error)
            if !waiting.isEmpty {
                // It never begins; the refusal is its answer.
                waiting.removeLast()
            } else if current != nil, !isAnswered {
                givesUp = true
                current = nil
            } else {
                closesAfterCurrent = true
            }
        }
        return (givesUp, current == nil ? refuse() : .none)
    }

    /// The client has closed its side.
    mutating func inputClosed() -> Action {
        isInputClosed = true
        intake.fail(RequestCutShort())
        if isIdle { return .finish }
        return current != nil && !isAnswered ? .cutUnlessAnswered : .none
    }

    // MARK: Turns

    private mutating func begin(_ request: Request) -> Action {
        current = request
        isAnswered = false
        return .begin(request)
    }

    private func refuse() -> Action { fate == .open ? refusal.map { .refuse($0) } ?? .none : .none }

    /// The current request was answered from memory.
    mutating func answeredFromMemory() -> Action {
        current = nil
        return following
    }

    /// The answer to the current request has ended.
    mutating func answerEnded(isComplete: Bool) -> Action {
        current = nil
        guard fate == .open else { return .none }
        guard isComplete else { return .cut }
        if openEnd == .sending { openEnd = .sent }
        return closesAfterCurrent ? .finish : following
    }

    private var following: Action {
        waiting.isEmpty && refusal == nil && !isInputClosed && !isQuiescing ? .read : .askLater
    }

    /// Decides on the next turn.
    mutating func next() -> Action {
        guard fate == .open, current == nil, isWritable || waiting.isEmpty else { return .none }
        if let request = waiting.popFirst() { return begin(request) }
        if refusal != nil { return refuse() }
        return isInputClosed || isQuiescing ? .finish : .read
    }

    /// There is room in the socket, or there is none any more.
    mutating func writabilityChanged(_ isWritable: Bool) { self.isWritable = isWritable }

    /// What to do once there is room again, and whoever waited for it has sent.
    var actionWithRoom: Action { current == nil ? following : .none }

    // MARK: Answers

    /// The answer to the current request begins.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - length: The length of its body, where it is known and there is one.
    /// - Returns: The form in which it goes out; nil where nobody is being answered.
    mutating func beginAnswer(_ answer: ServerAnswer, length: Int64?) -> AnswerForm? {
        guard let current else { return nil }
        isAnswered = true
        let isHead = current.head.method == .HEAD
        let isOld = current.head.version.isBefore11
        let hasBody = !isHead && answer.status.mayHaveBody
        var persists = persists(after: current)
        var framing = HeadWriter.Framing.length(length)
        if !answer.status.mayHaveLength {
            framing = .length(nil)
        } else if length == nil {
            switch answer.body {
            // RFC 9112 §6.1 allows the coding of the body that isn't there, but some clients wait for chunks.
            case .stream where !hasBody: framing = .length(answer.statedLength)
            case .stream:
                framing = isOld ? .untilClose : .chunked
                if isOld { persists = false }
            // Without a length a client would wait for the end of the connection.
            case .none, .bytes, .stored: framing = .length(answer.statedLength ?? (isHead ? nil : 0))
            }
        }
        isChunked = framing == .chunked
        openEnd = framing == .untilClose ? .sending : .none
        closesAfterCurrent = !persists
        let persistence: HeadWriter.Persistence = persists ? (isOld ? .keepAlive : .implied) : .close
        return AnswerForm(
            framing: framing,
            persistence: persistence,
            hasBody: hasBody,
            repeatable: persistence == .implied && current.body == nil ? current : nil
        )
    }

    /// Whether a request can follow the one that is being answered.
    ///
    /// A body that wasn't read to its end ends the connection, so that nothing can hide behind it (RFC 9112 §9.3).
    private func persists(after request: Request) -> Bool {
        let head = request.head
        guard fate == .open, !isQuiescing, head.isKeepAlive, !head.mayUpgrade else { return false }
        // RFC 9112 §6.1: the framing may have been misunderstood on the way.
        if head.version.isBefore11, head.headers.contains(name: "transfer-encoding") { return false }
        guard request.body != nil else { return true }
        let isArriving = intake.isArriving && waiting.isEmpty
        return !isArriving && head.method != .GET && head.method != .HEAD
    }

    // MARK: Ends

    /// This side closes.
    ///
    /// - Returns: False where it has already.
    mutating func linger() -> Bool {
        guard fate == .open else { return false }
        fate = .lingering
        intake.forgetCount()
        return true
    }

    /// The connection ends at once.
    ///
    /// A body whose end is that of the connection is whole for a client that sees a proper end, and so it mustn't.
    ///
    /// - Parameter hasUnsentBytes: Whether something waits for room in the socket.
    /// - Returns: Whether it is reset.
    mutating func cut(hasUnsentBytes: () -> Bool) -> Bool {
        fate = .lingering
        return openEnd == .sending || openEnd == .sent && hasUnsentBytes()
    }

    /// No more requests are answered but for those that came.
    mutating func quiesce(hasUnsentBytes: () -> Bool) -> Action {
        isQuiescing = true
        guard isIdle else { return .none }
        return hasUnsentBytes() ? .finish : .cut
    }

    /// The connection has ended.
    mutating func end() {
        if fate == .open { fate = .lingering }
        waiting.removeAll()
        intake.fail(RequestCutShort())
        current = nil
    }

    /// The connection is given away behind the answer.
    ///
    /// - Returns: False where something else came behind the request, or still comes.
    mutating func leave() -> Bool {
        guard fate == .open, !intake.isArriving, waiting.isEmpty else { return false }
        fate = .leaving
        return true
    }

    /// The connection has been given away, unless it ended meanwhile.
    mutating func handOver() -> Bool {
        guard fate == .leaving else { return false }
        fate = .handedOver
        return true
    }
}

extension HTTPResponse.Status {
    /// Whether a body may follow by the status (RFC 9112 §6.3).
    var mayHaveBody: Bool { code >= 200 && code != 204 && code != 304 }

    /// Whether Content-Length may be sent (RFC 9110 §8.6).
    var mayHaveLength: Bool { code >= 200 && code != 204 }
}
