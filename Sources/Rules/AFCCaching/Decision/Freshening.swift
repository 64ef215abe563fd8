internal import AFCHTTP
public import HTTPTypes

/// The update of a stored response by a 304 or by the answer to a HEAD (RFC 9111 §3.2, §4.3.4, §4.3.5).
enum Freshening {
    /// Returns true if a 304 confirms the stored response that was to be revalidated (RFC 9111 §4.3.4).
    ///
    /// A 304 without validators does, since the request asked about no other.
    static func fits(_ fields: HTTPFields, _ stored: StoredResponse) -> Bool {
        let tags = fields[values: .eTag]
        if let tag = tags.first {
            guard tags.count == 1 else { return false }
            if let old = stored.fields[.eTag] { return isSameTag(tag, old) }
        }
        if let date = fields[.lastModified], tags.isEmpty || stored.fields[.eTag] == nil {
            return stored.fields[.lastModified].map { isSameDate(date, $0, stored.received) } ?? false
        }
        return tags.isEmpty
    }

    /// Returns true if the answer to a HEAD describes the stored response by its validators and length (RFC 9111
    /// §4.3.5).
    static func describes(_ fields: HTTPFields, _ stored: StoredResponse) -> Bool {
        if let tag = fields[.eTag] {
            guard let old = stored.fields[.eTag], isSameTag(tag, old) else { return false }
        }
        if let date = fields[.lastModified] {
            guard let old = stored.fields[.lastModified], isSameDate(date, old, stored.received) else { return false }
        }
        guard let length = fields[.contentLength] else { return true }
        // A package's body has no coding, so its length isn't the one that the origin sends.
        if stored.source == .package, fields.contains(.contentEncoding) { return true }
        return length == String(stored.size)
    }

    /// Returns true if two responses have the same strong validator (RFC 9110 §8.8.1), so that a 304 for one confirms
    /// the other.
    static func isSameStrong(_ fields: HTTPFields, _ stored: StoredResponse) -> Bool {
        guard let tag = fields[.eTag].flatMap({ EntityTag($0) }),
            let old = stored.fields[.eTag].flatMap({ EntityTag($0) })
        else { return false }
        return tag.strongMatches(old)
    }

    /// Returns the stored response with the fields of a newer answer (RFC 9111 §3.2).
    ///
    /// - Parameters:
    ///   - stored: The stored response.
    ///   - new: The answer's fields.
    ///   - requested: The time the request was sent.
    ///   - received: The time the answer was received.
    ///   - rules: The rules of the cache.
    /// - Returns: The updated response.
    static func updated(
        _ stored: StoredResponse,
        with new: HTTPFields,
        requested: Timestamp,
        received: Timestamp,
        rules: CachingRules
    ) -> StoredResponse {
        var new = new.storedFields
        if rules.sharing == .shared {
            new.removeFields(ResponseFacts(new, received: received, targets: rules.targets).control.privateFields)
        }
        if !new.contains(.date) { new[.date] = HTTPDate.format(received) }
        var updated = stored
        updated.fields.update(with: new)
        updated.fields.keepVary(of: stored.fields)
        updated.requested = requested
        updated.received = received
        let facts = ResponseFacts(updated.fields, received: received, targets: rules.targets)
        updated.assignedLifetime =
            Storing.assignedLifetime(facts, status: updated.status, rules) ?? updated.assignedLifetime
        return updated
    }

    private static func isSameTag(_ one: String, _ other: String) -> Bool {
        if one == other { return !FieldText.isDamaged(one) }
        guard let one = EntityTag(one), let other = EntityTag(other) else { return false }
        return one.weakMatches(other)
    }

    private static func isSameDate(_ one: String, _ other: String, _ now: Timestamp) -> Bool {
        if one == other { return true }
        guard let one = HTTPDate.parse(one, now: now), let other = HTTPDate.parse(other, now: now) else { return false }
        return one == other
    }
}

extension HTTPFields {
    /// Adds the names of an older Vary to a Vary that lacks them (RFC 9111 §4.1).
    ///
    /// The body was made for a request with those fields, and an update doesn't make it suit other requests.
    fileprivate mutating func keepVary(of older: HTTPFields) {
        let lines = self[values: .vary]
        guard let names = Vary.names(lines), let old = Vary.names(older[values: .vary]) else { return }
        let missing = old.filter { !names.contains($0) }
        guard !missing.isEmpty else { return }
        self[.vary] = (names + missing).map(\.rawName).joined(separator: ", ")
    }

    /// Replaces fields by those of an answer that confirmed the response (RFC 9111 §3.2).
    ///
    /// Fields that describe the stored bytes are kept. The old Age is removed, since it no longer applies.
    ///
    /// - Parameter answer: The answer's fields, without those of the connection.
    public mutating func update(with answer: HTTPFields) {
        let new = answer.filter { !Self.ofBytes.contains($0.name.canonicalName) }
        let names = Set(new.map(\.name.canonicalName))
        removeAll { names.contains($0.name.canonicalName) || $0.name == .age }
        append(contentsOf: new)
    }

    private static let ofBytes: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-digest", "content-md5",
    ]
}
