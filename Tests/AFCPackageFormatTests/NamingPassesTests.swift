import AFCURL
import TestSupport
import Testing

@testable import AFCPackageFormat

/// Names that are given in two passes with hashes are those that sets of strings give.
struct NamingPassesTests {
    /// The rule of docs/reference/format.md written down plainly, with all names at hand.
    static func plainNames(_ urls: [WebURL]) -> [String] {
        let candidates = urls.map { MemberNaming.candidate(for: $0).member }
        var folders: Set<String> = []
        for name in candidates {
            let parts = name.lowercased().split(separator: "/", omittingEmptySubsequences: false)
            for count in 1..<max(1, parts.count) { folders.insert(parts[..<count].joined(separator: "/")) }
        }
        var taken: Set<String> = []
        return zip(urls, candidates).map { url, candidate in
            var name = candidate
            var attempt = 1
            while folders.contains(name.lowercased()) || taken.contains(name.lowercased()) {
                name = MemberNaming.hashed(url, attempt: attempt)
                attempt += 1
            }
            taken.insert(name.lowercased())
            return name
        }
    }

    /// URLs that compete for names: few words, both cases, both schemes, ports, queries, folders that are also files.
    static func urls(_ count: Int, seed: UInt64) throws -> [WebURL] {
        var source = SeededGenerator(seed: seed)
        let words = [
            "a", "A", "b", "a.css", "A.CSS", "~index", "con", "x.", "a%20b", "long" + String(repeating: "n", count: 60),
        ]
        var urls: Set<WebURL> = []
        while urls.count < count {
            let scheme = Bool.random(using: &source) ? "http" : "https"
            let host = ["d.example", "e.example", "e.example:81", "[::1]"].randomElement(using: &source) ?? ""
            var path = ""
            for _ in 0..<Int.random(in: 0...5, using: &source) {
                path += "/" + (words.randomElement(using: &source) ?? "")
            }
            path +=
                ["", "/", "//", "?q", "?Q=\(Int.random(in: 0..<9, using: &source))"].randomElement(using: &source) ?? ""
            if path.first != "/" { path = "/" + path }
            let made = try WebURL("\(scheme)://\(host)\(path)")
            urls.insert(made)
            // Somebody may use a made name as a URL.
            if Int.random(in: 0..<20, using: &source) == 0 {
                urls.insert(
                    try WebURL("http://" + MemberNaming.hashed(made, attempt: Int.random(in: 1...2, using: &source)))
                )
            }
        }
        return urls.sorted()
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `two passes give the same names as sets of strings`(seed: UInt64) throws {
        let urls = try Self.urls(2000, seed: seed)
        var naming = MemberNaming()
        for url in urls { naming.note(url) }
        let names = urls.map { naming.name(for: $0).member }
        #expect(names == Self.plainNames(urls))
        #expect(Set(names.map { $0.lowercased() }).count == urls.count)
    }
}
