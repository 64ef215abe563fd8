import AFCURL
import Testing

@testable import AFCExport

/// Keys of URLs in the index of a web archive, as the programs that read archives make them.
struct ArchiveKeyTests {
    @Test(arguments: [
        ("https://docs.example/", "example,docs)/"),
        ("https://www.docs.example/Guide/", "example,docs)/guide"),
        ("http://www2.docs.example:8080/a//b/./c/../D?B=2&a=1&a", "example,docs:8080)/a/b/d?a&a=1&b=2"),
        ("https://docs.example:443/x?", "example,docs)/x"),
        ("https://wwwx.docs.example/caf%C3%A9%20au%2520lait", "example,docs,wwwx)/caf%c3%a9%20au%20lait"),
        ("http://192.0.2.7/a", "7,2,0,192)/a"),
        ("http://[2001:db8::1]/x", "2001:db8::1)/x"),
        ("https://d.example/x?q=1&JSESSIONID=0123456789abcdef0123456789ABCDEF&z=2", "example,d)/x?q=1&z=2"),
        ("https://d.example/x?sid=0123456789abcdef0123456789abcdef", "example,d)/x"),
        ("https://d.example/x?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&b", "example,d)/x?b"),
        ("https://d.example/x?a=1&cfid=12&cftoken=34&z=1", "example,d)/x?a=1&z=1"),
        ("https://d.example/x?PHPSESSID=short", "example,d)/x?phpsessid=short"),
        ("https://d.example/(S(0123456789abcdefghijklmn))/P.aspx", "example,d)/p.aspx"),
        ("https://d.example/(0123456789abcdefghijklmn)/p.aspx?x", "example,d)/p.aspx?x"),
        (
            "https://d.example/(a(0123456789abcdefghijklmn)b(0123456789abcdefghijklmn))/q/p.aspx/r",
            "example,d)/q/p.aspx/r"
        ),
        ("https://d.example/(a(0123456789abcdefghijklmn))/q.html", "example,d)/(a(0123456789abcdefghijklmn))/q.html"),
        ("https://d.example/?a=&a&a=1&&b=%2526", "example,d)/?&&a&a=&a=1&b="),
        ("https://xn--bcher-kva.example/", "example,xn--bcher-kva)/"),
    ])
    func `a URL has the key that others give it`(url: String, key: String) throws {
        #expect(ArchiveKey.key(of: try WebURL(url)) == key)
    }

    @Test func `lines are sorted by their bytes, however many runs there are`() throws {
        var lines = SortedLines(folder: "/tmp", runSize: 100)
        let texts = (0..<500).map { "key-\(($0 * 7919) % 1009) \($0)" } + ["é", "Z", "a b"]
        for text in texts { try lines.add(text) }
        var read: [String] = []
        try lines.forEach { read.append(String(decoding: $0.dropLast(), as: UTF8.self)) }
        #expect(read == texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    }
}
