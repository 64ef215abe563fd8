import Foundation
import Testing

@testable import AFCArchive

/// Records in the bytes of a WARC or ARC, whatever the pieces in which the bytes arrive.
struct RecordParserTests {
    /// Notes what a parser says, in short words.
    private struct Notes: RecordReceiver {
        var words: [String] = []
        var content: [UInt8] = []
        /// The length that the content states, if it begins with a digit.
        var stated: Int64?

        var shortfall: Int64 { stated.map { max(0, $0 - Int64(content.count)) } ?? 0 }

        mutating func begin(_ head: RecordHead, at place: RecordPlace) {
            words.append("\(place.number)@\(place.offset) \(head.kind) \(head.target)")
            content = []
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) { content += bytes }

        mutating func end(_ ending: RecordEnding) {
            words.append("\(ending) \(String(decoding: content, as: UTF8.self))")
        }

        mutating func lose(at place: RecordPlace, isEnd: Bool) {
            words.append("\(isEnd ? "cut" : "lost")@\(place.offset)")
        }
    }

    private static func record(_ content: String, length: String? = nil, version: String = "1.0") -> String {
        """
        WARC/\(version)\r
        WARC-Type: response\r
        WARC-Target-URI: <http://a.example/>\r
        Content-Length: \(length ?? "\(content.utf8.count)")\r
        \r
        \(content)\r
        \r

        """
    }

    /// Parses members one after the other, each in pieces of some bytes; one member is a file that isn't compressed.
    private static func parse(_ members: [String], pieces: Int, stated: Int64? = nil) throws -> [String] {
        var parser = RecordParser()
        var notes = Notes(stated: stated)
        for (index, member) in members.enumerated() {
            if members.count > 1 { try parser.beginMember(at: Int64(index * 100), to: &notes) }
            let bytes = Array(member.utf8)
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                try Array(bytes[start..<min(start + pieces, bytes.count)]).withUnsafeBytes {
                    try parser.feed($0, to: &notes)
                }
            }
        }
        try parser.interrupt(&notes)
        return notes.words
    }

    @Test(arguments: [1, 2, 3, 7, 64, 100_000])
    func `records follow one another, with either line end and any empty lines between`(pieces: Int) throws {
        let text = Self.record("one") + "\r\n\n" + Self.record("", version: "0.17")
        let expected = [
            "1@0 response http://a.example/", "complete one",
            "2@\(Self.record("one").utf8.count + 3) response http://a.example/", "complete ",
        ]
        #expect(try Self.parse([text], pieces: pieces) == expected)
        for end in ["\n", "\r\r\n"] {
            let other = text.replacingOccurrences(of: "\r\n", with: end)
            let found = try Self.parse([other], pieces: pieces)
            #expect(found.filter { $0.hasPrefix("complete") } == ["complete one", "complete "])
        }
    }

    @Test(arguments: [1, 4, 9, 100_000])
    func `a record of several members is one, and a member may have several`(pieces: Int) throws {
        let text = Self.record("WARC/1.0 is a version")
        for place in [1, 4, 8, 20, 60, text.utf8.count - 25, text.utf8.count - 15, text.utf8.count - 2] {
            let cut = text.utf8.index(text.startIndex, offsetBy: place)
            let found = try Self.parse([String(text[..<cut]), String(text[cut...]) + Self.record("b")], pieces: pieces)
            #expect(
                found == [
                    "1@0 response http://a.example/", "complete WARC/1.0 is a version",
                    "2@100 response http://a.example/", "complete b",
                ]
            )
        }
    }

    @Test(arguments: [1, 5, 100_000])
    func `a length that is too large ends with its member if another record follows`(pieces: Int) throws {
        let found = try Self.parse([Self.record("a", length: "999"), Self.record("b")], pieces: pieces)
        #expect(
            found == [
                "1@0 response http://a.example/", "early a\r\n\r\n", "2@100 response http://a.example/", "complete b",
            ]
        )
    }

    @Test(arguments: [1, 5, 100_000])
    func `behind a length that is too small, the next record is found`(pieces: Int) throws {
        let text = Self.record("abcdef", length: "2") + Self.record("b")
        let found = try Self.parse([text], pieces: pieces)
        let lost = Self.record("abcdef", length: "2").utf8.count - 8
        #expect(found[1...2] == ["complete ab", "lost@\(lost)"])
        #expect(found.last == "complete b")
        // The content says how long it is.
        let mended = try Self.parse([text], pieces: pieces, stated: 6)
        #expect(mended[1] == "late abcdef")
        #expect(mended.last == "complete b" && !mended.contains { $0.hasPrefix("lost") })
        // What says so may be wrong.
        let wrong = try Self.parse([Self.record("ab") + Self.record("b")], pieces: pieces, stated: 6)
        #expect(wrong.filter { $0.hasPrefix("complete") } == ["complete ab", "complete b"])
    }

    @Test(arguments: ["-1", "", "x", "99999999999999999999", "1e3", "+1"])
    func `a record without a usable length is lost, and the next one found`(length: String) throws {
        let found = try Self.parse([Self.record("a", length: length) + Self.record("b")], pieces: 10)
        #expect(found.first == "lost@0")
        #expect(found.last == "complete b")
    }

    @Test func `a record that the end cuts says so, in its head and in its content`() throws {
        #expect(try Self.parse(["WARC/1.0\r\nWARC-Type: respo"], pieces: 9) == ["cut@0"])
        let text = Self.record("abc", length: "9223372036854775807")
        #expect(try Self.parse([text], pieces: 9).last == "cut abc\r\n\r\n")
    }

    @Test func `an ARC's URLs may have spaces, and both versions of heads are read`() throws {
        let text = """
            filedesc://a.arc 0.0.0.0 20240101000000 text/plain 3
            1 0
            http://a.example/x y z 1.2.3.4 20240102030405 text/html 3
            abc
            http://b.example/ 1.2.3.4 20240102030405 text/html 200 - - 7 a.arc 2
            de

            """
        let found = try Self.parse([text], pieces: 11)
        #expect(found.filter { $0.hasPrefix("complete") } == ["complete 1 0", "complete abc", "complete de"])
        #expect(found.contains { $0.hasSuffix("response http://a.example/x y z") })
    }

    @Test func `a head has its brackets and folds removed, and bytes outside UTF-8 are Latin-1`() throws {
        let bytes =
            Array("WARC/1.1\nwarc-type: revisit\nWARC-Target-URI: http://a.example/".utf8) + [0xE9]
            + Array("\nWARC-Profile: http://x/\n\trevisit\nWARC-Truncated: length\ncontent-length: 0\n\n".utf8)
        let head = try #require(RecordHead(warc: bytes))
        #expect(head.kind == .revisit && head.target == "http://a.example/é")
        #expect(head.profile == "http://x/ revisit" && head.truncated == "length")
    }
}
