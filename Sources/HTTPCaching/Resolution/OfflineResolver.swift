public import HTTPTypes

/// Answers a request from the store alone, as RFC 9111 lets a disconnected cache do.
public enum OfflineResolver {
    /// Decides the answer to a request.
    ///
    /// - Parameters:
    ///   - method: The request's method; all but GET and HEAD are refused.
    ///   - request: The request's fields.
    ///   - stored: What the store has for the URL, or nil.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The head of the answer, and which bytes follow.
    public static func resolve(
        method: HTTPRequest.Method,
        request: HTTPFields,
        stored: StoredResponse?,
        now: Timestamp,
        policy: OfflinePolicy
    ) -> Resolution {
        guard method == .get || method == .head else { return methodNotAllowed }
        guard let stored else { return gatewayTimeout(.missing, ttl: nil, detail: "offline-miss") }
        let freshness = Freshness(of: stored, at: now, sharing: .shared)
        let isUsable = freshness.isFresh && !freshness.needsValidation
        if let refusal = clientRefusal(freshness, request: request) { return refusal }
        if !isUsable, let refusal = refusal(freshness, request: request, policy: policy) { return refusal }
        var fields = headFields(of: stored, freshness: freshness)
        fields[.cacheStatus] = status(of: stored, freshness, isUsable: isUsable, request: request).description
        let verdict: Resolution.Verdict = isUsable ? .fresh : .stale
        if (200..<300).contains(stored.status) {
            switch Precondition.evaluate(request, against: stored) {
            case .failed: return preconditionFailed(fields, verdict)
            case .notModified: return notModified(fields, verdict)
            case .proceed: break
            }
        }
        if method == .get, stored.status == 200, let range = request[.range],
            Precondition.allowsRange(request, against: stored),
            let partial = partial(range, of: stored, fields: fields, verdict: verdict)
        {
            return partial
        }
        // RFC 9110 §8.6: no Content-Length with 204.
        let hasBody = stored.status != 204
        fields[.contentLength] = hasBody ? String(stored.size) : nil
        return Resolution(
            verdict: verdict,
            status: HTTPResponse.Status(stored: stored.status),
            fields: fields,
            body: method == .head || stored.size == 0 || !hasBody ? .none : .whole
        )
    }

    // MARK: Refusals

    /// What the client demands goes before the policy (RFC 9111 §5.2.1.2 and §5.2.1.3).
    private static func clientRefusal(_ freshness: Freshness, request: HTTPFields) -> Resolution? {
        let control = CacheControl(request)
        let isTooSoonStale = control.minFresh.map { freshness.ttl < $0 } ?? false
        let isTooStale = control.maxStale.map { !freshness.isFresh && -freshness.ttl > $0 } ?? false
        guard isTooSoonStale || isTooStale else { return nil }
        return gatewayTimeout(.expiredRefused, ttl: freshness.ttl, detail: "client-freshness")
    }

    private static func refusal(_ freshness: Freshness, request: HTTPFields, policy: OfflinePolicy) -> Resolution? {
        if policy.expired == .always { return nil }
        if freshness.forbidsStale || freshness.needsValidation {
            return gatewayTimeout(.originForbidsStale, ttl: freshness.ttl, detail: "origin-forbids-stale")
        }
        guard policy.expired == .refuse else { return nil }
        if let allowed = CacheControl(request).maxStale, -freshness.ttl <= allowed { return nil }
        return gatewayTimeout(.expiredRefused, ttl: freshness.ttl, detail: "expired-refused")
    }

    /// 504 is what a disconnected cache answers (RFC 9111 §4.2.4 and §5.2.1.7).
    private static func gatewayTimeout(_ verdict: Resolution.Verdict, ttl: Int64?, detail: String) -> Resolution {
        var fields = HTTPFields()
        fields[.cacheStatus] = CacheStatus(isHit: false, ttl: ttl, detail: detail).description
        fields[.cacheControl] = "no-store"
        return Resolution(verdict: verdict, status: .gatewayTimeout, fields: fields, body: .none)
    }

    private static var methodNotAllowed: Resolution {
        var fields = HTTPFields()
        fields[.allow] = "GET, HEAD"
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = CacheStatus(isHit: false, detail: "offline-method").description
        return Resolution(verdict: .methodNotAllowed, status: .methodNotAllowed, fields: fields, body: .none)
    }

    // MARK: Answers

    private static func headFields(of stored: StoredResponse, freshness: Freshness) -> HTTPFields {
        var fields = stored.fields.withoutConnectionFields
        fields[.contentLength] = nil
        // Bodies are identity bytes, whatever the field says.
        fields[.contentEncoding] = nil
        let withheld = CacheControl(stored.fields).noCacheFields
        if !withheld.isEmpty { fields = HTTPFields(fields.filter { !withheld.contains($0.name.canonicalName) }) }
        fields[.age] = String(freshness.age)
        if fields[.date] == nil { fields[.date] = HTTPDate.format(stored.date) }
        if fields[.eTag] == nil, stored.status == 200, let tag = stored.entityTag { fields[.eTag] = tag.description }
        if stored.status == 200 { fields[.acceptRanges] = "bytes" }
        return fields
    }

    private static func status(
        of stored: StoredResponse,
        _ freshness: Freshness,
        isUsable: Bool,
        request: HTTPFields
    ) -> CacheStatus {
        var status = CacheStatus(isHit: true, ttl: freshness.ttl)
        if !isUsable {
            status.detail = freshness.forbidsStale || freshness.needsValidation ? "origin-overruled" : "offline"
        }
        if !stored.matchesVary(of: request) {
            status.detail = status.detail.map { $0 + "+vary-ignored" } ?? "vary-ignored"
        }
        return status
    }

    /// RFC 9110 §15.4.5.
    private static func notModified(_ fields: HTTPFields, _ verdict: Resolution.Verdict) -> Resolution {
        let kept: Set<String> = [
            "etag", "date", "cache-control", "expires", "vary", "content-location", "last-modified", "age",
            "cache-status",
        ]
        let head = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        return Resolution(verdict: verdict, status: .notModified, fields: head, body: .none)
    }

    private static func preconditionFailed(_ fields: HTTPFields, _ verdict: Resolution.Verdict) -> Resolution {
        let kept: Set<String> = ["etag", "date", "last-modified", "age", "cache-status"]
        var head = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        head[.contentLength] = "0"
        return Resolution(verdict: verdict, status: .preconditionFailed, fields: head, body: .none)
    }

    /// RFC 9110 §15.3.7 and §15.5.17; nil where the Range field is ignored.
    private static func partial(
        _ range: String,
        of stored: StoredResponse,
        fields: HTTPFields,
        verdict: Resolution.Verdict
    ) -> Resolution? {
        var fields = fields
        switch ByteRanges(range, size: stored.size) {
        case .ignored: return nil
        case .unsatisfiable:
            let kept: Set<String> = ["etag", "date", "last-modified", "age", "cache-status", "accept-ranges"]
            fields = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
            fields[.contentRange] = "bytes */\(stored.size)"
            fields[.contentLength] = "0"
            return Resolution(verdict: verdict, status: .rangeNotSatisfiable, fields: fields, body: .none)
        case .satisfiable(let ranges):
            guard ranges.count > 1 else {
                fields[.contentRange] = contentRange(ranges[0], stored.size)
                fields[.contentLength] = String(ranges[0].count)
                return Resolution(verdict: verdict, status: .partialContent, fields: fields, body: .range(ranges[0]))
            }
            let boundary = "afcache-" + (stored.sha256.map { String($0.suffix(24)) } ?? "byteranges-\(stored.size)")
            let type = fields[.contentType]
            let parts = ranges.map { range in
                var head = "\r\n--\(boundary)\r\n"
                if let type { head += "Content-Type: \(type)\r\n" }
                head += "Content-Range: \(contentRange(range, stored.size))\r\n\r\n"
                return Resolution.Part(head: Array(head.utf8), range: range)
            }
            let tail = Array("\r\n--\(boundary)--\r\n".utf8)
            let length = parts.reduce(Int64(tail.count)) { $0 + Int64($1.head.count) + Int64($1.range.count) }
            fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
            fields[.contentLength] = String(length)
            return Resolution(
                verdict: verdict,
                status: .partialContent,
                fields: fields,
                body: .parts(parts, tail: tail)
            )
        }
    }

    private static func contentRange(_ range: Range<Int64>, _ size: Int64) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }
}
