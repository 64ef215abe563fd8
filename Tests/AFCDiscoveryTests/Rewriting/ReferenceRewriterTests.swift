import AFCURL
import Testing

@testable import AFCDiscovery

/// docs/reference/rewriting.md.
struct ReferenceRewriterTests {
    /// Rewrites a body of `https://docs.example/guide/` as it is shown below localhost, where two hosts have names.
    static func rewritten(
        _ body: [UInt8],
        _ type: String = "text/html",
        charset: String? = "utf-8",
        url: String = "https://docs.example/guide/",
        byPath: Bool = false
    ) throws -> ReferenceRewriter.Outcome {
        let url = try WebURL(url)
        let map = byPath ? Self.byPath : Self.byName
        let shown = try #require(map(url))
        let changes: ReferenceRewriter.Changes = byPath ? .prefix : .origin
        let outcome = ReferenceRewriter(url: url, shown: shown, changes: changes, map: map)
            .rewrite(body, mediaType: type, charset: charset)
        // Without that knowledge, each reference is resolved, with the same result.
        let slow = ReferenceRewriter(url: url, shown: shown, map: map)
        #expect(slow.rewrite(body, mediaType: type, charset: charset) == outcome)
        return outcome
    }

    /// Hosts of packages have names.
    static func byName(_ url: WebURL) -> WebURL? {
        let names = [
            "https://docs.example": "docs-example", "https://cdn.example": "cdn-example",
            "http://plain.example": "plain-example---80",
        ]
        return names[url.origin].flatMap { try? WebURL("http://\($0).localhost:8080\(url.requestTarget)") }
    }

    /// Hosts of packages are the first part of the path.
    static func byPath(_ url: WebURL) -> WebURL? {
        guard ["docs.example", "cdn.example", "plain.example"].contains(url.host ?? "") else { return nil }
        return try? WebURL("http://192.0.2.1:8080/\(url.authority)\(url.requestTarget)")
    }

    static func text(
        _ body: String,
        _ type: String = "text/html",
        byPath: Bool = false,
        charset: String? = "utf-8"
    ) throws -> String? {
        switch try rewritten(Array(body.utf8), type, charset: charset, byPath: byPath) {
        case .unchanged: return nil
        case .rewritten(let bytes, _, _): return String(decoding: bytes, as: UTF8.self)
        case .impossible: return "impossible"
        }
    }

    @Test(
        arguments: [
            // An address of the page's own host becomes a path, one of another packaged host the host's name.
            ("<a href=\"https://docs.example/x?a=1&amp;b=2#c\">", "<a href=\"/x?a=1&amp;b=2#c\">"),
            ("<a href='https://cdn.example/x'>", "<a href='http://cdn-example.localhost:8080/x'>"),
            ("<a href=https://cdn.example/x>", "<a href=http://cdn-example.localhost:8080/x>"),
            (
                "<A HREF = https://cdn.example/x?a=b&c >",
                "<A HREF = http://cdn-example.localhost:8080/x?a&#61;b&amp;c >"
            ),
            ("<img src=\"//cdn.example/x\">", "<img src=\"http://cdn-example.localhost:8080/x\">"),
            ("<a href=\"https://docs.example//evil\">", "<a href=\"/.//evil\">"),
            ("<a href=\"https://plain.example/\">", nil),
            ("<a href=\"http://plain.example/\">", "<a href=\"http://plain-example---80.localhost:8080/\">"),
            // What leads to the right place by itself, and what no package has.
            ("<a href=\"x\">", nil), ("<a href=\"/x\">", nil), ("<a href=\"#x\">", nil), ("<a href=\"?x\">", nil),
            ("<a href=\"https://other.example/\">", nil), ("<a href=\"mailto:a@docs.example\">", nil),
            ("<p title=\"https://docs.example/\">https://docs.example/", nil),
            ("<!-- <a href=\"https://docs.example/\"> -->", nil),
            ("<script>a = \"https://docs.example/x\"</script>", nil),
            ("<textarea><a href=\"https://docs.example/\">", nil),
            // Each occurrence is replaced.
            (
                "<img src=\"https://docs.example/a\"><img src=\"https://docs.example/a\">",
                "<img src=\"/a\"><img src=\"/a\">"
            ),
            (
                "<img srcset=\"https://cdn.example/a 1x,https://docs.example/b 2x, c 3x\" src=https://docs.example/d>",
                "<img srcset=\"http://cdn-example.localhost:8080/a 1x,/b 2x, c 3x\" src=/d>"
            ),
            (
                "<video poster='https://docs.example/p'><source src='https://docs.example/v'></video>",
                "<video poster='/p'><source src='/v'></video>"
            ),
            ("<p style=\"background:url(https://docs.example/a)\">", "<p style=\"background:url(/a)\">"),
            ("<p style='background:url(&quot;https://docs.example/a&quot;)'>", "<p style='background:url(\"/a\")'>"),
            (
                "<style>@import 'https://docs.example/a'; p{a:url( https://docs.example/b )}</style>",
                "<style>@import '/a'; p{a:url( /b )}</style>"
            ),
            (
                "<meta http-equiv=refresh content=\"5; url=https://docs.example/n\">",
                "<meta http-equiv=refresh content=\"5; url=/n\">"
            ),
            (
                "<meta http-equiv=refresh content=\"0;url='https://docs.example/n'\">",
                "<meta http-equiv=refresh content=\"0;url='/n'\">"
            ),
            (
                "<iframe srcdoc=\"<a href='https://docs.example/x'>é\">",
                "<iframe srcdoc=\"&lt;a href='/x'>&#233;\">".replacing("&lt;", with: "<")
            ),
            ("<form action=\"https://docs.example/s?a=b\"><input>", "<form action=\"/s?a=b\"><input>"),
            ("<img data-src=\"https://docs.example/a.png\">", "<img data-src=\"/a.png\">"),
            ("<svg><use href='https://docs.example/a#b'/></svg>", "<svg><use href='/a#b'/></svg>"),
            (
                "<svg><style>a{fill:url(https://docs.example/a)}</style></svg>",
                "<svg><style>a{fill:url(/a)}</style></svg>"
            ),
            (
                "<link rel=stylesheet href=\"https://docs.example/a\" integrity=\"sha256-x\" crossorigin>",
                "<link rel=stylesheet href=\"/a\"  crossorigin>"
            ),
            ("<link rel=stylesheet href=a integrity=x>", "<link rel=stylesheet href=a >"),
            (
                "<script src=\"https://docs.example/a\" integrity=\"sha256-x\"></script>",
                "<script src=\"/a\" integrity=\"sha256-x\"></script>"
            ),
            (
                "<script type=importmap>{\"imports\":{\"a\":\"https://cdn.example/a\",\"b/\":\"https://docs.example/b/\"}}</script>",
                "<script type=importmap>{\"imports\":{\"a\":\"http://cdn-example.localhost:8080/a\",\"b/\":\"/b/\"}}</script>"
            ),
            // Lists, and what stands between their addresses, in any language.
            (
                "<img srcset='https://docs.example/ä é, b&#32;2x,https://docs.example/c 3x' title=é>",
                "<img srcset='https://docs.example/&#228; &#233;, b 2x,/c 3x' title=é>"
            ),
            (
                "<img srcset='https://docs.example/ä 1x, é 2x' title=é>",
                "<img srcset='/%C3%A4 1x, é 2x' title=é>"
            ),
            (
                "<svg><image><animate attributeName=href values='https://docs.example/a; b ;é;//docs.example/c'/></svg>",
                "<svg><image><animate attributeName=href values='/a; b ;é;/c'/></svg>"
            ),
            (
                "<section data-background-image='https://docs.example/a.png , é.png,https://docs.example/b.png'>",
                "<section data-background-image='/a.png , é.png,/b.png'>"
            ),
            (
                "<img data-bgset='https://docs.example/a.png 1x | https://docs.example/b.png [(x)] | é'>",
                "<img data-bgset='/a.png 1x | /b.png [(x)] | é'>"
            ),
            (
                "<div data-bg=\"url( 'https://docs.example/a.png' )\"><div data-bg=https://docs.example/b.png>",
                "<div data-bg=\"url( '/a.png' )\"><div data-bg=/b.png>"
            ),
            (
                "<select onchange='location=value'><option value='https://docs.example/a'><option value=b></select>",
                "<select onchange='location=value'><option value='/a'><option value=b></select>"
            ),
            (
                "<script data-main='https://docs.example/app' src='https://cdn.example/require.js'></script>",
                "<script data-main='/app' src='http://cdn-example.localhost:8080/require.js'></script>"
            ),
            (
                "<script data-main='https://docs.example/app.js' src=require.js></script>",
                "<script data-main='/app.js' src=require.js></script>"
            ),
            ("<p onclick=\"location='https://docs.example/'\">", nil),
            // A style in foreign content may be in pieces.
            (
                "<svg><style>a{b:url(https://docs.example/a)}<![CDATA[c{d:url('https://docs.example/<')}\r\n]]>e{f:url(&quot;https://docs.example/e&quot;)}</style>",
                "<svg><style>a{b:url(/a)}<![CDATA[c{d:url('/%3C')}\r\n]]>e{f:url(\"/e\")}</style>"
            ),
            (
                "<iframe srcdoc=\"<a href='https://docs.example/x'>\"></iframe><base href='https://other.example/'>",
                "<iframe srcdoc=\"<a href='/x'>\"></iframe><base href='https://other.example/'>"
            ),
            // Forms of all kinds, and hosts to which a browser would connect.
            (
                "<form method=post action=https://docs.example/a><button formaction=https://docs.example/b formmethod=post>",
                "<form method=post action=/a><button formaction=/b formmethod=post>"
            ),
            (
                "<link rel=dns-prefetch href=//cdn.example><link rel=preconnect href=https://other.example>",
                "<link rel=dns-prefetch href=http://cdn-example.localhost:8080/><link rel=preconnect href=https://other.example>"
            ),
            // What precedes the base is written so that the base makes no difference.
            (
                "<img src='https://docs.example/x'><base href='https://other.example/'><a href='https://docs.example/y'>",
                "<img src='http://docs-example.localhost:8080/x'><base href='https://other.example/'><a href='http://docs-example.localhost:8080/y'>"
            ),
            // A digest goes with its own style sheet, whose address comes before the base.
            (
                "<link rel=stylesheet href=a integrity=x><base href=https://other.example/><link rel=stylesheet href=a integrity=x>",
                "<link rel=stylesheet href=a ><base href=https://other.example/><link rel=stylesheet href=a integrity=x>"
            ),
            ("<meta charset=x><a href=\"https://docs.example/a#b c\">", "<meta charset=x><a href=\"/a#b%20c\">"),
            // The base stays true.
            ("<base href=\"https://docs.example/b/\"><a href=x>", "<base href=\"/b/\"><a href=x>"),
            (
                "<base href=\"https://cdn.example/\"><a href=x><a href=/y>",
                "<base href=\"http://cdn-example.localhost:8080/\"><a href=x><a href=/y>"
            ),
            (
                "<base href=\"https://cdn.example/\"><a href='https://docs.example/x'>",
                "<base href=\"http://cdn-example.localhost:8080/\"><a href='http://docs-example.localhost:8080/x'>"
            ),
            ("<base href=\"https://other.example/\"><a href=x>", nil),
            ("<base href=\"/b/\"><a href=x>", nil),
        ] as [(String, String?)]
    )
    func `references of a page are replaced, and nothing else`(_ page: String, _ expected: String?) throws {
        #expect(try Self.text(page) == expected)
    }

    @Test(
        arguments: [
            (
                "<a href=\"/x\"><a href=x><a href=../../y>",
                "<a href=\"/docs.example/x\"><a href=x><a href=/docs.example/y>"
            ),
            ("<a href=\"https://docs.example/x\">", "<a href=\"/docs.example/x\">"),
            ("<a href=\"//cdn.example/x\">", "<a href=\"/cdn.example/x\">"),
            ("<a href=\"?a\"><a href=\"#b\"><a href=\"\">", nil),
            (
                "<base href=\"/b/\"><a href=x><a href=/y>",
                "<base href=\"/docs.example/b/\"><a href=x><a href=/docs.example/y>"
            ),
            ("<a href=\"https://docs.example:8443/\">", "<a href=\"/docs.example:8443/\">"),
            ("<a href='%2e%2e/%2E./x'><a href='a/../b'>", "<a href='/docs.example/x'><a href='a/../b'>"),
            (
                "<a href=' /x'><a href='&#x2F;y'><a href='\\z'>",
                "<a href='/docs.example/x'><a href='/docs.example/y'><a href='/docs.example/z'>"
            ),
            ("<a href='./x?a=../b#/c'><a href='a.b/c..d'>", nil),
        ] as [(String, String?)]
    )
    func `by path, what begins with a slash is replaced`(_ page: String, _ expected: String?) throws {
        #expect(try Self.text(page, byPath: true) == expected)
    }

    @Test(
        arguments: [
            ("a{b:url(https://docs.example/x)}", "text/css", "a{b:url(/x)}"),
            ("a{b:url( 'https://docs.example/it\\'s' )}", "text/css", "a{b:url( '/it\\'s' )}"),
            ("a{b:url(https://docs.example/\\(1\\))}", "text/css", "a{b:url(/\\(1\\))}"),
            (
                "a{b:url(\"https://cdn.example/a)b\")}", "text/css",
                "a{b:url(\"http://cdn-example.localhost:8080/a)b\")}"
            ),
            (
                "a{b:image-set(\"https://docs.example/x\" 1x)} /* url(https://docs.example/y) */", "text/css",
                "a{b:image-set(\"/x\" 1x)} /* url(https://docs.example/y) */"
            ),
            ("a{b:url(x)}", "text/css", nil), ("a{content:'https://docs.example/'}", "text/css", nil),
            (
                "{\"start_url\":\"https://docs.example/\",\"icons\":[{\"src\":\"https://cdn.example/i\"}],\"id\":\"https://docs.example/\"}",
                "application/manifest+json",
                "{\"start_url\":\"/\",\"icons\":[{\"src\":\"http://cdn-example.localhost:8080/i\"}],\"id\":\"https://docs.example/\"}"
            ),
            (
                "<svg xmlns='http://www.w3.org/2000/svg'><image href='https://docs.example/a?b&amp;c'/></svg>",
                "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><image href='/a?b&amp;c'/></svg>"
            ),
            (
                "<?xml-stylesheet href=\"https://docs.example/a\"?><svg/>", "image/svg+xml",
                "<?xml-stylesheet href=\"/a\"?><svg/>"
            ),
            (
                "<urlset><url><loc>\n https://docs.example/a?b&amp;c </loc><x:link href='https://cdn.example/i?b&amp;c'/></url></urlset>",
                "application/xml",
                "<urlset><url><loc>\n http://docs-example.localhost:8080/a?b&amp;c </loc><x:link href='http://cdn-example.localhost:8080/i?b&amp;c'/></url></urlset>"
            ),
            (
                "<sitemapindex><sitemap><loc>https://docs.example/s</loc></sitemap></sitemapindex>", "text/xml",
                "<sitemapindex><sitemap><loc>http://docs-example.localhost:8080/s</loc></sitemap></sitemapindex>"
            ),
            (
                "<urlset><url><loc> <![CDATA[https://docs.example/?a&b]]> </loc></url></urlset>", "text/xml",
                "<urlset><url><loc> <![CDATA[http://docs-example.localhost:8080/?a&b]]> </loc></url></urlset>"
            ),
            // Another host, a location in pieces, and one that isn't ended.
            (
                "<urlset><loc>https://live.example/</loc><loc>https://docs<!-- -->.example/</loc><loc>https://docs.example/",
                "application/xml", nil
            ),
            // Never changed.
            ("import 'https://docs.example/x'", "text/javascript", nil),
            ("{\"a\":\"https://docs.example/\"}", "application/json", nil),
            ("<rss><channel><link>https://docs.example/</link></channel></rss>", "application/rss+xml", nil),
            ("https://docs.example/", "text/plain", nil),
        ] as [(String, String, String?)]
    )
    func `other types`(_ body: String, _ type: String, _ expected: String?) throws {
        #expect(try Self.text(body, type) == expected)
    }

    @Test(arguments: [
        "windows-1252", "iso-8859-2", "koi8-r", "gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr",
    ])
    func `bytes in other encodings stay as they are`(_ label: String) throws {
        // Bytes of two characters, an invalid one, and ASCII behind a first half.
        let noise: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3, 0x20, 0xFF, 0x61, 0x81, 0x3C, 0x62, 0x3E, 0x80, 0xA4, 0xA2]
        for before in [[], noise, noise + noise] {
            let parts: [([UInt8], [UInt8])] = [
                (before, before), (Array("<p title='".utf8), Array("<p title='".utf8)), (noise, noise),
                (Array(" '><a href='https://docs.example/".utf8), Array(" '><a href='/".utf8)),
                (Array("x'>".utf8), Array("x'>".utf8)),
                (noise, noise), (Array(" <a href=https://docs.example/y>".utf8), Array(" <a href=/y>".utf8)),
                (noise, noise),
            ]
            let old = parts.flatMap { $0.0 }
            #expect(try Self.rewritten(old, charset: label) == .rewritten(parts.flatMap { $0.1 }), "\(label)")
        }
    }

    @Test func `encodings without ASCII can't be rewritten, and a byte order mark stays`() throws {
        let page = "<a href='https://docs.example/'>"
        let wide = page.utf8.flatMap { [$0, UInt8(0)] }
        #expect(try Self.rewritten(wide, charset: "utf-16le") == .impossible)
        #expect(try Self.rewritten(Array(page.utf8), charset: "iso-2022-jp") == .impossible)
        let marked = [0xEF, 0xBB, 0xBF] + Array(page.utf8)
        #expect(try Self.rewritten(marked) == .rewritten([0xEF, 0xBB, 0xBF] + Array("<a href='/'>".utf8)))
    }

    @Test func `a tag with very many attributes and addresses takes linear time, and too many stay`() throws {
        let names = (0..<4_000).map { " a\($0)=b" }.joined()
        let addresses = repeatElement("https://docs.example/a 1x", count: 50_000).joined(separator: ", ")
        let new = repeatElement("/a 1x", count: 50_000).joined(separator: ", ")
        #expect(try Self.text("<img\(names) srcset=\"\(addresses)\">") == "<img\(names) srcset=\"\(new)\">")
        let many = repeatElement("<a href=https://docs.example/>", count: 200_001).joined()
        #expect(try Self.text(many) == nil)
    }

    @Test(
        arguments: [
            // An element's and an attribute's text, each as the browser has it.
            (
                "<style>a{b:url(https://docs.example/x)}\r\né</style>",
                [("a{b:url(https://docs.example/x)}\né", "a{b:url(/x)}\né")]
            ),
            (
                "<p style='b:url(&quot;https://docs.example/x&quot;)'><p style=b:url(https://docs.example/y)>",
                [
                    ("b:url(\"https://docs.example/x\")", "b:url(\"/x\")"),
                    ("b:url(https://docs.example/y)", "b:url(/y)"),
                ]
            ),
            (
                "<iframe srcdoc='<style>a{b:url(https://docs.example/x)}</style>'>",
                [("a{b:url(https://docs.example/x)}", "a{b:url(/x)}")]
            ),
            ("<style>a{b:url(x)}</style><p style=b:url(x)><a href=https://docs.example/x>", []),
        ] as [(String, [(String, String)])]
    )
    func `policies are told which styles changed`(_ page: String, _ expected: [(String, String)]) throws {
        let url = try WebURL("https://docs.example/guide/")
        var rewriter = ReferenceRewriter(url: url, shown: try #require(Self.byName(url)), map: Self.byName)
        rewriter.policy = { policies, styles in "\(policies) é\(styles.count)" }
        let policy = "<meta http-equiv=Content-Security-Policy content=\"x 'y'\">"
        let styles = expected.map { ChangedStyle(old: $0.0, new: $0.1) }
        for (page, head) in [(policy + page, true), (page, false)] {
            switch rewriter.rewrite(Array(page.utf8), mediaType: "text/html", charset: "utf-8") {
            case .rewritten(let bytes, let found, _):
                #expect(found == styles)
                let text = String(decoding: bytes, as: UTF8.self)
                let start = "<meta http-equiv=Content-Security-Policy content=\"x 'y' &#233;\(styles.count)\"><"
                #expect(text.hasPrefix(start) == head)
            case .unchanged, .impossible: Issue.record("\(page)")
            }
        }
    }

    @Test func `an address on an origin without a name is written as a path, or stays`() throws {
        let url = try WebURL("https://docs.example/guide/")
        var rewriter = ReferenceRewriter(
            url: url,
            shown: try #require(Self.byPath(url)),
            changes: .prefix,
            map: Self.byPath
        )
        rewriter.unnamedOrigin = rewriter.shown.origin
        for (old, new) in [
            ("<a href=https://cdn.example/x>", "<a href=/cdn.example/x>"),
            ("<base href=https://cdn.example/><a href=/x>", "<base href=/cdn.example/><a href=/cdn.example/x>"),
            ("<base href=https://other.example/><a href=https://cdn.example/x>", nil),
            (
                "<img src=https://cdn.example/x><base href=https://other.example/>",
                "<img src=/cdn.example/x><base href=https://other.example/>"
            ),
            ("<base href=https://other.example/><iframe srcdoc='<a href=https://cdn.example/x>'>", nil),
        ] as [(String, String?)] {
            let outcome = rewriter.rewrite(Array(old.utf8), mediaType: "text/html", charset: "utf-8")
            #expect(outcome == new.map { .rewritten(Array($0.utf8)) } ?? .unchanged)
        }
    }

    @Test func `targets of a Link field are replaced, and nothing else`() {
        let field = "<https://docs.example/a>; rel=preload; title=\"<b>, c\", x <y>,</d>;rel=next , <>"
        let new = HeaderReferences.replacingTargets(in: field) { $0.isEmpty ? nil : $0 == "/d" ? "/e" : "/\($0.count)" }
        #expect(new == "</22>; rel=preload; title=\"<b>, c\", x <y>,</e>;rel=next , <>")
        #expect(HeaderReferences.replacingTargets(in: "<a>") { _ in "b>c" } == "<a>")
    }

    @Test func `a policy with the digest of a style gains that of the new one`() throws {
        let policy = ContentPolicy([])
        let digests: [String: Set<String>] = [
            "sha256-ab+/=": ["sha256-NEW=", "sha256-OTHER="], "sha512-x": ["sha512-y"],
        ]
        for (old, new) in [
            ("style-src 'SHA256-ab-_='", "style-src 'SHA256-ab-_=' 'sha256-NEW=' 'sha256-OTHER='"),
            ("style-src 'sha256-aB+/='", "style-src 'sha256-aB+/='"),
            (
                "style-src 'self', default-src 'sha512-x' 'self'",
                "style-src 'self', default-src 'sha512-x' 'self' 'sha512-y'"
            ),
            ("style-src 'sha512-x' 'sha512-y'", "style-src 'sha512-x' 'sha512-y'"),
            ("style-src sha512-x 'nonce-x' '-'", "style-src sha512-x 'nonce-x' '-'"),
        ] {
            #expect(policy.rewritten(old, digests: digests) == new)
        }
        #expect(ContentPolicy.algorithms(in: "style-src 'SHA256-x' 'sha384-y' sha512-z") == ["sha256", "sha384"])
    }
}
