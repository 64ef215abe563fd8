import Testing

@testable import AFCDiscovery

/// The directives of a page's head.
struct PageDirectiveWordsTests {
    private func words(_ html: [UInt8], charset: String? = nil, isXML: Bool = false) -> [Substring] {
        html.withUnsafeBufferPointer { PageDirectiveWords.read(html: $0, charset: charset, isXML: isXML) }
    }

    @Test(
        arguments: [
            ("<meta name=robots content='noai, noimageai'>", ["noai", "noimageai"]),
            (
                "<!doctype html><html><head><title>a</title><META NAME=\" Robots \" CONTENT=\"NOAI,nofollow\n\">",
                ["noai", "nofollow"]
            ),
            ("<meta name=robots content=a><meta content=b name=afcache>", ["a", "b"]),
            ("<meta name=otherbot content=noai>", []), ("<meta property=robots content=noai>", []),
            ("<meta name=robots>", []),
            // What scripts, templates, comments and the body have isn't in the head.
            ("<script>'<meta name=robots content=noai>'</script>", []),
            ("<!-- <meta name=robots content=noai> -->", []),
            ("<template><meta name=robots content=noai></template>", []),
            ("<title><meta name=robots content=noai></title>", []),
            ("<body><meta name=robots content=noai>", []), ("<p>a</p><meta name=robots content=noai>", []),
            ("<link rel=x><style>a{}</style><noscript><meta name=robots content=noai></noscript>", ["noai"]),
            ("<meta name=robots content=&#110;oai>", ["noai"]), ("", []),
        ] as [(String, [String])]
    ) func `meta elements of the head are read`(html: String, expected: [String]) {
        #expect(words(Array(html.utf8)).map(String.init) == expected)
    }

    @Test func `the encoding and XML make no difference`() {
        let html = "<html><head><meta name=\"robots\" content=\"noai\"/></head></html>"
        #expect(words(html.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }, charset: "utf-16le") == ["noai"])
        #expect(words(Array(html.utf8), isXML: true) == ["noai"])
    }

    @Test func `no more than the beginning and 64 words are read`() {
        let late = String(repeating: "<!-- 345678 -->", count: 20_000) + "<meta name=robots content=noai>"
        #expect(words(Array(late.utf8)).isEmpty)
        let many = "<meta name=robots content='" + String(repeating: "a ", count: 500) + "'>"
        #expect(words(Array(many.utf8)).count == 64)
    }
}
