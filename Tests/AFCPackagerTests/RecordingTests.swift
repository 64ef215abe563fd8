import AFCCaching
import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCPackageFormat
import AFCPackager
import AFCURL
import HTTPTypes
import Testing

struct RecordingTests {
    private let received = Timestamp(secondsSinceEpoch: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    private func fields(_ pairs: [(String, String)]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    private func record(_ pairs: [(String, String)], sent: [(String, String)] = []) throws -> ResourceRecord {
        Recording.record(
            of: try WebURL("http://docs.example/a"),
            head: FetchHead(status: 200, fields: fields(pairs), coding: "gzip"),
            sent: fields(sent),
            fetched: received,
            size: 3,
            sha256: String(repeating: "0", count: 64)
        )
    }

    @Test func `fields of the connection, coding or one client are omitted, and others keep their order`() throws {
        let record = try record([
            ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Connection", "X-Hop, keep-alive"), ("X-Hop", "1"),
            ("Content-Type", "text/css"), ("Content-Length", "3"), ("Content-Encoding", "gzip"), ("Set-Cookie", "a=b"),
            ("Set-Cookie2", "a=b"), ("Alt-Svc", "h2"), ("Keep-Alive", "x"), ("Transfer-Encoding", "chunked"),
            ("Upgrade", "h2c"), ("ETag", "\"5f\""), ("X-Two", "1"), ("X-Two", "2"),
        ])
        #expect(record.fields.map { $0.name.canonicalName } == ["date", "content-type", "etag", "x-two", "x-two"])
        #expect(record.coding == "gzip")
    }

    @Test func `the request fields that Vary names are kept, except credentials`() throws {
        let sent = [
            ("Accept-Encoding", "gzip"), ("User-Agent", "afcache"), ("Cookie", "secret"), ("Authorization", "x"),
        ]
        let record = try record(
            [("Vary", "accept-encoding, Cookie"), ("Vary", "Authorization, Accept-Language")],
            sent: sent
        )
        #expect(record.requestFields.map { $0.name.canonicalName } == ["accept-encoding"])
        #expect(try self.record([("Vary", "*")], sent: sent).requestFields.isEmpty)
    }

    @Test(
        arguments: [
            // RFC 9111 §4.2.1: max-age before Expires, counted from Date, less Age.
            (
                [("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Cache-Control", "max-age=100"), ("Age", "30")],
                784_111_847
            ),
            ([("Cache-Control", "max-age=100")], 784_111_877),
            (
                [("Cache-Control", "max-age=100"), ("Expires", "Sun, 06 Nov 1994 09:49:37 GMT")], 784_111_877
            ),
            ([("Expires", "Sun, 06 Nov 1994 09:49:37 GMT")], 784_115_377),
            ([("Expires", "0")], nil),
            ([], nil),
        ] as [([(String, String)], Int64?)]
    ) func `the entry expires when the fields say`(pairs: [(String, String)], expected: Int64?) throws {
        #expect(Recording.entry(for: try record(pairs)).expires?.secondsSinceEpoch == expected)
    }

    @Test func `a max-age set by the user overrides the origin's`() throws {
        let record = try record([("Date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Cache-Control", "max-age=100")])
        #expect(Recording.entry(for: record, maxAge: 7).expires?.secondsSinceEpoch == 784_111_784)
    }

    @Test(
        arguments: [
            ("text/html ; charset=UTF-8", "text/html; charset=UTF-8"), ("TEXT/CSS", "text/css"), ("nonsense", nil),
        ] as [(String, String?)]
    ) func `the entry's media type is normalized`(text: String, expected: String?) throws {
        #expect(Recording.entry(for: try record([("Content-Type", text)])).mediaType == expected)
    }

    @Test func `only a strict date is a last-modified`() throws {
        let good = try record([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")])
        #expect(Recording.entry(for: good).lastModified == received)
        let bad = try record([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT+00:00")])
        #expect(Recording.entry(for: bad).lastModified == nil)
    }

    @Test(
        arguments: [
            // Date moves, Age goes, Expires follows max-age.
            (
                [
                    ("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("age", "5"), ("cache-control", "max-age=3600"),
                    ("expires", "Sun, 06 Nov 1994 09:49:37 GMT"),
                ],
                [
                    ("date", "Thu, 01 Jan 1970 00:00:10 GMT"), ("cache-control", "max-age=3600"),
                    ("expires", "Thu, 01 Jan 1970 01:00:10 GMT"),
                ]
            ),
            // Without max-age Expires stays; without Date none is made.
            (
                [("expires", "Sun, 06 Nov 1994 09:49:37 GMT"), ("etag", "\"x\"")],
                [("expires", "Sun, 06 Nov 1994 09:49:37 GMT"), ("etag", "\"x\"")]
            ),
            ([("cache-control", "max-age=60")], [("cache-control", "max-age=60")]),
        ] as [([(String, String)], [(String, String)])]
    ) func `pinning removes the influence of the clock`(before: [(String, String)], after: [(String, String)]) throws {
        let pinned = Recording.pinned(try record(before), to: Timestamp(secondsSinceEpoch: 10))
        #expect(pinned.fields.map { "\($0.name.canonicalName): \($0.value)" } == after.map { "\($0): \($1)" })
        #expect(pinned.fetched == Timestamp(secondsSinceEpoch: 10))
        #expect(Recording.pinned(pinned, to: Timestamp(secondsSinceEpoch: 10)) == pinned)
    }
}
