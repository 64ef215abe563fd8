import AFCURL
import Testing

@testable import AFCDiscovery

/// docs/reference/rewriting.md, "What scripts do": the parts that a page is given.
struct PageAdditionTests {
    private static let script = "<script src=\"/s\"></script>"
    private static let map = "\"https://site.example/\":\"/\""

    private struct Rewritten {
        let text: String?
        let added: AddedParts
    }

    private func rewritten(
        _ page: String,
        _ type: String = "text/html",
        imports: Bool = true,
        scopes: [PageAddition.Scope] = [],
        asks: Bool = true
    ) throws -> Rewritten {
        var map = PageAddition.Imports()
        if imports { map.entries = [("https://site.example/", "/")] }
        map.scopes = scopes
        let addition = PageAddition(
            script: Self.script,
            imports: map,
            leadsOut: { $0.host != "site.example" && asks },
            policy: { policies, map in "\(policies) \(map.map { "'\($0.count)'" } ?? "")" }
        )
        var rewriter = ReferenceRewriter(
            url: try WebURL("https://site.example/a"),
            shown: try WebURL("http://site-example.localhost/a"),
            changes: .origin
        ) {
            $0.host == "site.example" ? try? WebURL("http://site-example.localhost" + $0.requestTarget) : nil
        }
        rewriter.addition = addition
        let outcome = rewriter.rewrite(Array(page.utf8), mediaType: type, charset: "utf-8")
        guard case .rewritten(let bytes, _, let added) = outcome else {
            return Rewritten(text: nil, added: AddedParts())
        }
        return Rewritten(text: String(decoding: bytes, as: UTF8.self), added: added)
    }

    @Test(arguments: [
        ("<!doctype html><p>a<script>1</script>", "<!doctype html>", "<p>a<script>1</script>"),
        ("<html lang=en><head class=x><script>1</script>", "<html lang=en><head class=x>", "<script>1</script>"),
        ("\u{FEFF}<!-- c --><html><script src=a></script>", "\u{FEFF}<!-- c --><html>", "<script src=a></script>"),
        ("text <script type=module>1</script>", "text ", "<script type=module>1</script>"),
        ("<noscript>a</noscript><script>1</script>", "", "<noscript>a</noscript><script>1</script>"),
        ("<a href=https://live.example/>a</a>", "", "<a href=https://live.example/>a</a>"),
        ("<base href=https://live.example/><a href=b>b</a>", "", "<base href=https://live.example/><a href=b>b</a>"),
    ])
    func `the script comes first in the page, after the document's type`(page: String, before: String, after: String)
        throws
    {
        let found = try rewritten(page)
        let element = "<script type=\"importmap\">{\"imports\":{\(Self.map)}}</script>"
        #expect(found.text == before + Self.script + element + after)
        #expect(found.added.hasScript)
        #expect(found.added.importMap == Array("{\"imports\":{\(Self.map)}}".utf8))
    }

    @Test(arguments: [
        "<p>no script", "<script type=application/json>{}</script>", "<template><script>1</script></template>",
        "<noscript><script>1</script></noscript>", "<a href=/b>b</a><a href='mailto:a@b.example'>", "",
    ])
    func `a page without scripts and links out stays as it is`(page: String) throws {
        let found = try rewritten(page)
        #expect(found.text == nil && found.added == AddedParts())
    }

    @Test func `a link out doesn't matter if links aren't asked about`() throws {
        #expect(try rewritten("<a href=https://live.example/>a</a>", asks: false).text == nil)
    }

    @Test func `drawings get no script, and pages in XHTML one in their head`() throws {
        let drawing = "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"
        #expect(try rewritten(drawing, "image/svg+xml").text == nil)
        let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><script>1</script></head></html>"
        let found = try rewritten(page, "application/xhtml+xml", imports: false)
        #expect(found.text == page.replacing("<head>", with: "<head>" + Self.script))
    }

    @Test(arguments: [
        ("{\"imports\":{\"a\":\"/a.js\"}}", "{\"imports\":{@,\"a\":\"/a.js\"}}"),
        ("{\"imports\":{ }}", "{\"imports\":{@ }}"),
        ("{}", "{\"imports\":{@}}"), ("{\"scopes\":{}}", "{\"imports\":{@},\"scopes\":{}}"),
        (
            "{\"scopes\":{\"imports\":{}}, \"imports\" : {\"a\":\"/\"}}",
            "{\"scopes\":{\"imports\":{}}, \"imports\" : {@,\"a\":\"/\"}}"
        ),
        ("{\"x\":\"imports\",\"y\":{}}", "{\"imports\":{@},\"x\":\"imports\",\"y\":{}}"),
        ("{\"imports\":{},\"imports\":{}}", "{\"imports\":{},\"imports\":{@}}"),
        ("{\"a\\\"imports\":{}}", "{\"imports\":{@},\"a\\\"imports\":{}}"), ("[]", nil), ("{\"a\":", nil),
    ])
    func `entries come before those of the page's own import map`(own: String, merged: String?) throws {
        let found = try rewritten("<script type=importmap>\(own)</script><script type=module>1</script>")
        let expected = merged?.replacing("@", with: Self.map) ?? own
        #expect(
            found.text == "\(Self.script)<script type=importmap>\(expected)</script><script type=module>1</script>"
        )
        #expect(found.added.importMap == merged.map { Array($0.replacing("@", with: Self.map).utf8) })
    }

    @Test(arguments: [
        ("{}", "{\"imports\":{@},\"scopes\":{%}}"), ("{\"scopes\":{}}", "{\"imports\":{@},\"scopes\":{%}}"),
        ("{\"imports\":{\"a\":\"/\"}}", "{\"scopes\":{%},\"imports\":{@,\"a\":\"/\"}}"),
        (
            "{\"scopes\":{\"/b/\":{}},\"imports\":{\"a\":\"/\"}}",
            "{\"scopes\":{%,\"/b/\":{}},\"imports\":{@,\"a\":\"/\"}}"
        ),
    ])
    func `scopes come before those of the page's own import map`(own: String, merged: String) throws {
        let scopes = [PageAddition.Scope(of: "/at/x/", entries: [("/", "/at/x/"), ("/at/", "/at/")])]
        func page(_ map: String) -> String { "<script type=importmap>\(map)</script><script type=module>1</script>" }
        let member = "\"/at/x/\":{\"/\":\"/at/x/\",\"/at/\":\"/at/\"}"
        let expected = merged.replacing("@", with: Self.map).replacing("%", with: member)
        let found = try rewritten(page(own), scopes: scopes)
        #expect(found.text == Self.script + page(expected))
        #expect(found.added.importMap == Array(expected.utf8))
        let new = "{\"imports\":{\(Self.map)},\"scopes\":{\(member)}}"
        let added = try rewritten("<script type=module>1</script>", scopes: scopes)
        #expect(added.added.importMap == Array(new.utf8) && added.text?.contains(">\(new)<") ?? false)
    }

    @Test func `addresses in the own map are replaced as well, and its digest is that of the result`() throws {
        let found = try rewritten(
            "<script type=importmap>{\"imports\":{\"a\":\"https://site.example/a.js\"}}</script><script type=module>1</script>"
        )
        let map = "{\"imports\":{\(Self.map),\"a\":\"/a.js\"}}"
        #expect(found.text?.contains(">\(map)<") ?? false)
        #expect(found.added.importMap == Array(map.utf8))
    }

    @Test func `the page's own policies are adapted`() throws {
        let page = "<meta http-equiv=Content-Security-Policy content=\"script-src 'self'\"><script>1</script>"
        let found = try rewritten(page, imports: false)
        #expect(found.text == Self.script + page.replacing("'self'", with: "'self' "))
    }

    @Test func `a long hostile page takes linear time`() throws {
        for part in ["<script type=importmap>{", "<meta http-equiv=content-security-policy content=a>", "<script>"] {
            _ = try rewritten(String(repeating: part, count: 20_000) + "<script>1</script>")
        }
    }

    private static let sources = (digest: "sha256-A", address: "http://d.localhost/s.js")

    @Test(arguments: [
        ("default-src *", "default-src * 'sha256-M'"), ("script-src 'self'", "script-src 'self' 'sha256-M'"),
        ("img-src 'self'", "img-src 'self'"), ("script-src 'none'", "script-src 'none'"), ("script-src", "script-src"),
        ("script-src 'unsafe-inline' cdn.example", "script-src 'unsafe-inline' cdn.example http://d.localhost/s.js"),
        ("script-src 'self' 'unsafe-inline'", "script-src 'self' 'unsafe-inline'"),
        (
            "default-src 'none'; SCRIPT-SRC 'nonce-x'; img-src a",
            "default-src 'none'; SCRIPT-SRC 'nonce-x' 'sha256-A' 'sha256-M'; img-src a"
        ),
        ("script-src 'strict-dynamic' 'sha512-x'", "script-src 'strict-dynamic' 'sha512-x' 'sha256-A' 'sha256-M'"),
        ("script-src a; script-src-elem b", "script-src a; script-src-elem b http://d.localhost/s.js 'sha256-M'"),
        (
            "default-src https:, script-src 'self'",
            "default-src https: http://d.localhost/s.js 'sha256-M', script-src 'self' 'sha256-M'"
        ),
        ("sandbox allow-scripts", "sandbox allow-scripts"),
    ])
    func `each policy allows the script in its own way (CSP §6.7.2)`(old: String, new: String) {
        #expect(ContentPolicy.admitting(old, script: Self.sources, importMap: "sha256-M") == new)
    }
}
