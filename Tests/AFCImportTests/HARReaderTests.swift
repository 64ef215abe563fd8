import HTTPTypes
import Testing

@testable import AFCArchive

/// The entries of a HAR, whatever the pieces in which its bytes arrive.
struct HARReaderTests {
    private final class Entries: HARReceiver {
        var entries: [HAREntry] = []
        var bodies: [String] = []
        private var body: [UInt8] = []

        func append(_ bytes: UnsafeRawBufferPointer) { body += bytes }

        func take(_ entry: HAREntry) {
            entries.append(entry)
            bodies.append(String(decoding: body, as: UTF8.self))
            body = []
        }
    }

    private static func read(_ text: String, pieces: Int = 7) throws(JSONEventParser.Failure) -> Entries {
        let entries = Entries()
        var reader = HARReader(to: entries)
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            try piece.span.bytes.withUnsafeBytes { bytes throws(JSONEventParser.Failure) in try reader.feed(bytes) }
        }
        try reader.finish()
        return entries
    }

    private static let whole = """
        \u{FEFF} {"log": {"pages": [{"id": 1, "url": "http://not.example/"}], "entries": [
          {"startedDateTime": "2024-01-01T00:00:00.250Z", "_other": {"url": "x", "response": {"status": 1}},
           "request": {"method": "POST", "url": "http://a.example/\\u00e9", "headers": [{"name": "Accept", "value": "a"}],
                       "postData": {"mimeType": "text/plain", "text": "q=\\"1\\""}},
           "response": {"status": 200, "bodySize": 5, "headers": [{"name": ":status", "value": "200"},
                        {"name": "X-A", "value": "b\\nc"}, {"comment": "", "name": "X-B", "value": ""}],
                        "content": {"size": 3, "mimeType": "text/html", "text": "\\ud83d\\ude00<\\/p>", "encoding": "BASE64"}}},
          {"request": {"url": "http://b.example/", "postData": {"params": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}]}},
           "response": {"status": 302, "redirectURL": "/c", "content": {"size": -1, "_file": "f.bin"}}}
        ]}}
        """

    @Test(arguments: [1, 2, 5, 100_000])
    func `an entry has what its members say, and nothing of others`(pieces: Int) throws {
        let found = try Self.read(Self.whole, pieces: pieces)
        try #require(found.entries.count == 2)
        let (one, two) = (found.entries[0], found.entries[1])
        #expect(one.number == 1 && one.started == "2024-01-01T00:00:00.250Z" && one.method == "POST")
        #expect(one.url == "http://a.example/é" && one.requestType == "text/plain")
        #expect(one.requestBody == Array("q=\"1\"".utf8) && one.requestFields.map(\.value) == ["a"])
        #expect(one.status == 200 && one.bodySize == 5 && one.contentSize == 3 && one.isBase64 && one.hasText)
        #expect(one.fields.map { "\($0.name.rawName): \($0.value)" } == ["X-A: b", "X-A: c", "X-B: "])
        #expect(found.bodies == ["😀</p>", ""])
        #expect(two.method == "GET" && two.status == 302 && two.redirectURL == "/c" && two.file == "f.bin")
        #expect(two.requestBody == Array("a=1&b=2".utf8) && !two.hasText && two.contentSize == -1)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\" 1}", "{\"a\":1,}", "tru", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12G4\"}", "{} x", "01x",
        "nul",
        "{\"log\":{\"entries\":[{}", "[}", "{]",
    ])
    func `what isn't JSON is refused`(text: String) {
        #expect(throws: JSONEventParser.Failure.self) { try Self.read(text) }
    }

    @Test func `deep nesting is refused, and a long one isn't`() throws {
        #expect(throws: JSONEventParser.Failure.self) { try Self.read(String(repeating: "[", count: 100_000)) }
        _ = try Self.read("[" + String(repeating: "[[]],", count: 10_000) + "1]", pieces: 1000)
    }

    @Test func `a lone surrogate becomes three bytes, and control characters are kept`() throws {
        let found = try Self.read(
            "{\"log\":{\"entries\":[{\"response\":{\"content\":{\"text\":\"a\\ud800b\tc\\ud83d\"}}}]}}"
        )
        #expect(found.bodies.count == 1)
        #expect(found.bodies.first?.hasPrefix("a") == true && found.bodies.first?.contains("b\tc") == true)
    }
}
