import Testing

@testable import AFCDiscovery

/// Scripts that don't run, whatever a browser's policy says (docs/reference/export.md).
struct ScriptFenceTests {
    private func html(_ page: String) -> String { String(decoding: ScriptFence.html(Array(page.utf8)), as: UTF8.self) }

    @Test(arguments: [
        ("<p>a", "<p>a"), ("", ""), ("<", "<"), ("<script", "<script"), ("a<scripts src=b>", "a<scripts src=b>"),
        ("<script src=a></script>", "<script type=x  src=a></script>"),
        ("<SCRIPT/src=a></SCRIPT>", "<SCRIPT type=x /src=a></SCRIPT>"),
        ("<script>a</script>", "<script type=x >a</script>"),
        // The first attribute of a name counts.
        ("<script\ntype=module src=a>", "<script type=x \ntype=module src=a>"),
        ("<svg><script href=a />", "<svg><script type=x  href=a />"),
        // Also where no browser would see a script.
        ("<!-- <script src=a> -->", "<!-- <script type=x  src=a> -->"),
        ("<scr<script src=a>", "<scr<script type=x  src=a>"),
    ])
    func `in HTML, each script gets a type that isn't one`(page: String, fenced: String) {
        #expect(html(page) == fenced)
    }

    @Test(arguments: [
        (
            "<iframe srcdoc='&lt;scr&#105;pt src=a>&lt;/script>'></iframe>",
            "<iframe srcdoc='<script type=x  type=x  src=a></script>'></iframe>"
        ),
        ("<iframe srcdoc=\"<p title=&quot;a&quot;>\">", "<iframe srcdoc=\"<p title=&#34;a&#34;>\">"),
        ("<iframe srcdoc=&lt;script/src=a&gt;>", "<iframe srcdoc=&lt;script&#32;type&#61;x&#32;/src&#61;a&#62;>"),
        ("<code>srcdoc</code><script>", "<code>srcdoc</code><script type=x >"),
    ])
    func `so do those of documents in attributes`(page: String, fenced: String) {
        #expect(html(page) == fenced)
    }

    @Test func `documents nest only so deep`() {
        var page = "<script src=a></script>"
        for _ in 0..<12 {
            page = "<iframe srcdoc=\"\(page.replacing("&", with: "&amp;").replacing("\"", with: "&quot;"))\"></iframe>"
        }
        let text = html(page)
        #expect(text.contains("xrcdoc"))
        #expect(!text.contains("<script src"))
    }

    @Test(arguments: 1...30) func `pieces of any size give the same`(size: Int) {
        let page = Array("a<scr<script src=b>ipt><SCRIPT/c><iframe srcdoc='d'><script type=module".utf8)
        var fence = ScriptFence()
        var result: [UInt8] = []
        for start in stride(from: 0, to: page.count, by: size) {
            result += fence.take(page[start..<min(start + size, page.count)], isLast: false)
        }
        result += fence.take([], isLast: true)
        #expect(
            String(decoding: result, as: UTF8.self)
                == "a<scr<script type=x  src=b>ipt><SCRIPT type=x /c><iframe xrcdoc='d'><script type=x  type=module"
        )
    }

    @Test(arguments: [
        ("<p>a</p>", "<p>a</p>"), ("<script src='a'/>", "<script-off src='a'/>"),
        ("<h:script>a</h:script>", "<h:script-off>a</h:script-off>"),
        ("<a:b:script/>", "<a:b:script-off/>"), ("<scripts/><x-script/>", "<scripts/><x-script/>"),
        ("<iframe srcdoc='a'></iframe>", "<iframe-off srcdoc='a'></iframe-off>"), ("<", "<"), ("</", "</"),
        ("<script", "<script-off"),
    ])
    func `in XHTML, they get another name`(page: String, fenced: String) {
        #expect(String(decoding: ScriptFence.xhtml(Array(page.utf8)), as: UTF8.self) == fenced)
    }
}
