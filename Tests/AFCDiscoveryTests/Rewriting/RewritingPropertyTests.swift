import AFCURL
import Foundation
import TestSupport
import Testing

@testable import AFCDiscovery

/// The properties of docs/reference/rewriting.md, over pages of sites and over random ones.
struct RewritingPropertyTests {
    private struct Found: Hashable {
        var url: String
        var kind: Reference.Kind
        var loads: Destination
    }

    private struct Body {
        var bytes: [UInt8]
        var type: String
        var charset: String?
    }

    /// Returns what discovery finds outside scripts.
    private static func found(_ body: Body, at url: WebURL, _ map: (WebURL) -> WebURL = { $0 }) -> Set<Found> {
        let found = ReferenceExtractor.references(
            in: body.bytes,
            mediaType: body.type,
            charset: body.charset,
            url: url,
            usesRecipes: false
        )
        let scripts: Set = ["import", "export", "import()", "new URL()", "location", "require", "window.open()"]
        return Set(
            found.references.filter { !scripts.contains($0.reference.attribute) && $0.reference.attribute != "onclick" }
                .map { Found(url: map($0.url).description, kind: $0.reference.kind, loads: $0.reference.loads) }
        )
    }

    /// Maps about half of all URLs, and all of the page's own host, to another host and odd paths.
    private static func half(_ url: WebURL) -> WebURL? {
        // The query makes no difference, since a form's address has another one than its reference.
        let sum = (url.origin + url.path).utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        guard url.host == "docs.example" || sum.isMultiple(of: 2) else { return nil }
        let host = (url.host ?? "").replacing(":", with: "").replacing("[", with: "").replacing("]", with: "")
        guard !host.hasSuffix(".mapped.test") else { return nil }
        let marks = sum.isMultiple(of: 3) ? "it's(1),;%25&b/" : ""
        return try? WebURL("http://\(host).mapped.test:81/\(url.scheme)/\(marks)\(url.requestTarget.dropFirst())")
    }

    private static func check(_ body: Body, _ name: String) throws {
        let url = try WebURL("https://docs.example/guide/page.html")
        let same = ReferenceRewriter(url: url, shown: url) { $0 }
        #expect(same.rewrite(body.bytes, mediaType: body.type, charset: body.charset) != .rewritten([]), "\(name)")
        if case .rewritten(let bytes, _, _) = same.rewrite(body.bytes, mediaType: body.type, charset: body.charset) {
            Issue.record("\(name) changes by the identity: \(String(decoding: bytes.prefix(2_000), as: UTF8.self))")
        }
        let shown = try #require(Self.half(url))
        let rewriter = ReferenceRewriter(url: url, shown: shown, map: Self.half)
        let before = Self.found(body, at: url) { Self.half($0) ?? $0 }
        guard
            case .rewritten(let bytes, _, _) = rewriter.rewrite(body.bytes, mediaType: body.type, charset: body.charset)
        else {
            #expect(Self.found(body, at: shown) == before, "\(name) unchanged")
            return
        }
        let new = Body(bytes: bytes, type: body.type, charset: body.charset)
        let after = Self.found(new, at: shown)
        if after != before {
            Issue.record(
                """
                \(name): lost \(Array(before.subtracting(after))), new \(Array(after.subtracting(before))) in
                \(String(decoding: body.bytes.prefix(3_000), as: UTF8.self))
                →
                \(String(decoding: bytes.prefix(3_000), as: UTF8.self))
                """
            )
        }
        let again = ReferenceRewriter(url: shown, shown: shown, map: Self.half)
        #expect(again.rewrite(bytes, mediaType: body.type, charset: body.charset) == .unchanged, "\(name) twice")
    }

    @Test func `pages of sites keep their references`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/sites")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        let types = [
            "html": "text/html", "css": "text/css", "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
        ]
        var count = 0
        for case let file as URL in files {
            guard let type = types[file.pathExtension] else { continue }
            count += 1
            try Self.check(Body(bytes: Array(try Data(contentsOf: file)), type: type), file.lastPathComponent)
        }
        #expect(count > 30)
    }

    @Test func `random pages keep their references`() throws {
        var generator = SeededGenerator(seed: 1)
        func pick<Element>(_ list: [Element]) -> Element { list.randomElement(using: &generator) ?? list[0] }
        func address() -> String {
            pick([
                "x", "/x", "../y?a=1&b=2#c", "https://docs.example/a", "//cdn.example/b",
                "HTTPS://CDN.example:443/%C3%A9",
                "http://other.example:81/é?ü", "https://docs.example//e", "?q", "#f", "mailto:a@b", "data:,x", "",
                "  https://cdn.example/sp ", "https://cdn.example/a'b(c),d;e", "https:/\\cdn.example\\w", "x y",
                "https://&#99;dn.example/&amp;", "&#x2F;&#x2F;cdn.example/r", "http://[::1]/v",
                "https://bücher.example/",
            ])
        }
        let forms = [
            "<a href=\"@\">", "<a href='@'>", "<a href=@>", "<img src=\"@\" srcset=\"@ 1x, @ 2x\">", "<base href='@'>",
            "<link rel=stylesheet href=\"@\" integrity=sha256-x>", "<p style=\"a:url(@) b\">",
            "<p style='a:url(\"@\")'>",
            "<style>a{b:url('@')} c{d:url(@)}</style>", "<style>@import \"@\";</style>", "<iframe src='@'>",
            "<iframe srcdoc=\"<a href='@'><base href='@'>\">", "<meta http-equiv=refresh content='1;url=@'>",
            "<svg><use href='@'/><style>a{b:url(@)}</style></svg>", "<form action='@'>",
            "<video poster=@><source src='@'>",
            "<script src='@' integrity=x></script>", "<script>var a = '@'</script>", "<!-- <a href='@'> -->",
            "<template><img src='@'></template>", "<noscript><a href='@'></noscript>", "<img data-src='@'>",
            "<object data='@'>", "<body background='@'>", "text é @ ", "<textarea>@</textarea>", "<p title=\"@\">",
            "<table background=@ style='b:image-set(\"@\" 1x)'>", "<link rel=icon href='@'><link rel=next href=@>",
            "<picture><source srcset='@, @ 2x'><img src='@'></picture>", "<svg><image xlink:href='@'/></svg>",
        ]
        for round in 0..<Rounds.count(800) {
            var page = ""
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                for part in pick(forms).split(separator: "@", omittingEmptySubsequences: false).enumerated() {
                    page += (part.offset > 0 ? address() : "") + part.element
                }
            }
            let charset: String? = pick(["utf-8", nil, "windows-1252", "shift_jis", "gb18030"])
            try Self.check(Body(bytes: Array(page.utf8), type: "text/html", charset: charset), "page \(round)")
            for byPath in [false, true] {
                _ = try ReferenceRewriterTests.rewritten(Array(page.utf8), charset: charset, byPath: byPath)
            }
        }
    }

    @Test func `random style sheets keep their references`() throws {
        var generator = SeededGenerator(seed: 1)
        let parts = [
            "a{b:url(", ")}", "'", "\"", "https://docs.example/x", "https://cdn.example/y'z", "//cdn.example/q", "\\",
            "\\28 ",
            "@import ", ";", "url(", "image-set(", "/*", "*/", "é", " ", "\n", "x.css", "@font-face{src:", "}", "#a",
            "src(",
        ]
        for round in 0..<Rounds.count(1_500) {
            let sheet = (0..<Int.random(in: 1...14, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }.joined()
            try Self.check(Body(bytes: Array(sheet.utf8), type: "text/css"), "sheet \(round)")
        }
    }
}
