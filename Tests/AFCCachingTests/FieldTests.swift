import AFCCaching
import AFCHTTP
import HTTPTypes
import Testing

struct FieldTests {
    @Test(
        arguments: [
            ("text/html", "text/html"), ("text/html ; charset=utf-8", "text/html; charset=utf-8"),
            ("Text/HTML;Charset=\"utf-8\"", "text/html; charset=utf-8"),
            ("text/plain; a=\"b c\"", "text/plain; a=\"b c\""),
            ("text/plain;", "text/plain"), ("text/plain; charset", "text/plain"), ("text", nil), ("", nil),
            ("a/b/c", nil),
            ("text/html\u{1}", nil), ("text/plain; a=\"x ; y\"", nil),
        ] as [(String, String?)]
    )
    func `a media type has one normal form, without the manifest's delimiter`(text: String, normal: String?) {
        #expect(MediaType(text)?.description == normal)
    }

    @Test(
        arguments: [
            ("application/octet-stream", "/50.bin", true), ("application/octet-stream", "/50", true),
            ("application/octet-stream", "/50.inv", true), ("application/octet-stream", "/50.zip", false),
            ("application/octet-stream", "/50.png", false), (nil, "/50.bin", true), (nil, "/50.txt", true),
            (nil, "/50.jpg", false), ("image/png", "/50.txt", false), ("text/plain", "/50.png", true),
        ] as [(String?, String, Bool)]
    ) func `any bytes are worth compressing, unless the suffix says otherwise`(
        type: String?,
        path: String,
        isCompressible: Bool
    ) {
        #expect(MediaType.isCompressible(type.flatMap { MediaType($0) }, path: path) == isCompressible)
    }

    @Test(
        arguments: [
            ("a/b.html", "text/html"), ("x.JS", "text/javascript"), ("logo.svg", "image/svg+xml"), (".html", nil),
            ("noext", nil),
            ("a.b/c", nil), ("font.woff2", "font/woff2"),
        ] as [(String, String?)]
    )
    func `a suffix stands for a media type`(path: String, type: String?) {
        #expect(MediaType(suffixOf: path)?.description == type)
    }

    @Test(
        arguments: [
            ("max-age=3600", 3600), ("max-age=\"3600\"", 3600), ("max-age='3600'", 0), ("max-age=003600", 3600),
            ("max-age=-1", 0),
            ("max-age=99999999999", 2_147_483_648), ("max-age=1, max-age=3600", 1), ("MAX-AGE=7", 7),
            ("s-maxage=5", nil),
            ("a=\"max-age=3\"", nil), ("max-age", 0), ("", nil),
        ] as [(String, Int64?)]
    )
    func `max-age is read as RFC 9111 §1.2.2 and §4.2.1 say`(value: String, seconds: Int64?) {
        #expect(CacheControl(values: [value]).maxAge == seconds)
    }

    @Test(
        arguments: [
            ("bytes=0-0", [0..<1]), ("bytes=0-", [0..<10]), ("bytes=-3", [7..<10]), ("bytes=-30", [0..<10]),
            ("bytes=5-100", [5..<10]),
            ("bytes=0-1,5-6", [0..<2, 5..<7]), ("bytes=5-6,0-1", [5..<7, 0..<2]), ("bytes=0-5,3-8", [0..<9]),
            ("bytes=9-9,20-30", [9..<10]),
            ("BYTES=1-2", [1..<3]), ("bytes=0-99999999999999999999999", [0..<10]),
        ] as [(String, [Range<Int64>])]
    )
    func `byte ranges that lie in the body are found`(field: String, ranges: [Range<Int64>]) {
        #expect(ByteRanges(field, size: 10) == .satisfiable(ranges))
    }

    @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"])
    func `byte ranges past the end are unsatisfiable`(field: String) {
        #expect(ByteRanges(field, size: 10) == .unsatisfiable)
    }

    @Test(arguments: ["lines=0-1", "bytes", "bytes=", "bytes=a-b", "bytes=5-2", "bytes=-", "bytes=1-2,x", "bytes 0-1"])
    func `an invalid set of byte ranges is ignored`(field: String) {
        #expect(ByteRanges(field, size: 10) == .ignored)
    }

    @Test func `more than sixteen ranges are ignored`() {
        #expect(
            ByteRanges("bytes=" + (0..<17).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","), size: 100) == .ignored
        )
    }

    @Test(
        arguments: [
            ("\"a\"", "a", false), ("W/\"a\"", "a", true), ("\"\"", "", false), ("a", nil, false),
            ("w/\"a\"", nil, false),
            ("\"a", nil, false), ("\"a\"b\"", nil, false), ("\"a b\"", nil, false),
        ] as [(String, String?, Bool)]
    )
    func `an entity tag is read strictly`(text: String, opaque: String?, isWeak: Bool) {
        let tag = EntityTag(text)
        #expect(tag?.opaque == opaque)
        if opaque != nil { #expect(tag?.isWeak == isWeak) }
    }

    @Test func `connection fields are not stored`() throws {
        var fields = HTTPFields()
        fields[.connection] = "close, X-Hop"
        fields.append(HTTPField(name: try #require(HTTPField.Name("x-hop")), value: "1"))
        fields.append(HTTPField(name: try #require(HTTPField.Name("keep-alive")), value: "1"))
        fields[.transferEncoding] = "chunked"
        fields[.contentType] = "text/plain"
        #expect(fields.withoutConnectionFields.map(\.name.canonicalName) == ["content-type"])
    }

    @Test func `a field that is never sent is neither stored nor packed, but forwarded`() {
        let fields: HTTPFields = [.cookie: "a=b", .contentType: "text/plain"]
        #expect(fields.storedFields == [.contentType: "text/plain"])
        #expect(fields.packedFields == [.contentType: "text/plain"])
        #expect(fields.sentFields == [.contentType: "text/plain"])
        #expect(fields.withoutConnectionFields == fields)
    }
}
