import AFCHTTP
import AFCText
import AFCURL
import Testing

@testable import afcache

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
}
