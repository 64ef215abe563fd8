internal import AFCHTTP
internal import HTTPTypes

/// The making of an answer from a stored response (RFC 9111 §4, RFC 9110 §13 and §14).
enum Answer {
    /// Returns the answer with the response, a part of it, or 304, 412 or 416 in its place.
    ///
    /// - Parameters:
    ///   - candidate: The stored response.
    ///   - request: The request.
    ///   - head: The parsed fields of the request.
    ///   - status: The member of Cache-Status.
    ///   - isValidated: True if the origin has just confirmed the response.
    /// - Returns: The head of the answer, and the bytes that follow.
    static func make(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead,
        status: CacheStatus,
        isValidated: Bool = false
    ) -> Resolution {
        var answer = choose(candidate, request, head, status: status, isValidated: isValidated)
        answer.freshness = candidate.freshness
        if head.wantsReprDigest || head.wantsContentDigest {
            BodyDigests.add(to: &answer, of: candidate.response, request, head)
        }
        return answer
    }

    private static func choose(
        _ candidate: Candidate,
        _ request: CacheRequest,
        _ head: RequestHead,
        status: CacheStatus,
        isValidated: Bool
    ) -> Resolution {
        let stored = candidate.response
        let verdict: Resolution.Verdict = candidate.isUsable || isValidated ? .fresh : .stale
        let fields = fields(of: candidate, status, isValidated: isValidated)
        if (200..<300).contains(stored.status), head.hasConditions || head.hasOriginConditions {
            switch Precondition.evaluate(request.fields, against: stored) {
            case .failed: return preconditionFailed(fields, verdict, status)
            case .notModified: return notModified(fields, verdict, status)
            case .proceed: break
            }
        }
        if request.method == .get, let range = head.range,
            let partial = partial(
                range,
                of: stored,
                request: request,
                fields: fields,
                verdict: verdict,
                cacheStatus: status
            )
        {
            return partial
        }
        // RFC 9110 §8.6: no Content-Length with 204.
        let hasBody = stored.status != 204
        var whole = fields
        if hasBody { whole.append(HTTPField(name: .contentLength, value: String(stored.size))) }
        // RFC 9530 §2: a response to HEAD has no content whose digest it could be.
        if request.method == .head { whole[.contentDigest] = nil }
        return Resolution(
            verdict: verdict,
            status: HTTPResponse.Status(stored: stored.status),
            fields: whole,
            body: request.method == .head || stored.size == 0 || !hasBody ? .none : .whole,
            cacheStatus: status
        )
    }

    /// Returns true if a digest among the stored fields is of the body with another coding than it has.
    private static func isOfCodedBody(_ stored: StoredResponse) -> Bool {
        stored.coding == .gzip || stored.source == .package && stored.fields[.contentEncoding] != nil
    }

    /// Returns the stored fields with an Age (RFC 9111 §5.1), and without Content-Length.
    private static func fields(of candidate: Candidate, _ status: CacheStatus, isValidated: Bool) -> HTTPFields {
        let stored = candidate.response
        let isPackaged = stored.source == .package
        let source = stored.fields.storedFields
        let withheld = isValidated ? [] : candidate.head.control.noCacheFields
        // Appending to an array is faster than appending to HTTPFields.
        var fields: [HTTPField] = []
        fields.reserveCapacity(source.count + 5)
        var (hasDate, hasTag) = (false, false)
        for field in source {
            let name = field.name.canonicalName
            switch name.utf8.count {
            case 3 where name == "age": continue
            case 4 where name == "date": hasDate = true
            case 4 where name == "etag":
                hasTag = true
                if stored.coding == .gzip {
                    // A malformed tag can't be told apart from that of the body without the coding.
                    if let tag = stored.entityTag { fields.append(HTTPField(name: .eTag, value: tag.description)) }
                    continue
                }
            // Digests of the body without the coding (RFC 9530 §2 and §3, RFC 1864).
            case 6 where name == "digest" && isOfCodedBody(stored): continue
            case 11 where name == "content-md5" && isOfCodedBody(stored): continue
            case 11 where stored.coding == .gzip && name == "repr-digest": continue
            case 14 where stored.coding == .gzip && name == "content-digest": continue
            case 11 where isPackaged && name == "repr-digest" && !BodyDigests.isOfBody(field, stored): continue
            case 14 where isPackaged && name == "content-digest" && !BodyDigests.isOfBody(field, stored): continue
            case 12 where isPackaged && (name == "cache-status" || name == "proxy-status"): continue
            case 13 where stored.status == 200 && name == "accept-ranges": continue
            case 14 where name == "content-length": continue
            // A packaged body is stored without coding, whatever the field says.
            case 16 where isPackaged && name == "content-encoding": continue
            default: break
            }
            if !withheld.isEmpty, withheld.contains(name) { continue }
            fields.append(field)
        }
        fields.append(HTTPField(name: .age, value: String(candidate.freshness.age)))
        if !hasDate { fields.append(HTTPField(name: .date, value: HTTPDate.format(candidate.head.date))) }
        if stored.status == 200 {
            if !hasTag, isPackaged, let tag = stored.entityTag {
                fields.append(HTTPField(name: .eTag, value: tag.description))
            }
            // Ranges of a body that is made while it is sent aren't offered.
            if stored.coding != .gzip { fields.append(HTTPField(name: .acceptRanges, value: "bytes")) }
        }
        if let coding = stored.coding {
            if coding == .gzip { fields.append(HTTPField(name: .contentEncoding, value: "gzip")) }
            if Vary.names(stored.fields[values: .vary])?.contains(.acceptEncoding) != true {
                fields.append(HTTPField(name: .vary, value: "Accept-Encoding"))
            }
        }
        fields.append(HTTPField(name: .cacheStatus, value: status.description))
        return HTTPFields(fields)
    }

    /// Returns a 304 (RFC 9110 §15.4.5).
    private static func notModified(_ fields: HTTPFields, _ verdict: Resolution.Verdict, _ status: CacheStatus)
        -> Resolution
    {
        let kept: Set<String> = [
            "etag", "date", "cache-control", "cdn-cache-control", "expires", "vary", "content-location",
            "last-modified",
            "age", "cache-status",
        ]
        let head = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        return Resolution(verdict: verdict, status: .notModified, fields: head, body: .none, cacheStatus: status)
    }

    private static func preconditionFailed(_ fields: HTTPFields, _ verdict: Resolution.Verdict, _ status: CacheStatus)
        -> Resolution
    {
        let kept: Set<String> = ["etag", "date", "last-modified", "age", "cache-status"]
        var head = HTTPFields(fields.filter { kept.contains($0.name.canonicalName) })
        head[.contentLength] = "0"
        return Resolution(verdict: verdict, status: .preconditionFailed, fields: head, body: .none, cacheStatus: status)
    }
}

/// Answers to requests for ranges (RFC 9110 §14).
extension Answer {
    /// Returns a 206 or 416 (RFC 9110 §15.3.7 and §15.5.17); nil if the Range field is ignored.
    static func partial(
        _ range: String,
        of stored: StoredResponse,
        request: CacheRequest,
        fields: HTTPFields,
        verdict: Resolution.Verdict,
        cacheStatus: CacheStatus
    ) -> Resolution? {
        guard stored.coding != .gzip, Precondition.allowsRange(request.fields, against: stored) else { return nil }
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
        fields[.contentDigest] = nil
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
        fields[.contentDigest] = nil
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
