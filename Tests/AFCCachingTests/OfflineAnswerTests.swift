import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

struct OfflineAnswerTests {
    /// A response made at 1,000,000,000, fresh for an hour, of ten bytes.
    static func stored(_ extra: [(HTTPField.Name, String)] = [], status: Int = 200) -> StoredResponse {
        var fields = HTTPFields()
        fields[.date] = "Sun, 09 Sep 2001 01:46:40 GMT"
        fields[.expires] = "Sun, 09 Sep 2001 02:46:40 GMT"
        fields[.lastModified] = "Sat, 08 Sep 2001 01:46:40 GMT"
        fields[.contentType] = "text/plain"
        fields[.eTag] = "\"v1\""
        for (name, value) in extra { fields[name] = value }
        return StoredResponse(
            status: status,
            fields: fields,
            size: 10,
            received: Timestamp(secondsSinceEpoch: 1_000_000_000)
        )
    }

    static func resolve(
        _ stored: StoredResponse?,
        _ request: [(HTTPField.Name, String)] = [],
        method: HTTPRequest.Method = .get,
        after seconds: Int64 = 60,
        expired: OfflinePolicy.Expired = .serve
    ) -> Resolution {
        var fields = HTTPFields()
        for (name, value) in request { fields[name] = value }
        return OfflineDecision.decide(
            CacheRequest(method: method, fields: fields),
            stored: stored.map { [$0] } ?? [],
            now: Timestamp(secondsSinceEpoch: 1_000_000_000 + seconds),
            policy: OfflinePolicy(expired: expired)
        ).resolution
    }

    @Test func `a fresh response is served with its age`() {
        let answer = Self.resolve(Self.stored())
        #expect(answer.status == .ok)
        #expect(answer.body == .whole)
        #expect(answer.verdict == .fresh)
        #expect(answer.fields[.age] == "60")
        #expect(answer.fields[.date] == "Sun, 09 Sep 2001 01:46:40 GMT")
        #expect(answer.fields[.contentLength] == "10")
        #expect(answer.fields[.cacheStatus] == "afcache; hit; ttl=3540")
    }

    @Test func `an expired response is served and marked`() {
        let answer = Self.resolve(Self.stored(), after: 7200)
        #expect(answer.verdict == .stale)
        #expect(answer.status == .ok)
        #expect(answer.fields[.age] == "7200")
        #expect(answer.fields[.cacheStatus] == "afcache; hit; ttl=-3600; detail=offline")
    }

    @Test func `an expired response is refused with 504 if the user wants that`() {
        let answer = Self.resolve(Self.stored(), after: 7200, expired: .refuse)
        #expect(answer.status == .gatewayTimeout)
        #expect(answer.verdict == .expiredRefused)
        #expect(
            Self.resolve(Self.stored(), [(.cacheControl, "max-stale")], after: 7200, expired: .refuse).status == .ok
        )
        #expect(
            Self.resolve(Self.stored(), [(.cacheControl, "max-stale=10")], after: 7200, expired: .refuse).status
                == .gatewayTimeout
        )
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "s-maxage=10", "no-cache"])
    func `a stale response isn't served if its origin forbids it, RFC 9111 §5_2_2`(directive: String) {
        let stored = Self.stored([(.cacheControl, directive)])
        #expect(Self.resolve(stored, after: 7200).verdict == .originForbidsStale)
        let overruled = Self.resolve(stored, after: 7200, expired: .always)
        #expect(overruled.status == .ok)
        #expect(overruled.fields[.cacheStatus]?.hasSuffix("detail=origin-overruled") == true)
    }

    @Test func `an entry without expires is never fresh, but is served`() {
        var stored = Self.stored()
        stored.fields[.expires] = nil
        let answer = Self.resolve(stored)
        #expect(answer.verdict == .stale)
        #expect(answer.fields[.cacheStatus] == "afcache; hit; ttl=-60; detail=offline")
    }

    @Test func `offline, a request with no-cache is served from the cache, RFC 9111 §5_2_1`() {
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "no-cache")]).status == .ok)
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "max-age=0")]).status == .ok)
    }

    @Test func `a miss is 504`() {
        let answer = Self.resolve(nil)
        #expect(answer.status == .gatewayTimeout)
        #expect(answer.fields[.cacheStatus] == "afcache; detail=offline-miss")
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .options, .patch])
    func `other methods are refused`(method: HTTPRequest.Method) {
        let answer = Self.resolve(Self.stored(), method: method)
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.fields[.allow] == "GET, HEAD")
    }

    @Test func `HEAD is answered from the GET response, RFC 9110 §9_3_2`() {
        let answer = Self.resolve(Self.stored(), method: .head)
        #expect(answer.body == .none)
        #expect(answer.fields[.contentLength] == "10")
        #expect(Self.resolve(Self.stored(), [(.range, "bytes=0-1")], method: .head).status == .ok)
    }

    @Test(arguments: [
        ("\"v1\"", true), ("W/\"v1\"", true), ("\"v2\"", false), ("\"v2\", \"v1\"", true), ("\"a\\\", \"v1\"", true),
        ("*, \"v2\"", false), ("*", true), ("v1", false),
    ])
    func `If-None-Match compares weakly, RFC 9110 §13_1_2`(value: String, isMatch: Bool) {
        let answer = Self.resolve(Self.stored(), [(.ifNoneMatch, value)])
        #expect(answer.status == (isMatch ? .notModified : .ok))
        if isMatch {
            #expect(answer.fields[.eTag] == "\"v1\"")
            #expect(answer.fields[.contentType] == nil)
            #expect(answer.fields[.expires] != nil)
        }
    }

    @Test(arguments: [
        ("Sat, 08 Sep 2001 01:46:40 GMT", true), ("Sun, 09 Sep 2001 01:46:40 GMT", true),
        ("Fri, 07 Sep 2001 01:46:40 GMT", false),
        ("yesterday", false),
    ])
    func `If-Modified-Since compares dates, RFC 9110 §13_1_3`(value: String, isMatch: Bool) {
        #expect(Self.resolve(Self.stored(), [(.ifModifiedSince, value)]).status == (isMatch ? .notModified : .ok))
    }

    @Test func `If-None-Match takes precedence over If-Modified-Since, RFC 9110 §13_2_2`() {
        let request: [(HTTPField.Name, String)] = [
            (.ifNoneMatch, "\"v2\""), (.ifModifiedSince, "Sun, 09 Sep 2001 01:46:40 GMT"),
        ]
        #expect(Self.resolve(Self.stored(), request).status == .ok)
    }

    @Test func `If-Match and If-Unmodified-Since can fail, RFC 9110 §13_1`() {
        #expect(Self.resolve(Self.stored(), [(.ifMatch, "\"v2\"")]).status == .preconditionFailed)
        #expect(Self.resolve(Self.stored(), [(.ifMatch, "\"v1\"")]).status == .ok)
        #expect(
            Self.resolve(Self.stored(), [(.ifUnmodifiedSince, "Fri, 07 Sep 2001 01:46:40 GMT")]).status
                == .preconditionFailed
        )
    }

    @Test func `a range is answered with 206, RFC 9110 §15_3_7`() {
        let answer = Self.resolve(Self.stored(), [(.range, "bytes=2-4")])
        #expect(answer.status == .partialContent)
        #expect(answer.fields[.contentRange] == "bytes 2-4/10")
        #expect(answer.fields[.contentLength] == "3")
        #expect(answer.body == .range(2..<5))
    }

    @Test func `a range past the end is refused with 416, RFC 9110 §15_5_17`() {
        let answer = Self.resolve(Self.stored(), [(.range, "bytes=10-")])
        #expect(answer.status == .rangeNotSatisfiable)
        #expect(answer.fields[.contentRange] == "bytes */10")
        #expect(answer.body == .none)
    }

    @Test func `several ranges are sent as parts with a declared length, RFC 9110 §14_6`() throws {
        let answer = Self.resolve(Self.stored(), [(.range, "bytes=0-1,5-6")])
        guard case .parts(let parts, let tail) = answer.body else {
            Issue.record("no parts")
            return
        }
        #expect(parts.map(\.range) == [0..<2, 5..<7])
        let length = parts.reduce(tail.count) { $0 + $1.head.count + $1.range.count }
        #expect(answer.fields[.contentLength] == String(length))
        #expect(String(decoding: parts[0].head, as: UTF8.self).contains("Content-Range: bytes 0-1/10\r\n"))
    }

    @Test(arguments: [
        ("\"v1\"", true), ("W/\"v1\"", false), ("\"v2\"", false), ("Sat, 08 Sep 2001 01:46:40 GMT", true),
        ("Sat, 08 Sep 2001 01:46:41 GMT", false), ("nonsense", false),
    ])
    func `If-Range needs the same strong validator, RFC 9110 §13_1_5`(value: String, isPartial: Bool) {
        let answer = Self.resolve(Self.stored(), [(.range, "bytes=0-1"), (.ifRange, value)])
        #expect(answer.status == (isPartial ? .partialContent : .ok))
    }

    @Test func `a stored redirect is served as it is, without conditions`() {
        let stored = Self.stored([(.location, "/new")], status: 301)
        let answer = Self.resolve(stored, [(.ifNoneMatch, "*")])
        #expect(answer.status.code == 301)
        #expect(answer.fields[.location] == "/new")
    }

    @Test func `the age counts from Date and Age, RFC 9111 §4_2_3`() {
        #expect(Self.resolve(Self.stored([(.age, "100")])).fields[.age] == "160")
        var late = Self.stored()
        late.received = Timestamp(secondsSinceEpoch: 1_000_000_500)
        #expect(Self.resolve(late, after: 600).fields[.age] == "600")
        #expect(Self.resolve(Self.stored(), after: -500).fields[.age] == "0")
    }

    @Test func `max-age overrides Expires, RFC 9111 §4_2_1`() {
        #expect(Self.resolve(Self.stored([(.cacheControl, "max-age=30")])).verdict == .stale)
        #expect(Self.resolve(Self.stored([(.cacheControl, "max-age=90"), (.expires, "0")])).verdict == .fresh)
        #expect(Self.resolve(Self.stored([(.expires, "0")])).verdict == .stale)
    }

    @Test func `offline, a response to other request fields is served and marked, RFC 9111 §4_1`() {
        var stored = Self.stored([(.vary, "Accept-Language")])
        stored.requestFields = HTTPFields()
        let answer = Self.resolve(stored, [(.acceptLanguage, "de")])
        #expect(answer.status == .ok)
        #expect(answer.fields[.cacheStatus]?.hasSuffix("detail=vary-ignored") == true)
    }

    @Test func `a client's demand for freshness is obeyed, RFC 9111 §5_2_1`() {
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "min-fresh=4000")]).status == .gatewayTimeout)
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "min-fresh=3000")]).status == .ok)
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "max-stale=10")], after: 7200).status == .gatewayTimeout)
        #expect(Self.resolve(Self.stored(), [(.cacheControl, "max-stale=4000")], after: 7200).status == .ok)
    }

    @Test func `a removed coding isn't announced, and Accept-Encoding makes no variant`() {
        var stored = Self.stored([(.contentEncoding, "gzip"), (.vary, "Accept-Encoding")])
        stored.requestFields = HTTPFields()
        let answer = Self.resolve(stored, [(.acceptEncoding, "br")])
        #expect(answer.fields[.contentEncoding] == nil)
        #expect(answer.fields[.cacheStatus] == "afcache; hit; ttl=3540")
    }

    @Test func `fields that need validation are withheld, RFC 9111 §5_2_2_4`() {
        let answer = Self.resolve(Self.stored([(.cacheControl, "no-cache=\"Server\""), (.server, "x")]))
        #expect(answer.status == .ok)
        #expect(answer.fields[.server] == nil)
    }

    @Test func `a 204 has neither body nor Content-Length, RFC 9110 §8_6`() {
        let answer = Self.resolve(Self.stored(status: 204))
        #expect(answer.body == .none)
        #expect(answer.fields[.contentLength] == nil)
    }

    @Test func `without Last-Modified the Date counts, RFC 9111 §4_3_2`() {
        var stored = Self.stored()
        stored.fields[.lastModified] = nil
        #expect(Self.resolve(stored, [(.ifModifiedSince, "Sun, 09 Sep 2001 01:46:40 GMT")]).status == .notModified)
    }

    @Test func `a body without an entity tag gets one made from its digest`() {
        var stored = Self.stored()
        stored.fields[.eTag] = nil
        stored.sha256 = String(repeating: "ab", count: 32)
        #expect(Self.resolve(stored).fields[.eTag] == "\"" + String(repeating: "ab", count: 16) + "\"")
    }
}
