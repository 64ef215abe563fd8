internal import AFCHTTP
internal import HTTPTypes

extension Forwarding {
    /// Returns the client's request with its own conditions.
    static func unconditional(
        _ request: CacheRequest,
        _ head: RequestHead,
        _ reason: CacheStatus.Forward
    ) -> Forwarding {
        Forwarding(
            fields: request.fields.withoutConnectionFields,
            reason: reason,
            isCollapsible: isCollapsible(request, head) && !head.hasConditions
        )
    }

    /// Returns the client's request with the validators of a stored response in place of its conditions (RFC 9111
    /// §4.3.1).
    ///
    /// If the response has no validators, the request is unchanged.
    static func validating(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead,
        _ reason: CacheStatus.Forward
    ) -> Forwarding {
        guard candidate.head.hasValidator else { return unconditional(request, head, reason) }
        var fields = request.fields.withoutConnectionFields
        fields[.ifNoneMatch] = candidate.head.entityTag
        fields[.ifModifiedSince] = candidate.head.lastModified
        return Forwarding(
            fields: fields,
            validating: candidate.index,
            reason: reason,
            isCollapsible: isCollapsible(request, head)
        )
    }

    /// Returns a background revalidation of the whole response, whatever part of it the client wants (RFC 5861 §3).
    static func behind(_ candidate: Candidate, _ request: CacheRequest, _ head: RequestHead) -> Forwarding {
        var request = request
        var head = head
        if candidate.response.status != 206 {
            request.fields[.range] = nil
            request.fields[.ifRange] = nil
            head.range = nil
        }
        if !candidate.head.hasValidator {
            request.fields[.ifNoneMatch] = nil
            request.fields[.ifModifiedSince] = nil
            head.hasIfNoneMatch = false
            head.hasIfModifiedSince = false
        }
        return validating(candidate, request, head, .stale)
    }

    /// Returns the client's request without any condition, after a 304 that couldn't be used (RFC 9111 §4.3.4).
    static func again(_ request: CacheRequest, _ head: RequestHead, _ reason: CacheStatus.Forward) -> Forwarding {
        var fields = request.fields.withoutConnectionFields
        fields[.ifNoneMatch] = nil
        fields[.ifModifiedSince] = nil
        return Forwarding(fields: fields, reason: reason, isCollapsible: isCollapsible(request, head))
    }

    private static func isCollapsible(_ request: CacheRequest, _ head: RequestHead) -> Bool {
        request.method == .get && head.range == nil && !head.hasOriginConditions && !head.hasAuthorization
            && !head.control.isNoStore
    }
}
