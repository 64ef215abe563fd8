internal import AFCText

/// The sessions of clients over HTTP: bounded in number and in idle time.
struct SessionTable {
    /// The limits.
    enum Limits {
        /// The sessions; a further one takes the place of the one that was idle longest.
        static let count = 128
        /// The seconds after which an unused session ends.
        static let idle = 30 * 60
    }

    private struct Entry {
        var session: Session
        var used: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    /// The number of sessions.
    var count: Int { entries.count }

    /// Adds a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - now: The time.
    /// - Returns: Its identifier, of 128 random bits.
    mutating func add(_ session: Session, at now: ContinuousClock.Instant) -> String {
        removeIdle(at: now)
        if entries.count >= Limits.count, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
            entries[oldest.key] = nil
        }
        let id = QuotedText().mark
        entries[id] = Entry(session: session, used: now)
        return id
    }

    /// Gives a message to a session.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - id: The identifier of the session.
    ///   - now: The time.
    /// - Returns: What is done with the message; nil if there is no such session.
    mutating func take(_ message: Message, in id: String, at now: ContinuousClock.Instant) -> Session.Step? {
        removeIdle(at: now)
        guard var entry = entries[id] else { return nil }
        let step = entry.session.take(message)
        entry.used = now
        entries[id] = entry
        return step
    }

    /// Returns the revision of a session; nil if there is no such session.
    func version(of id: String) -> ProtocolVersion? { entries[id]?.session.version }

    /// Ends a session.
    ///
    /// - Returns: False if there is none with the identifier.
    mutating func end(_ id: String) -> Bool { entries.removeValue(forKey: id) != nil }

    private mutating func removeIdle(at now: ContinuousClock.Instant) {
        entries = entries.filter { now - $0.value.used < .seconds(Limits.idle) }
    }
}
