import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCArchive

/// The parts of HTTrack's cache, as htscache.c writes them; none is believed.
struct HTTrackTests {
    /// A local header (APPNOTE.TXT §4.3.7) with some bytes replaced.
    private static func header(_ changes: [Int: UInt8] = [:]) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]
        bytes += [0xEF, 0xCD, 0xAB, 0x89, 2, 0, 0, 0x80, 3, 1, 0, 0, 4, 1, 0, 2]
        for (place, byte) in changes { bytes[place] = byte }
        return bytes
    }

    @Test func `a header has sizes that are never negative`() throws {
        let header = try #require(HTTrackHeader(Self.header()))
        #expect(header.crc32 == 0x89AB_CDEF && header.storedSize == 0x8000_0002 && header.bodySize == 0x103)
        #expect(header.nameSize == 0x104 && header.headSize == 0x200 && header.isDeflated)
    }

    @Test(arguments: [[0: 0x51], [6: 1], [6: 8], [8: 9], [8: 0]] as [[Int: UInt8]])
    func `what HTTrack never writes is no header`(changes: [Int: UInt8]) {
        #expect(HTTrackHeader(Self.header(changes)) == nil)
    }

    @Test func `a short header is none, and a stored body has one size`() {
        #expect(HTTrackHeader(Array(Self.header().dropLast())) == nil)
        #expect(HTTrackHeader(Self.header([8: 0, 18: 3, 19: 1, 21: 0]))?.isDeflated == false)
    }

    private static func entry(_ name: String, _ lines: String..., status: String = "200 OK") -> HTTrackEntry? {
        HTTrackEntry(
            name: Array(name.utf8),
            head: Array((["HTTP/1.1 \(status)"] + lines).map { $0 + "\r\n" }.joined().utf8)
        )
    }

    @Test func `an entry has the server's fields, and says where the body is`() throws {
        let entry = try #require(
            Self.entry(
                "http://a.example/p",
                "X-In-Cache: 0",
                "X-StatusMessage: Fine",
                "X-Size: 7",
                "Content-Type: text/html",
                "X-Charset: iso-8859-1",
                "Etag: \"1\"",
                "Content-Disposition: a.html",
                "X-Addr: a.example",
                "X-Save: a.example/p.html",
                status: "203 (See X-StatusMessage)"
            )
        )
        #expect(entry.url == "http://a.example/p" && !entry.hasFragment && !entry.isInCache && entry.size == 7)
        #expect(entry.status == 203 && entry.reason == "Fine" && entry.saved == "a.example/p.html")
        #expect(
            entry.fields.map { "\($0.name.rawName): \($0.value)" } == [
                "Content-Type: text/html; charset=iso-8859-1", "Etag: \"1\"",
            ]
        )
    }

    @Test func `an entry that HTTrack kept of an older mirror has no body`() throws {
        let entry = try #require(Self.entry("http://a.example/", "X-In-Cache: 1", "X-Kept: 1", "X-Save: a/b"))
        #expect(!entry.isInCache && entry.saved.isEmpty)
    }

    @Test(arguments: [
        ("a.example/x", "http://a.example/x"), ("https://a.example/", "https://a.example/"),
        ("ftp://a.example/", "ftp://a.example/"), ("http://a.example/é", "http://a.example/é"),
    ])
    func `the member's name is the URL, in old versions without its scheme`(name: String, url: String) {
        #expect(Self.entry(name)?.url == url)
    }

    @Test func `bytes of a URL that aren't UTF-8 are escaped, and fragments are seen`() {
        let head = Array("HTTP/1.1 200 OK\r\n".utf8)
        #expect(HTTrackEntry(name: Array("http://a.example/".utf8) + [0xE9], head: head)?.url == "http://a.example/%E9")
        #expect(Self.entry("http://a.example/#b")?.hasFragment == true)
        #expect(HTTrackEntry(name: Array("http://a.example/".utf8), head: Array("X: 1".utf8)) == nil)
    }

    @Test(
        arguments: [
            ("a\r\nFile generated automatically on Thu, 26 Nov 2026 14:31:39, do NOT edit\r\n", 1_795_703_499),
            ("generated automatically on Thu, 26 Nov 2026 14:31:39 GMT, do NOT edit", 1_795_703_499),
            ("generated automatically on Donnerstag, do NOT edit", nil),
            (", do NOT edit generated automatically on ", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `the log states when the mirror was begun`(log: String, seconds: Int64?) {
        #expect(HTTrackEntry.beginning(in: log)?.time.secondsSinceEpoch == seconds)
    }
}
