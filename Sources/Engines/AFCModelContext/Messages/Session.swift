internal import AFCText

/// The phase of a connection with one client (specification 2025-11-25, Lifecycle).
package enum SessionPhase: CaseIterable, Sendable {
    /// Nobody has introduced itself.
    case new
    /// The server has answered the client's introduction.
    case greeted
    /// The client has confirmed the answer.
    case ready
}

/// What a message means for the phase of a connection.
enum SessionEvent: CaseIterable, Sendable {
    /// The request that begins a session.
    case initialize
    /// The notification that the client is ready.
    case initialized
    /// A request that asks for nothing but an answer.
    case ping
    /// Any other request of a session.
    case request
    /// A request that states its own revision.
    case statelessRequest
    /// The notification that nobody waits for an answer any more.
    case cancelled
    /// Any other notification, or an answer to nothing.
    case other
}

/// What is done with a message.
enum SessionAction: Sendable, Equatable {
    /// Answer the introduction.
    case greet
    /// Answer the request.
    case answer
    /// Answer the request by the revision that it states.
    case answerStateless
    /// Stop working on a request.
    case cancel
    /// Refuse the request, since nobody has introduced itself.
    case refuseEarly
    /// Refuse a second introduction.
    case refuseAgain
    /// Do nothing.
    case ignore
}

extension SessionPhase {
    /// Returns the next phase, and what is done.
    ///
    /// A client may send requests as soon as its introduction was answered: over HTTP its confirmation may overtake
    /// them. A request that states its own revision never needs a session.
    ///
    /// - Parameter event: The message.
    /// - Returns: Both.
    func next(_ event: SessionEvent) -> (phase: SessionPhase, action: SessionAction) {
        switch (self, event) {
        case (.new, .initialize): (.greeted, .greet)
        case (.new, .initialized): (.new, .ignore)
        case (.new, .ping): (.new, .answer)
        case (.new, .request): (.new, .refuseEarly)
        case (.new, .statelessRequest): (.new, .answerStateless)
        case (.new, .cancelled): (.new, .cancel)
        case (.new, .other): (.new, .ignore)

        case (.greeted, .initialize): (.greeted, .refuseAgain)
        case (.greeted, .initialized): (.ready, .ignore)
        case (.greeted, .ping): (.greeted, .answer)
        case (.greeted, .request): (.greeted, .answer)
        case (.greeted, .statelessRequest): (.greeted, .answerStateless)
        case (.greeted, .cancelled): (.greeted, .cancel)
        case (.greeted, .other): (.greeted, .ignore)

        case (.ready, .initialize): (.ready, .refuseAgain)
        case (.ready, .initialized): (.ready, .ignore)
        case (.ready, .ping): (.ready, .answer)
        case (.ready, .request): (.ready, .answer)
        case (.ready, .statelessRequest): (.ready, .answerStateless)
        case (.ready, .cancelled): (.ready, .cancel)
        case (.ready, .other): (.ready, .ignore)
        }
    }
}

/// The conversation with one client, as a pure value: it says what is done with each message.
package struct Session: Sendable {
    /// What is done with a message.
    package enum Step: Sendable, Equatable {
        /// Answer the request, by the rules of a revision.
        case work(Message.Request, ProtocolVersion)
        /// Answer at once with an error.
        case refuse(MessageError)
        /// Stop working on a request, whose answer is no longer sent.
        case cancel(MessageID)
        /// Do nothing.
        case nothing
    }

    /// The phase.
    package private(set) var phase = SessionPhase.new
    /// The negotiated revision; of a new session, the one that counts for requests without any.
    package private(set) var version = ProtocolVersion.march2025

    /// Creates a session in which nobody has introduced itself.
    package init() {}

    /// Takes a message.
    ///
    /// - Parameter message: The message.
    /// - Returns: What is done with it.
    package mutating func take(_ message: Message) -> Step {
        let (next, action) = phase.next(Self.event(message))
        phase = next
        guard case .request(let request) = message else {
            guard action == .cancel, case .notification(_, let parameters) = message,
                let id = MessageID(parameters["requestId"])
            else { return .nothing }
            return .cancel(id)
        }
        switch action {
        case .greet:
            guard let asked = request.parameters["protocolVersion"]?.string else {
                phase = .new
                let words = "'initialize' needs a 'protocolVersion'"
                return .refuse(MessageError(.invalidParameters, words, id: request.id))
            }
            version = .negotiated(asked)
            return .work(request, version)
        case .answer: return .work(request, version)
        case .answerStateless:
            let stated = request.statedVersion ?? ""
            guard let known = ProtocolVersion(rawValue: stated), known.isStateless else {
                var error = MessageError.unsupported(stated)
                error.id = request.id
                return .refuse(error)
            }
            return .work(request, known)
        case .refuseEarly:
            // What the method can't be tells a client of another era more than the order of messages.
            guard ContextServer.isMethod(request.method) else {
                var error = MessageError.unknownMethod(request.method)
                error.id = request.id
                return .refuse(error)
            }
            return .refuse(MessageError(.invalidRequest, "the session begins with 'initialize'", id: request.id))
        case .refuseAgain:
            return .refuse(MessageError(.invalidRequest, "the session has begun already", id: request.id))
        case .cancel, .ignore: return .nothing
        }
    }

    private static func event(_ message: Message) -> SessionEvent {
        switch message {
        case .request(let request) where request.method == "initialize": .initialize
        case .request(let request) where request.statedVersion != nil: .statelessRequest
        case .request(let request): request.method == "ping" ? .ping : .request
        case .notification("notifications/initialized", _): .initialized
        case .notification("notifications/cancelled", _): .cancelled
        case .notification, .response: .other
        }
    }
}
