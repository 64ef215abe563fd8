import AFCURL
import Testing

@testable import AFCDiscovery

struct WebAppManifestTests {
    private func lines(_ text: String, _ type: String, _ destination: Destination?) throws -> [String] {
        let found = ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL("https://app.example/a/app.webmanifest"),
            destination: destination
        )
        return found.references.map { "\($0.kind) \($0.reference.loads) \($0.url.path)" }
    }

    /// See https://www.w3.org/TR/appmanifest/.
    private static let text = """
        {"name": "x", "start_url": "../start?a=1#b", "scope": "/no", "id": "/no", "lang": "en",
         "icons": [{"src": "i1.png", "sizes": "1x1"}, {"src": "/i2.svg", "type": "image/svg+xml", "x": {"src": "no"}}, "no"],
         "screenshots": [{"src": "s.png", "label": "/no"}], "src": "no", "url": "no",
         "shortcuts": [{"name": "n", "url": "cut", "icons": [{"src": "ci.png"}]}],
         "share_target": {"action": "/no", "params": {"url": "no"}}, "protocol_handlers": [{"url": "/no?%s"}],
         "file_handlers": [{"action": "/no"}], "related_applications": [{"url": "https://no.example"}]}
        """
    private static let expected = [
        "link document /start", "requisite image /a/i1.png", "requisite image /i2.svg", "requisite image /a/s.png",
        "link document /a/cut", "requisite image /a/ci.png",
    ]

    @Test(
        arguments: [
            ("application/manifest+json", nil), ("application/json", .manifest), ("text/plain", .manifest),
            ("", .manifest),
            ("application/x+json; charset=utf-8", .manifest), ("application/manifest+json", .other),
        ] as [(String, Destination?)]
    )
    func `icons, screenshots, shortcuts and the start page are found`(type: String, destination: Destination?) throws {
        #expect(try lines(Self.text, type, destination) == Self.expected)
    }

    @Test(
        arguments: [
            (text, "application/json", nil), (text, "text/html", .manifest),
            (text + "x", "application/manifest+json", nil),
            ("{\"icons\":[{\"src\":\"\"}]}", "application/manifest+json", nil),
            ("[]", "application/manifest+json", nil),
            ("{\"icons\":{\"src\":\"x\"},\"start_url\":1}", "application/manifest+json", nil),
            ("{\"start_url\":\"data:,x\"}", "application/manifest+json", nil),
        ] as [(String, String, Destination?)]
    )
    func `an invalid web app manifest refers to nothing`(text: String, type: String, destination: Destination?) throws {
        #expect(try lines(text, type, destination).isEmpty)
    }
}
