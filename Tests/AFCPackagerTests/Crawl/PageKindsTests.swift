import AFCCrawlRules
import AFCDiscovery
import AFCURL
import Testing

@testable import AFCCrawler

/// Which pages load the same things, by the scripts that they run.
struct PageKindsTests {
    private static func scripts(_ page: String) -> NamedScripts {
        Array(page.utf8).withUnsafeBufferPointer { NamedScripts(html: $0, charset: nil, isXML: false) }
    }

    @Test(arguments: [
        ("<script src=a.js></script><script src='b.js' type=module></script>", ["a.js", "b.js"], []),
        ("<base href=/x/><script src=a.js></script>", ["a.js"], []),
        ("<script type=application/json src=a.js>fetch('x')</script>", [], []),
        ("<script type=importmap>{\"imports\":{}}</script><script>ga('send')</script>", [], []),
        ("<script>fetch('x')</script><p>fetch(1)<script>let a = 1</script>", [], ["fetch('x')"]),
        ("<script type=module>start()</script>", [], ["start()"]),
        ("<template><script src=a.js></script></template><!-- <script src=b.js></script> -->", [], []),
        ("<script>new XMLHttpRequest</script><SCRIPT SRC=a.js></SCRIPT>", ["a.js"], ["new XMLHttpRequest"]),
    ])
    func `the scripts of a page that may load something are listed`(page: String, addresses: [String], texts: [String])
    {
        let scripts = Self.scripts(page)
        #expect(scripts.addresses == addresses && scripts.texts == texts)
        #expect(scripts.base == (page.contains("<base") ? "/x/" : nil))
    }

    @Test func `pages with the same scripts are of a kind, and one with a script of its own is not`() throws {
        var kinds = PageKinds()
        let pages = [
            ("/a/1", "<script src=../app.js></script><script src=/lib.js></script>"),
            ("/2", "<script src=lib.js></script><script src=app.js></script>"),
            ("/a/b/3", "<base href=/><script src=lib.js></script><script src=app.js></script>"),
            ("/4", "<script src=lib.js></script>"), ("/5", "<script src=lib.js></script><script>var page = 5</script>"),
            ("/6", "<script src=lib.js></script><script src=six.js></script>"),
            ("/7", "<script src=lib.js></script><script>fetch('seven')</script>"), ("/8", "<p>8"), ("/9", "<p>9"),
        ]
        func key(_ path: String) throws -> URLKey { URLKey(try WebURL("http://d.example" + path)) }
        for (path, page) in pages {
            #expect(try !kinds.knows(key(path)))
            kinds.note(try WebURL("http://d.example" + path), Self.scripts(page))
        }
        let found = try pages.map { kinds.kind(of: try key($0.0)) }
        var numbers: [PageKinds.Kind: Int] = [:]
        let order = found.compactMap(\.self).map { kind in
            if numbers[kind] == nil { numbers[kind] = numbers.count }
            return numbers[kind] ?? -1
        }
        #expect(order == [0, 0, 0, 1, 1, 2, 3, 4, 4])
        #expect(try kinds.kind(of: key("/10")) == nil)
    }
}
