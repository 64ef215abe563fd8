import HTTPTypes
import Testing

@testable import AFCArchive

/// The parts of an MHTML file (RFC 2557, RFC 2045), whatever the pieces in which its bytes arrive.
struct MHTMLReaderTests {
    private final class Parts: MHTMLReceiver {
        var fields: [HTTPFields] = []
        var parts: [MHTMLPart] = []
        var bodies: [String] = []
        var complete: [Bool] = []
        private var body: [UInt8] = []

        func begin(_ fields: HTTPFields) { self.fields.append(fields) }
        func begin(_ part: MHTMLPart) {
            parts.append(part)
            body = []
        }
        func append(_ bytes: [UInt8]) { body += bytes }
        func end(isComplete: Bool) {
            bodies.append(String(decoding: body, as: UTF8.self))
            complete.append(isComplete)
        }
    }

    private static func read(_ text: String, pieces: Int = 7) throws -> Parts {
        let parts = Parts()
        var reader = MHTMLReader(to: parts)
        let bytes = Array(text.replacing("\n", with: "\r\n").utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            try piece.withUnsafeBytes { try reader.feed($0) }
        }
        try reader.finish()
        return parts
    }

    private static let whole = """

        From: <Saved by Blink>
        Date: Mon, 1 Jan 2024 00:00:00 GMT
        Content-Type: multipart/related; type="text/html";
        \tboundary="--B=_1"

        ignored
        ----B=_1
        Content-Type: text/html
        Content-Location: http://a.example/
         page
        Content-ID: <f@x>
        Content-Transfer-Encoding: quoted-printable

        a=3Db=C3=A9 soft=
        line   \nend= x=ZZ

        ----B=_1
        Content-Transfer-Encoding: BASE64
        Content-Location: =?utf-8?Q?http://a.example/=C3=A9_x?=

        aGFs
        bG8=
        ----B=_1
        Content-Location: cid:a@b

        plain
        ----B=_1x
        ----B=_1
        Content-Type: multipart/alternative; boundary=inner

        --inner
        Content-Location: i

        in
        --inner--
        ----B=_1
        Content-Location: e

        ----B=_1--
        epilogue
        """

    @Test(arguments: [1, 3, 100_000])
    func `a part has its fields and its decoded body`(pieces: Int) throws {
        let found = try Self.read(Self.whole, pieces: pieces)
        #expect(found.fields.count == 1 && found.fields.first?[.date] == "Mon, 1 Jan 2024 00:00:00 GMT")
        #expect(found.parts.map(\.number) == [1, 2, 3, 4, 5] && found.complete == [true, true, true, true, true])
        #expect(
            found.parts.map(\.location) == ["http://a.example/page", "http://a.example/é x", "cid:a@b", "i", "e"]
        )
        #expect(found.parts[0].id == "f@x" && found.parts[1].id == nil)
        #expect(found.bodies == ["a=bé softline\nend= x=ZZ\n", "hallo", "plain\r\n----B=_1x", "in", ""])
    }

    @Test(arguments: ["", "a", "Content-Type: text/html\n\n<p>", "Content-Type: multipart/related\n\n--x\n\n"])
    func `what has no boundary is no message`(text: String) {
        #expect(throws: MHTMLReader<Parts>.Malformation.noMessage) { try Self.read(text) }
    }

    @Test func `a part that the file's end cuts, or that isn't coded as it states, isn't complete`() throws {
        let head = "Content-Type: multipart/related; boundary=b\n\n--b\n"
        #expect(try Self.read(head + "\nabc").complete == [false])
        #expect(try Self.read(head + "Content-Transfer-Encoding: base64\n\n!!!\n--b--").complete == [false])
        #expect(
            try Self.read(head + "Content-Transfer-Encoding: base64\n\nYWI=\n--b\n\nx\n--b--").complete == [true, true]
        )
    }

    @Test func `heads and nesting are limited, and a long line isn't kept`() throws {
        let head = "Content-Type: multipart/related; boundary=b\n\n"
        #expect(throws: MHTMLReader<Parts>.Malformation.tooLarge) {
            try Self.read("A: \(String(repeating: "x", count: 2 << 20))\n\n", pieces: 4096)
        }
        var nested = head
        for depth in 0..<20 {
            nested += "--b\(depth == 0 ? "" : "\(depth)")\nContent-Type: multipart/x; boundary=b\(depth + 1)\n\n"
        }
        #expect(throws: MHTMLReader<Parts>.Malformation.tooLarge) { try Self.read(nested) }
        let long = String(repeating: "--b", count: 100_000)
        #expect(try Self.read(head + "--b\n\n\(long)\n--b--", pieces: 5000).bodies == [long])
    }
}
