import AFCURL
import Testing

@testable import AFCDiscovery

struct CallPatternTests {
    /// A call, the URL's path, and true if the call may load it; nil if the call tells too little.
    static let cases: [(String, String, Bool?)] = [
        (
            "fetch(\"/_next/data/\"+o.b+(\"/\"===e?\"/index\":e)+\".json\",{headers:{a:\"x/y\"}})",
            "/_next/data/1/a.json", true
        ),
        (
            "fetch(\"/_next/data/\"+o.b+(\"/\"===e?\"/index\":e)+\".json\",{headers:{a:\"x/y\"}})",
            "/_next/data/1/a.js", false
        ),
        ("import(\"./@localSearchIndexroot.Bk3.js\")", "/assets/@localSearchIndexroot.Bk3.js", true),
        ("fetch(`results/${item.file}`)", "/results/a.json", true),
        ("fetch(`results/${item.file}`)", "/a.json", false),
        ("fetch(`${a}/data/${b['/x/']}.csv`)", "/data/a.csv", true),
        ("fetch(`${a}/data/${b['/x/']}.csv`)", "/a.csv/data/", false),
        ("b.open('GET','../api/'+b+'/c')", "/api/1/c", true),
        ("b.open('GET','../api/'+b+'/c')", "/api/1/d", false),
        ("fetch('list?v='+a)", "/d/list?v=1", true), ("fetch('list?v='+a)", "/list", true),
        ("fetch('list?v='+a)", "/alist", false), ("fetch('list?v='+a)", "/list/b", false),
        ("fetch(`/data/${a}/list?_=${b}`)", "/data/1/list", true), ("fetch(`/data/${a}/list?_=${b}`)", "/list", false),
        ("fetch(a.b+c.d)", "/a", nil), ("i.src=t[n].file", "/a", nil), ("fetch(a+b+'.json')", "/a.json", nil),
        // What is cut off may be the end of a literal.
        ("fetch('/data/'+a+'/lo…", "/data/x/y", true),
        ("fetch('/'+a)", "/a", nil), ("fetch(a+'/b')", "/b", nil), ("fetch(a)", "/a", nil), ("fetch(`/${", "/a", nil),
    ]

    @Test(arguments: [
        ("part.js", "/a/part.js", true), ("a/part.js", "/a/part.js?v=1", true), ("/a/part.js", "/a/part.js", true),
        ("part.js", "/a/apart.js", false), ("part.js", "/part.js/b", false),
    ])
    func `a name fits URLs whose path ends with it`(tail: String, path: String, fits: Bool) throws {
        #expect(CallPattern(tail: tail).fits(try WebURL("http://d.example" + path)) == fits)
    }

    @Test(arguments: cases) func `a call fits URLs with its literal parts`(code: String, path: String, fits: Bool?)
        throws
    {
        let script = try WebURL("http://d.example/own.js")
        let pattern = CallPattern(UnreadCall(line: 1, column: 1, code: code), in: script)
        #expect(pattern?.fits(try WebURL("http://d.example" + path)) == fits)
    }

    @Test func `a script isn't what it loads itself`() throws {
        let script = try WebURL("http://d.example/parts/view.js")
        let call = UnreadCall(line: 1, column: 1, code: "fetch(`/parts/${name}`)")
        let pattern = try #require(CallPattern(call, in: script))
        #expect(!pattern.fits(script))
        #expect(pattern.fits(try WebURL("http://d.example/parts/other.js")))
    }
}
