import AFCDiscovery
import AFCURL
import Testing

struct QueryFileTests {
    @Test(
        arguments: [
            ("/v/view.html?file=guide.pdf", ["/v/guide.pdf"]),
            ("/v/view.html?file=%2Fdocs%2Fguide.pdf#page=2", ["/docs/guide.pdf"]),
            ("/v/?rom=../roms/a.nes&mod=b/forth.853", ["/roms/a.nes", "/v/b/forth.853"]),
            ("/v/?file=http://d.example/a.pdf", []), ("/v/?file=a.html&s=a.js&t=a.css", []), ("/v/?a.pdf", []),
            ("/v/?v=1.2.30&d=e.2024&h=docs.example.com&m=a@b.org", []), ("/v/?q=what+is.pdf&r=//e.example/a.pdf", []),
            ("/v/", []),
            ("/v/?" + (0..<9).map { "f=\($0)a.pdf" }.joined(separator: "&"), (0..<8).map { "/v/\($0)a.pdf" }),
        ] as [(String, [String])]
    )
    func `a query names files by their paths`(page: String, files: [String]) throws {
        let url = try WebURL("http://d.example" + page)
        #expect(QueryFile.urls(in: url, base: url).map(\.path) == files)
    }
}
