internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The state machine that decides the next action of an HTTP/1 connection after each event.
///
/// It does no I/O and reads no clock: the functions take an event and return the action for the connection to perform.
/// One read may bring several requests; while one is being answered, only its body is read further.
/// It isn't copyable, since reading a property would otherwise copy all of it on each request.
struct HTTP1StateMachine: ~Copyable {
    /// A request that waits for its turn, or is being answered.
    struct Request {
        var head: HTTPRequestHead
        var body: RequestBody?
        /// The bytes of the head, if it came in one piece.
        var bytes: ByteBuffer?
    }

    /// The next action of the connection.
    enum Action {
        case none
        /// Answer a request, whose turn it is.
        case begin(Request)
        /// Answer malformed input with a status, and close after it.
        case refuse(HTTPResponse.Status)
        /// Close this side after all that was written, and wait a little for the client to close its own.
        case finish
        /// End the connection at once.
        case cut
        /// End it unless the answer begins soon: a client that has closed its side may be gone, and only sending would
        /// tell.
        case cutUnlessAnswered
        /// Call ``next()`` in a later turn of the loop, since a thousand pipelined requests would otherwise nest as
        /// deeply.
        case askLater
        /// Resume reading that was held back.
        case read
    }

    /// The form in which an answer is sent.
    struct AnswerForm {
        var framing: HeadWriter.Framing
        var persistence: HeadWriter.Persistence
        var hasBody: Bool
        /// The request, if an equal one may later get the same bytes.
        var repeatable: Request?
    }

    /// The stage of the connection.
    enum Fate {
        /// More requests may come.
        case open
        /// Input is discarded until the client closes its side.
        case lingering
        /// About to be handed over.
        case leaving
        /// Handed over: bytes pass through.
        case handedOver
    }

    /// The progress of a body that ends with the connection.
    private enum OpenEnd {
        /// There is none.
        case none
        /// More of it will be handed over.
        case sending
        /// All of it was handed over.
        case sent
    }

    /// The most bytes of an unwanted body that are read and discarded.
    private let lingerBytes: Int
    private(set) var fate = Fate.open
    private var intake = BodyIntake()
    private var waiting = CircularBuffer<Request>(initialCapacity: 2)
    /// The request that is being answered.
    private var current: Request?
    /// True if the answer to the current request has begun.
    private var isAnswered = false
    /// The status for input that isn't HTTP, and that came after the waiting requests.
    private var refusal: HTTPResponse.Status?
    private(set) var isInputClosed = false
    private var isQuiescing = false
    private var openEnd = OpenEnd.none
    /// True if the connection closes after the current answer.
    private var closesAfterCurrent = false
    /// True if the current answer is chunked.
    private(set) var isChunked = false
    /// True if there is room for more in the socket or its buffer.
    private(set) var isWritable = true

    init(lingerBytes: Int) { self.lingerBytes = lingerBytes }

    // MARK: State

    var isOpen: Bool { fate == .open }
    var isLingering: Bool { fate == .lingering }
    var isHandedOver: Bool { fate == .handedOver }
    var isAnswering: Bool { current != nil }
    /// True if no request is being read or answered.
    var isIdle: Bool { current == nil && waiting.isEmpty && fate == .open && refusal == nil }
    /// True if a request that arrives now is answered at once.
    var isFree: Bool { isIdle && isWritable && !isQuiescing }
    /// True if an answer may be repeated from memory.
    var mayRepeat: Bool { !isQuiescing }
    /// True if bytes of a request's body are expected.
    var isBodyDue: Bool { intake.isDue }
    /// True if nothing happens but that a request's body arrives.
    var isOnlyReceiving: Bool { fate == .open && intake.isDue && current != nil && !isAnswered }
    /// The bytes of bodies received; an unwanted body doesn't count, so sending it doesn't keep the connection open.
    var received: Int { fate == .lingering ? 0 : intake.received }

    /// True if more may be read.
    ///
    /// A client that sends requests but reads no answers must not fill the memory with them.
    var mayRead: Bool {
        switch fate {
        case .open: intake.isArriving ? intake.isDue : current == nil && waiting.isEmpty && isWritable
        case .lingering: intake.received < lingerBytes
        case .leaving: false
        case .handedOver: true
        }
    }

    // MARK: Reading

    /// Handles a head.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - bytes: The bytes of the head, if it came in one piece.
    ///   - body: Creates the body on its way to the responder.
    /// - Returns: The next action.
    mutating func read(_ head: HTTPRequestHead, bytes: ByteBuffer?, body: () -> IncomingBody) -> Action {
        switch fate {
        case .open where refusal == nil: break
        case .open, .lingering, .leaving, .handedOver: return .none
        }
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

    /// Handles bytes of a body.
    mutating func read(_ bytes: ByteBuffer) { intake.take(bytes) }

    /// Handles the end of a request.
    ///
    /// - Returns: True if the next byte certainly begins a request.
    mutating func readEnd() -> Bool {
        if intake.end() { return false }
        return fate == .open && (waiting.last ?? current)?.body == nil
    }

    /// Handles the responder's demand for bytes of the body.
    ///
    /// - Returns: True if the client must be told to send them (RFC 9110 §10.1.1): not after a final answer, and only
    ///   for the request whose turn it is.
    mutating func wantBody() -> Bool {
        switch fate {
        case .open: intake.demand(mayContinue: waiting.isEmpty && current != nil && !isAnswered)
        case .lingering, .leaving, .handedOver: false
        }
    }

    /// Handles input that isn't HTTP, after which nothing more of the connection can be understood.
    ///
    /// If the input was the body of the last request, that request gets one answer, which is the last.
    ///
    /// - Parameter error: The error for the readers of the body.
    /// - Returns: True if the current request is abandoned, and the next action.
    mutating func parserFailed(_ error: any Error) -> (givesUp: Bool, action: Action) {
        switch fate {
        case .open: break
        case .lingering, .leaving, .handedOver: return (false, .none)
        }
        let isTooLarge = error as? HTTPParserError == .headerOverflow
        refusal = refusal ?? (isTooLarge ? .requestHeaderFieldsTooLarge : .badRequest)
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
        // Requests may wait although none is being answered: for room in the socket.
        return (givesUp, current == nil && waiting.isEmpty ? refuse() : .none)
    }

    /// Handles a client that has closed its side.
    mutating func inputClosed() -> Action {
        isInputClosed = true
        intake.fail(RequestCutShort())
        switch fate {
        case .open: return isIdle ? .finish : current != nil && !isAnswered ? .cutUnlessAnswered : .none
        case .lingering, .leaving, .handedOver: return .none
        }
    }

    // MARK: Turns

    private mutating func begin(_ request: Request) -> Action {
        current = request
        isAnswered = false
        return .begin(request)
    }

    private func refuse() -> Action { refusal.map { .refuse($0) } ?? .none }

    /// Notes that the current request was answered from memory.
    mutating func answeredFromMemory() -> Action {
        current = nil
        return following
    }

    /// Handles the end of the current answer.
    mutating func answerEnded(isComplete: Bool) -> Action {
        current = nil
        switch fate {
        case .open where isComplete: break
        case .open: return .cut
        case .lingering, .leaving, .handedOver: return .none
        }
        if openEnd == .sending { openEnd = .sent }
        return closesAfterCurrent ? .finish : following
    }

    private var following: Action {
        waiting.isEmpty && refusal == nil && !isInputClosed && !isQuiescing ? .read : .askLater
    }

    /// Decides on the next turn.
    mutating func next() -> Action {
        switch fate {
        case .open where current == nil && (isWritable || waiting.isEmpty): break
        case .open, .lingering, .leaving, .handedOver: return .none
        }
        if let request = waiting.popFirst() { return begin(request) }
        if refusal != nil { return refuse() }
        return isInputClosed || isQuiescing ? .finish : .read
    }

    /// Notes a change of the room in the socket.
    mutating func writabilityChanged(_ isWritable: Bool) { self.isWritable = isWritable }

    /// The action once there is room again and all waiting bytes are sent.
    var actionWithRoom: Action {
        switch fate {
        case .open: current == nil ? following : .none
        case .lingering, .leaving, .handedOver: .none
        }
    }

    // MARK: Answers

    /// Begins the answer to the current request.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - length: The length of its body, if there is one and its length is known.
    /// - Returns: The form in which it is sent; nil if no request is being answered.
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
            // RFC 9112 §6.1 allows the coding of a body that isn't sent, but some clients would wait for chunks.
            case .stream where !hasBody: framing = .length(answer.statedLength)
            case .stream:
                framing = isOld ? .untilClose : .chunked
                if isOld { persists = false }
            // Without a length, a client would wait for the end of the connection.
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

    /// Returns true if another request can follow the current one.
    ///
    /// A body that wasn't read to its end closes the connection, so that no bytes of it are read as a request (RFC 9112
    /// §9.3).
    private func persists(after request: Request) -> Bool {
        let head = request.head
        guard fate == .open, !isQuiescing, head.isKeepAlive, !head.mayUpgrade else { return false }
        // RFC 9112 §6.1: a recipient on the way may have misunderstood the framing.
        if head.version.isBefore11, head.headers.contains(name: "transfer-encoding") { return false }
        guard request.body != nil else { return true }
        let isArriving = intake.isArriving && waiting.isEmpty
        return !isArriving && head.method != .GET && head.method != .HEAD
    }

    // MARK: Ending

    /// Closes this side.
    ///
    /// - Returns: False if it was already closed.
    mutating func linger() -> Bool {
        switch fate {
        case .open:
            fate = .lingering
            intake.forgetCount()
            return true
        case .lingering, .leaving, .handedOver: return false
        }
    }

    /// Ends the connection at once.
    ///
    /// A body that ends with the connection looks complete to a client that sees a proper close, so it is reset
    /// instead.
    ///
    /// - Parameter hasUnsentBytes: Returns true if bytes wait for room in the socket.
    /// - Returns: True if the connection is reset.
    mutating func cut(hasUnsentBytes: () -> Bool) -> Bool {
        fate = .lingering
        return openEnd == .sending || openEnd == .sent && hasUnsentBytes()
    }

    /// Stops accepting requests; those already received are answered.
    mutating func quiesce(hasUnsentBytes: () -> Bool) -> Action {
        isQuiescing = true
        guard isIdle else { return .none }
        return hasUnsentBytes() ? .finish : .cut
    }

    /// Notes that the connection has ended.
    mutating func end() {
        switch fate {
        case .open, .leaving: fate = .lingering
        case .lingering, .handedOver: break
        }
        waiting.removeAll()
        intake.fail(RequestCutShort())
        current = nil
    }

    /// True if the connection may be handed over after the current answer.
    var mayLeave: Bool {
        switch fate {
        case .open: !intake.isArriving && waiting.isEmpty && refusal == nil && current?.head.mayUpgrade ?? false
        case .leaving: true
        case .lingering, .handedOver: false
        }
    }

    /// Prepares to hand the connection over after the answer.
    ///
    /// - Returns: False if other bytes followed the request, or may still follow.
    mutating func leave() -> Bool {
        switch fate {
        case .open where !intake.isArriving && waiting.isEmpty && refusal == nil:
            fate = .leaving
            return true
        case .open, .lingering, .leaving, .handedOver: return false
        }
    }

    /// Notes that the connection has been handed over; false if it ended meanwhile.
    mutating func handOver() -> Bool {
        switch fate {
        case .leaving:
            fate = .handedOver
            return true
        case .open, .lingering, .handedOver: return false
        }
    }
}

extension HTTPResponse.Status {
    /// True if the status allows a body (RFC 9112 §6.3).
    var mayHaveBody: Bool { code >= 200 && code != 204 && code != 304 }

    /// True if Content-Length may be sent (RFC 9110 §8.6).
    ///
    /// In a 304 it would have to be that of the 200, which isn't always known, and caches that believe another one store it.
    var mayHaveLength: Bool { code >= 200 && code != 204 && code != 304 }
}
