import AFCURL
import Testing

@testable import AFCDiscovery

/// Images that a page names for search engines and social networks.
struct PreviewImageTests {
    private func found(_ markup: String, findsPreviews: Bool = true) throws -> [String] {
        ReferenceExtractor.references(
            in: Array(markup.utf8),
            mediaType: "text/html",
            charset: "utf-8",
            url: try WebURL("http://d.example/a/"),
            findsPreviews: findsPreviews
        ).references.map { "\($0.reference.kind) \($0.reference.loads) \($0.url)" }
    }

    private static func linkedData(_ text: String) -> String {
        "<script type=application/ld+json>\(text)</script>"
    }

    @Test(arguments: [
        // https://ogp.me
        ("<meta property=og:image content=/x.png>", ["/x.png"]),
        ("<META PROPERTY=' OG:Image ' CONTENT=http://d.example/x.png>", ["/x.png"]),
        ("<meta property=og:image:url content=x.png>", ["/a/x.png"]),
        ("<meta property=og:image:secure_url content=x.png>", ["/a/x.png"]),
        ("<meta name=og:image content=x.png>", ["/a/x.png"]),
        (
            "<meta name=twitter:image content=x.png><meta name=twitter:image:src content=y.png>",
            ["/a/x.png", "/a/y.png"]
        ),
        ("<base href=/b/><meta property=og:image content=x.png>", ["/b/x.png"]),
        ("<meta property=og:image content=x.png><base href=/b/>", ["/b/x.png"]),
        // https://schema.org
        (linkedData(#"{"@type": "Article", "image": "/x.png"}"#), ["/x.png"]),
        (linkedData(#"{"image": ["/x.png", "/y.png"], "logo": "/z.png"}"#), ["/x.png", "/y.png", "/z.png"]),
        (linkedData(#"{"image": {"@type": "ImageObject", "url": "\/x.png", "caption": "/c"}}"#), ["/x.png"]),
        (linkedData(#"[{"@graph": [{"primaryImageOfPage": {"contentUrl": "/x.png"}}]}]"#), ["/x.png"]),
        (linkedData(#"{"thumbnailUrl": "/x.png", "thumbnail": {"@id": "/y.png"}}"#), ["/x.png", "/y.png"]),
    ])
    func `images for previews are requisites if they are asked for`(markup: String, paths: [String]) throws {
        #expect(try found(markup) == paths.map { "requisite image http://d.example\($0)" })
        #expect(try found(markup, findsPreviews: false).isEmpty)
    }

    @Test(arguments: [
        "<meta property=og:title content=x.png>", "<meta property=og:image:width content=600>",
        "<meta property=og:image>", "<meta property=og:image content=''>",
        "<meta property=og:image content='data:image/png;base64,iVBOR'>", "<meta property=og:url content=/x>",
        linkedData(#"{"url": "/x", "author": {"url": "/y"}, "contentUrl": "/film.mp4"}"#),
        linkedData(#"{"image": {"author": {"url": "/y"}}}"#), linkedData(#"{"image": "/x.png""#), linkedData(""),
        #"<script type=application/json>{"image": "/x.png"}</script>"#,
    ])
    func `anything else isn't`(markup: String) throws {
        #expect(try found(markup).isEmpty)
    }

    @Test func `only 64 images of one block are taken`() throws {
        let images = (0..<200).map { "\"/\($0).png\"" }.joined(separator: ",")
        #expect(try found(Self.linkedData("{\"image\": [\(images)]}")).count == 64)
    }
}
