import AFCURL
import Testing

@testable import AFCExport

/// The names of files in an export: what each system takes, each once.
struct FileNamesTests {
    /// URL, type, and the path of its file.
    private static let names: [(String, String?, String)] = [
        ("https://d.example/", "text/html", "d.example/index.html"),
        ("https://d.example/guide/", "text/html", "d.example/guide/index.html"),
        ("https://d.example/guide", "text/html", "d.example/guide.html"),
        ("https://d.example/a.htm", "text/html", "d.example/a.htm"),
        ("https://d.example/a.php", "text/html", "d.example/a.php.html"),
        ("https://d.example/v1.2", "text/html", "d.example/v1.2.html"),
        ("https://d.example/css.php?v=2", "text/css", "d.example/css.php@v=2.css"),
        ("https://d.example/s.css?v=2", "text/css", "d.example/s@v=2.css"),
        ("https://d.example/search?q=a/b%20c&x=1", "text/html", "d.example/search@q=a_b_c_x=1.html"),
        ("https://d.example/a.js", "application/javascript", "d.example/a.js"),
        ("https://d.example/a.mjs", "text/javascript", "d.example/a.mjs"),
        ("https://d.example/logo", "image/svg+xml", "d.example/logo.svg"),
        ("https://d.example/data/", "application/json", "d.example/data/index.json"),
        ("https://d.example/LICENSE", nil, "d.example/LICENSE"),
        ("https://d.example/.well-known/x", nil, "d.example/_.well-known/x"),
        ("https://d.example/a./b..", nil, "d.example/a/b"),
        ("https://d.example/aux/con.txt", "text/plain", "d.example/_aux/_con.txt"),
        ("https://d.example/COM1", nil, "d.example/_COM1"), ("https://d.example/com10", nil, "d.example/com10"),
        ("https://d.example/%E6%97%A5%E6%9C%AC", "text/html", "d.example/日本.html"),
        ("https://d.example/%ff", nil, "d.example/_ff"),
        ("https://d.example/%2e%2e%2f%2e%2e%2fetc%2fpasswd", nil, "d.example/_.._.._etc_passwd"),
        ("https://d.example/a%00b%5Cc:d", nil, "d.example/a_b_c_d"),
        ("https://d.example//x", nil, "d.example/x"), ("http://[::1]:8080/x", nil, "___1_-8080/x"),
        ("http://localhost:3000/", "text/html", "localhost-3000/index.html"),
    ]

    @Test(arguments: names)
    func `a resource has a name that each system takes`(url: String, type: String?, path: String) throws {
        let url = try WebURL(url)
        var names = FileNames([(url, type)], reserved: [])
        #expect(names.next(url, type) == path)
    }

    @Test func `no two resources have names that differ in case only, or in how letters are composed`() throws {
        let texts = ["a.txt", "A.txt", "%C3%A9.txt", "e%CC%81.txt", "E%CC%81.txt", "a.TXT"].map {
            "https://d.example/" + $0
        }
        let urls = try texts.map { (url: try WebURL($0), essence: String?.none) }
        var names = FileNames(urls, reserved: [])
        let paths = urls.map { names.next($0.url, nil) }
        #expect(Set(paths.map { $0.lowercased() }).count == paths.count)
        #expect(paths[1] == "d.example/A-2.txt")
    }

    @Test func `a file doesn't take the place of a folder, or of what belongs to the export`() throws {
        let urls = try ["https://d.example/a", "https://d.example/A/b", "https://_afcache/"].map {
            (url: try WebURL($0), essence: String?.none)
        }
        var names = FileNames(urls, reserved: ["_afcache", "index.html"])
        #expect(urls.prefix(2).map { names.next($0.url, nil) } == ["d.example/a-2", "d.example/A/b"])
    }

    @Test func `two addresses of one body share a file, others don't`() throws {
        let urls = try ["https://d.example/", "https://d.example/index.html"].map { try WebURL($0) }
        var names = FileNames(urls.map { ($0, "text/html") }, reserved: [])
        #expect(
            urls.map { names.next($0, "text/html", digest: "1") } == Array(repeating: "d.example/index.html", count: 2)
        )
        names = FileNames(urls.map { ($0, "text/html") }, reserved: [])
        let paths = urls.map { names.next($0, "text/html", digest: $0.path) }
        #expect(paths == ["d.example/index.html", "d.example/index-2.html"])
    }

    @Test func `hostile and long addresses stay in the folder, and within the limits`() throws {
        let parts = [
            "..", "%2e%2e", "%2f", "%5c", "~", "CON", "x", "%F0%9F%98%80", "日本語日本語日本語", "a b",
            String(repeating: "w", count: 300),
        ]
        var generator = Generator(state: 7)
        var urls: [(url: WebURL, essence: String?)] = []
        for _ in 0..<2_000 {
            let path = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            if let url = try? WebURL("https://d.example/" + path.joined(separator: "/")) {
                urls.append((url, Bool.random(using: &generator) ? "text/html" : nil))
            }
        }
        var names = FileNames(urls, reserved: [])
        var seen: Set<String> = []
        for (url, essence) in urls {
            let path = names.next(url, essence)
            #expect(seen.insert(path.lowercased()).inserted)
            #expect(path.hasPrefix("d.example/") && path.utf8.count <= 170, "\(path)")
            for name in path.split(separator: "/", omittingEmptySubsequences: false) {
                #expect(
                    !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".") && name.utf8.count <= 90,
                    "\(path)"
                )
                #expect(!name.contains { "<>:\"\\|?*%# ".contains($0) || $0.isNewline }, "\(path)")
            }
        }
    }

    /// A generator that gives the same numbers each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
