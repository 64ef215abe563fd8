import AFCHTTP
import AFCURL
import HTTPTypes
import Testing

@testable import AFCDelivery

/// What becomes of each answer that a server can give, by table.
struct TransferStepTests {
    static let now = Timestamp(secondsSinceEpoch: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    struct Case: Sendable {
        var status: Int
        var fields: [String: String] = [:]
        var offset: Int64 = 0
        var conditional = false
        var step: TransferStep
    }

    static let url = try? WebURL("https://p.example/a/docs.zip")
    static let elsewhere = (try? WebURL("https://q.example/x")) ?? nil

    static let cases: [Case] = [
        Case(status: 200, step: .begin(total: nil)),
        Case(status: 200, fields: ["Content-Length": "12"], offset: 5, step: .begin(total: 12)),
        Case(status: 200, fields: ["Content-Length": "12", "Transfer-Encoding": "chunked"], step: .begin(total: nil)),
        // RFC 9110 §15.3.7
        Case(status: 206, fields: ["Content-Range": "bytes 5-11/12"], offset: 5, step: .append(upTo: 12, total: 12)),
        // Where the whole ends isn't said, so nothing would tell whether it is there.
        Case(status: 206, fields: ["Content-Range": "bytes 5-11/*"], offset: 5, step: .startOver),
        Case(status: 206, fields: ["Content-Range": "bytes 5-8/12"], offset: 5, step: .append(upTo: 9, total: 12)),
        Case(status: 206, fields: ["Content-Range": "bytes +5-11/12"], offset: 5, step: .startOver),
        Case(
            status: 206,
            fields: ["Content-Range": "bytes 5-11/12", "ETag": "\"held\""],
            offset: 5,
            step: .append(upTo: 12, total: 12)
        ),
        Case(status: 206, fields: ["Content-Range": "bytes 5-11/12", "ETag": "\"b\""], offset: 5, step: .startOver),
        Case(
            status: 206,
            fields: ["Content-Range": "bytes 5-11/12", "ETag": "W/\"held\""],
            offset: 5,
            step: .startOver
        ),
        Case(status: 206, fields: ["Content-Range": "bytes 4-11/12"], offset: 5, step: .startOver),
        Case(status: 206, fields: ["Content-Range": "bytes 5-12/12"], offset: 5, step: .startOver),
        Case(status: 206, fields: ["Content-Range": "lines 5-11/12"], offset: 5, step: .startOver),
        Case(status: 206, fields: ["Content-Type": "multipart/byteranges; boundary=x"], offset: 5, step: .startOver),
        // RFC 9110 §15.4.5
        Case(status: 304, conditional: true, step: .unchanged),
        // RFC 9110 §15.5.17
        Case(status: 416, fields: ["Content-Range": "bytes */5"], offset: 5, step: .complete),
        Case(status: 416, fields: ["Content-Range": "bytes */4"], offset: 5, step: .startOver),
        Case(status: 416, offset: 5, step: .startOver),
        // Conditions that nobody made
        Case(status: 304, offset: 5, step: .startOver), Case(status: 412, offset: 5, step: .startOver),
        // RFC 9110 §10.2.3
        Case(status: 503, step: .retry(after: nil, reason: "the server answered 503")),
        Case(status: 503, fields: ["Retry-After": "7"], step: .retry(after: 7, reason: "the server answered 503")),
        Case(status: 429, fields: ["Retry-After": "9999"], step: .retry(after: 60, reason: "the server answered 429")),
        Case(
            status: 503,
            fields: ["Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"],
            step: .retry(after: 10, reason: "the server answered 503")
        ),
        Case(status: 503, fields: ["Retry-After": "-5"], step: .retry(after: nil, reason: "the server answered 503")),
        Case(
            status: 404,
            step: .fail(.status(404), "the server has no such file (status 404)")
        ),
        Case(status: 304, step: .fail(.status(304), "the server answered 304")),
        Case(
            status: 200,
            fields: ["Content-Encoding": "gzip"],
            step: .fail(
                .protocolViolation,
                "the server encoded the package as 'gzip', although that was not accepted"
            )
        ),
        Case(status: 200, fields: ["Content-Encoding": "identity"], step: .begin(total: nil)),
        Case(
            status: 200,
            fields: ["Content-Type": "text/html; charset=utf-8"],
            step: .fail(
                .protocolViolation,
                "the server sent a web page, not a package; is the URL right, and does the network require a login?"
            )
        ),
        Case(status: 200, fields: ["Content-Type": "application/octet-stream"], step: .begin(total: nil)),
        Case(status: 200, fields: ["Content-Length": "+12"], step: .begin(total: nil)),
        Case(
            status: 206,
            fields: ["Content-Range": "bytes 0-11/12"],
            step: .fail(.protocolViolation, "the server sent a part, but the whole package was requested")
        ),
        Case(
            status: 302,
            fields: ["Location": "http://q.example/x"],
            step: .fail(
                .refusedRedirect,
                "the server redirects to 'http://q.example/x', where anyone on the network path can alter the package"
            )
        ),
        Case(
            status: 302,
            fields: ["Location": "ftp://q.example/x"],
            step: .fail(
                .refusedRedirect,
                "the server redirects to 'ftp://q.example/x', which is neither http nor https"
            )
        ),
        Case(status: 302, step: .fail(.protocolViolation, "the server redirects without a valid Location")),
    ]

    static func request(offset: Int64 = 0, isConditional: Bool = false) throws -> TransferRequest {
        let url = try #require(url)
        let tag = Validator(entityTag: "\"held\"")
        let known = RemoteState(url: url, validator: tag, size: 1, sha256: "")
        return TransferRequest(url, held: offset, validator: tag, known: isConditional ? known : nil, sha256: nil)
    }

    // RFC 9110 §14.2: a server may ignore Range, and some fail instead.
    @Test(arguments: [400, 405, 406, 500, 501, 502, 504, 505])
    func `a server that fails for the end of a package is asked for the whole`(status: Int) throws {
        let url = try #require(Self.url)
        let request = TransferRequest(
            url,
            held: 0,
            validator: Validator(),
            known: nil,
            sha256: nil,
            asksForEnd: true
        )
        let step = TransferStep(status: status, fields: [:], url: url, request: request, now: Self.now)
        #expect(step == .startOver)
    }

    @Test(arguments: [(400, true), (501, true), (500, false), (401, false), (404, false), (410, false), (503, false)])
    func `a server that never sends parts is asked for the whole`(status: Int, isAsked: Bool) throws {
        let url = try #require(Self.url)
        let step = TransferStep(
            status: status,
            fields: [:],
            url: url,
            request: try Self.request(offset: 5),
            now: Self.now
        )
        #expect((step == .startOver) == isAsked)
    }

    @Test(arguments: cases)
    func `each response has one next step`(one: Case) throws {
        var fields = HTTPFields()
        for (name, value) in one.fields { fields[try #require(HTTPField.Name(name))] = value }
        let step = TransferStep(
            status: one.status,
            fields: fields,
            url: try #require(Self.url),
            request: try Self.request(offset: one.offset, isConditional: one.conditional),
            now: Self.now
        )
        #expect(step == one.step)
    }

    @Test func `a redirect is followed, also a relative one`() throws {
        for (location, target) in [
            ("https://q.example/x", "https://q.example/x"), ("../b.zip", "https://p.example/b.zip"),
        ] {
            let step = TransferStep(
                status: 308,
                fields: [.location: location],
                url: try #require(Self.url),
                request: try Self.request(),
                now: Self.now
            )
            #expect(step == .follow(try WebURL(target)))
        }
    }

    /// RFC 9110 §8.8.2.2 and §13.1.5: a part may be asked for by a strong validator only.
    @Test(arguments: [
        (Validator(entityTag: "\"a\""), "\"a\""), (Validator(entityTag: "W/\"a\""), nil),
        (Validator(entityTag: "a"), nil),
        (
            Validator(lastModified: "Sun, 06 Nov 1994 08:48:37 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT"),
            "Sun, 06 Nov 1994 08:48:37 GMT"
        ),
        (Validator(lastModified: "Sun, 06 Nov 1994 08:48:38 GMT", date: "Sun, 06 Nov 1994 08:49:37 GMT"), nil),
        (Validator(lastModified: "Sun, 06 Nov 1994 08:48:37 GMT"), nil), (Validator(), nil),
        (
            Validator(
                entityTag: "W/\"a\"",
                lastModified: "Sun, 06 Nov 1994 08:48:37 GMT",
                date: "Sun, 06 Nov 1994 08:49:37 GMT"
            ), nil
        ),
    ])
    func `a part is requested only with a strong validator`(validator: Validator, field: String?) {
        #expect(validator.forRange == field)
    }
}
