internal import AFCHTTP
internal import HTTPTypes

/// Answers to requests for ranges (RFC 9110 §14).
extension Answer {
    /// RFC 9110 §15.3.7 and §15.5.17; nil where the Range field is ignored.
    static func partial(
        _ range: String,
        of stored: StoredResponse,
        request: CacheRequest,
        fields: HTTPFields,
        verdict: Resolution.Verdict,
        cacheStatus: CacheStatus
    ) -> Resolution? {
        guard Precondition.allowsRange(request.fields, against: stored) else { return nil }
        if stored.status == 206 {
            guard let selection = StoredPart(stored.fields)?.select(range, size: stored.size) else { return nil }
            return single(selection.body, contentRange: selection.contentRange, fields, verdict, cacheStatus)
        }
        guard stored.status == 200 else { return nil }
        switch ByteRanges(range, size: stored.size) {
        case .ignored: return nil
        case .unsatisfiable:
            let kept: Set<String> = ["etag", "date", "last-modified", "age", "cache-status", "accept-ranges"]
            var head = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
            head[.contentRange] = "bytes */\(stored.size)"
            head[.contentLength] = "0"
            return Resolution(
                verdict: verdict,
                status: .rangeNotSatisfiable,
                fields: head,
                body: .none,
                cacheStatus: cacheStatus
            )
        case .satisfiable(let ranges):
            guard ranges.count > 1 else {
                return single(
                    ranges[0],
                    contentRange: contentRange(ranges[0], stored.size),
                    fields,
                    verdict,
                    cacheStatus
                )
            }
            return several(ranges, of: stored, fields, verdict, cacheStatus)
        }
    }

    private static func single(
        _ range: Range<Int64>,
        contentRange: String,
        _ fields: HTTPFields,
        _ verdict: Resolution.Verdict,
        _ cacheStatus: CacheStatus
    ) -> Resolution {
        var fields = fields
        fields[.contentRange] = contentRange
        fields[.contentLength] = String(range.count)
        return Resolution(
            verdict: verdict,
            status: .partialContent,
            fields: fields,
            body: .range(range),
            cacheStatus: cacheStatus
        )
    }

    private static func several(
        _ ranges: [Range<Int64>],
        of stored: StoredResponse,
        _ fields: HTTPFields,
        _ verdict: Resolution.Verdict,
        _ cacheStatus: CacheStatus
    ) -> Resolution {
        var fields = fields
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
            body: .parts(parts, tail: tail),
            cacheStatus: cacheStatus
        )
    }

    private static func contentRange(_ range: Range<Int64>, _ size: Int64) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }
}
