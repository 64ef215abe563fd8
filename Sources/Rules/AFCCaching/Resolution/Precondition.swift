internal import AFCHTTP
public import HTTPTypes

/// The result of a request's conditions for the stored response (RFC 9110 §13).
public enum Precondition: Equatable, Sendable {
    /// The conditions hold, or there are none.
    case proceed
    /// The client already has the response: 304.
    case notModified
    /// A condition of the client doesn't hold: 412.
    case failed

    /// Evaluates the conditions in the order of RFC 9110 §13.2.2, for GET and HEAD.
    public static func evaluate(_ request: HTTPFields, against response: StoredResponse) -> Precondition {
        // Without Last-Modified, the response is as new as its Date (RFC 9111 §4.3.2).
        let stated = response.fields[.lastModified].flatMap { HTTPDate.parse($0, now: response.received) }
        let lastModified: Timestamp? = stated ?? response.date
        let tag = response.entityTag
        if !request[values: .ifMatch].isEmpty {
            guard matches(request[values: .ifMatch], tag, by: { $0.strongMatches($1) }) else { return .failed }
        } else if let date = request[.ifUnmodifiedSince].flatMap({ HTTPDate.parse($0, now: response.received) }),
            let lastModified, lastModified > date
        {
            return .failed
        }
        if !request[values: .ifNoneMatch].isEmpty {
            let values = request[values: .ifNoneMatch]
            let isMatch = matches(values, tag, by: { $0.weakMatches($1) }) || isSameMalformed(values, response)
            return isMatch ? .notModified : .proceed
        }
        if let date = request[.ifModifiedSince].flatMap({ HTTPDate.parse($0, now: response.received) }),
            let lastModified, lastModified <= date
        {
            return .notModified
        }
        return .proceed
    }

    /// Returns true if a Range field applies: there is no If-Range, or its validator is the stored one (RFC 9110
    /// §13.1.5).
    ///
    /// A date applies only if it equals Last-Modified and is a strong validator, which it
    /// is if the response was made at least a second later (RFC 9110 §8.8.2.2).
    public static func allowsRange(_ request: HTTPFields, against response: StoredResponse) -> Bool {
        guard let text = request[.ifRange] else { return true }
        if let tag = EntityTag(text) { return response.entityTag.map { $0.strongMatches(tag) } ?? false }
        guard let date = HTTPDate.parse(text, now: response.received),
            let lastModified = response.fields[.lastModified].flatMap({ HTTPDate.parse($0, now: response.received) })
        else { return false }
        return date == lastModified && response.date > lastModified
    }

    /// Returns true if a client has exactly the text of a malformed tag that its origin sends.
    private static func isSameMalformed(_ values: [String], _ response: StoredResponse) -> Bool {
        guard let text = response.fields[.eTag], EntityTag(text) == nil, !FieldText.isDamaged(text) else {
            return false
        }
        return values == [text]
    }

    private static func matches(
        _ values: [String],
        _ tag: EntityTag?,
        by isMatch: (EntityTag, EntityTag) -> Bool
    ) -> Bool {
        let texts = values.flatMap { FieldText.list($0, hasEscapes: false) }
        if texts == ["*"] { return true }
        for text in texts {
            if let tag, let other = EntityTag(text), isMatch(other, tag) { return true }
        }
        return false
    }
}
