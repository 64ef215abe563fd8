import AFCURL
import TestSupport
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
        // Letters that are several in another case, and what some file systems skip.
        ("https://d.example/stra%C3%9Fe/%EF%AC%81n", nil, "d.example/strasse/fin"),
        ("https://d.example/%C4%B0%C2%AD%EF%B8%8F", nil, "d.example/i\u{307}__"),
        ("https://d.example/COM%C2%B9.txt", "text/plain", "d.example/_COM¹.txt"),
        // Windows may give another file such a name as its short one.
        ("https://d.example/LONGNA~1/LONGNA~2.TXT", "text/plain", "d.example/LONGNA_1/LONGNA_2.TXT"),
        ("https://d.example/~user/a~b.txt", "text/plain", "d.example/~user/a~b.txt"),
        // No browser shows these as pages, and no file manager follows them.
        ("https://d.example/a.html", "application/octet-stream", "d.example/a.html.bin"),
        ("https://d.example/a.SVG", "application/x-other", "d.example/a.SVG.bin"),
        ("https://d.example/a.html.", "application/octet-stream", "d.example/a.html.bin"),
        ("https://d.example/a?b=.url", nil, "d.example/a@b=.url.bin"),
        ("https://d.example/a.library-ms", nil, "d.example/a.library-ms.bin"),
        ("https://d.example/a.mhtml", "multipart/related", "d.example/a.mhtml.bin"),
        ("https://d.example/a.svg", "image/svg+xml", "d.example/a.svg"),
        ("https://d.example/a.xml", "text/xml", "d.example/a.xml.txt"),
        ("https://d.example/feed/", "application/rss+xml", "d.example/feed/index.txt"),
        ("https://d.example/a.xhtml", "application/xhtml+xml", "d.example/a.xhtml"),
    ]

    @Test(
        arguments: [
            ("https://d.example/", "d.example/index.md"), ("https://d.example/guide", "d.example/guide.md"),
            ("https://d.example/a.htm", "d.example/a.md"), ("https://d.example/a.php?x=1", "d.example/a.php@x=1.md"),
            ("https://d.example/README.md", "d.example/README.md.md"),
            ("https://d.example/v1.2/", "d.example/v1.2/index.md"),
        ]
    )
    func `a page as Markdown has the name of the page with another suffix`(url: String, path: String) throws {
        let url = try WebURL(url)
        var names = FileNames([(url, "text/html")], reserved: [])
        #expect(names.next(markdown: url) == path)
    }

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
        let urls = try [
            "https://d.example/a", "https://d.example/A/b", "https://_afcache/export.json", "https://index.html/x",
        ]
        .map { (url: try WebURL($0), essence: String?.none) }
        var names = FileNames(urls, reserved: ["_afcache", "index.html"])
        #expect(
            urls.map { names.next($0.url, nil) } == [
                "d.example/a-2", "d.example/A/b", "__afcache/export.json", "_index.html/x",
            ]
        )
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
        // Where case makes no difference, the one that is there can't be written again.
        let cases = try ["https://d.example/a.txt", "https://d.example/A.txt"].map { try WebURL($0) }
        names = FileNames(cases.map { ($0, nil) }, reserved: [])
        #expect(cases.map { names.next($0, nil, digest: "1") } == Array(repeating: "d.example/a.txt", count: 2))
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

    /// Parts of hostile addresses, and what a file system that folds case in full takes them for, by hand.
    private static let parts: [(text: String, folded: String)] = [
        ("a", "a"), ("A", "a"), ("i", "i"), ("I", "i"), ("ı", "i"), ("İ", "i\u{307}"), ("i\u{307}", "i\u{307}"),
        ("ß", "ss"), ("ẞ", "ss"), ("SS", "ss"), ("sS", "ss"), ("ſ", "s"), ("s", "s"), ("ﬁ", "fi"), ("FI", "fi"),
        ("ﬀ", "ff"), ("fF", "ff"), ("ﬃ", "ffi"), ("ﬆ", "st"), ("ŉ", "\u{2bc}n"), ("\u{2bc}N", "\u{2bc}n"),
        ("\u{e9}", "e\u{301}"), ("e\u{301}", "e\u{301}"), ("\u{c9}", "e\u{301}"), ("E\u{301}", "e\u{301}"),
        ("\u{212b}", "a\u{30a}"), ("\u{c5}", "a\u{30a}"), ("\u{212a}", "k"), ("k", "k"), ("Σ", "σ"), ("σ", "σ"),
        ("ς", "σ"),
        ("\u{b5}", "\u{3bc}"), ("\u{3bc}", "\u{3bc}"), ("\u{1fb3}", "αι"), ("α\u{345}", "αι"), ("ΑΙ", "αι"),
        ("\u{1fbc}", "αι"), ("Ω", "ω"), ("\u{2126}", "ω"), ("Ǆ", "ǆ"), ("ǅ", "ǆ"), ("ꭰ", "Ꭰ"), ("Ꭰ", "Ꭰ"), ("և", "եւ"),
        ("ԵՒ", "եւ"), ("\u{ad}", ""), ("\u{34f}", ""), ("\u{fe0f}", ""), ("\u{200d}", ""), ("\u{115f}", ""),
        ("\u{3164}", ""),
        ("\u{ac00}", "\u{1100}\u{1161}"), ("\u{1100}\u{1161}", "\u{1100}\u{1161}"), ("\u{1d15e}", "_"),
        ("が", "か\u{3099}"),
        (".", "."), ("..", ".."), (" ", "_"), (":", "_"), ("\u{0}", "_"), ("con", "con"), ("COM¹", "com¹"),
        ("nul.", "nul."),
        ("~1", "~1"), ("-2", "-2"), (".html", ".html"), (".lnk", ".lnk"), ("%2f", "_"), ("%5c", "_"), ("😀", "_"),
        (String(repeating: "w", count: 90), String(repeating: "w", count: 90)),
    ]

    private static let folds = Dictionary(
        uniqueKeysWithValues: parts.compactMap { part in
            part.text.unicodeScalars.count == 1 ? part.text.unicodeScalars.first.map { ($0, part.folded) } : nil
        }
    )

    /// Folds a name as ext4, APFS or HFS+ do, for the letters of the parts.
    private static func folded(_ path: Substring) -> String {
        var result = String.UnicodeScalarView()
        for scalar in path.unicodeScalars {
            if let fold = folds[scalar] {
                result.append(contentsOf: fold.unicodeScalars)
            } else {
                result.append(
                    (0x41...0x5A).contains(scalar.value) ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar
                )
            }
        }
        return String(result)
    }

    @Test func `of many hostile addresses, no two have names that a file system takes for one`() throws {
        var generator = Generator(state: 11)
        var urls: [(url: WebURL, essence: String?)] = []
        var addresses: Set<[UInt8]> = []
        let wanted = Rounds.count(20_000)
        while urls.count < wanted {
            var text = "https://d.example"
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                text += "/"
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let part = Self.parts.randomElement(using: &generator)?.text ?? ""
                    text +=
                        part.hasPrefix("%")
                        ? part : part.utf8.map { "%" + String(256 + Int($0), radix: 16).dropFirst() }.joined()
                }
            }
            guard let url = try? WebURL(text), addresses.insert(Array(url.description.utf8)).inserted else { continue }
            let types = ["text/html", "text/css", "application/octet-stream", nil]
            urls.append((url, types.randomElement(using: &generator) ?? nil))
        }
        var names = FileNames(urls, reserved: ["_afcache", "index.html"])
        var (files, folders) = (Set<String>(), Set<String>())
        var wrong: [String] = []
        let forbidden = Set("<>:\"\\|?*%#".utf8)
        for (url, essence) in urls {
            let path = names.next(url, essence)
            if !files.insert(Self.folded(path[...])).inserted { wrong.append(path) }
            var folder = path[...]
            while let slash = folder.lastIndex(of: "/") {
                folder = folder[..<slash]
                folders.insert(Self.folded(folder))
            }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            let isPlain = parts.allSatisfy { part in
                let stem = part.prefix { $0 != "." }.lowercased()
                return !part.isEmpty && !part.hasPrefix(".") && !part.hasSuffix(".") && part.utf8.count <= 90
                    && !["con", "nul", "com¹"].contains(stem)
                    && part.utf8.allSatisfy { $0 > 0x20 && !forbidden.contains($0) }
            }
            if !isPlain || path.hasSuffix(".lnk") || path.utf8.count >= 200 || !path.hasPrefix("d.example/") {
                wrong.append(path)
            }
        }
        let (count, first) = (wrong.count, wrong.prefix(5))
        #expect(count == 0, "\(first)")
        let areDisjoint = files.isDisjoint(with: folders)
        #expect(areDisjoint)
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
