import AFCHTTP
import AFCText
import AFCURL
import Testing

@testable import AFCProgram

/// What a list shows of a package from a stranger.
struct ListedResourceTests {
    @Test(arguments: [
        ("text/html\u{9B}31m", #"text/html\u{9b}31m"#), ("text/\u{202E}lmth", #"text/\u{202e}lmth"#),
        ("a\u{1B}]0;x\u{7}", #"a\u{1b}]0;x\u{7}"#),
    ])
    func `a media type can't move the cursor or reverse the line`(type: String, shown: String) throws {
        let resource = ListedResource(url: try WebURL("http://docs.example/"), status: 200, size: 1, mediaType: type)
        let line = resource.line(at: Timestamp(secondsSinceEpoch: 0))
        #expect(line.contains(shown))
        #expect(!line.unicodeScalars.contains(where: PrintableText.isInvisible))
        let json = resource.json(at: Timestamp(secondsSinceEpoch: 0)).serialized
        #expect(!json.unicodeScalars.contains(where: PrintableText.isInvisible))
    }

    @Test(arguments: [
        ("a\u{A0}b", "'a\\u{a0}b'"), ("\u{202F}\u{2009}\u{3000}", "'\\u{202f}\\u{2009}\\u{3000}'"), ("ü b", "'ü b'"),
    ]) func `in quotes, white space that isn't a space is shown as a number`(text: String, expected: String) {
        #expect(PrintableText.quoted(text) == expected)
    }
}
