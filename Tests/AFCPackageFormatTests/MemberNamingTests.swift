import AFCPackageFormat
import AFCURL
import Testing

struct MemberNamingTests {
    static func names(_ urls: [String]) throws -> [String: String] {
        let sorted = try urls.map { try WebURL($0) }.sorted()
        let names = MemberNaming.names(forSorted: sorted)
        return Dictionary(uniqueKeysWithValues: zip(sorted, names).map { ($0.description, $1.member) })
    }

    @Test(arguments: [
        ("http://docs.example/a/b.html", "docs.example/a/b.html"),
        ("https://docs.example/a//b%20c", "docs.example/a/b%20c"),
        ("http://docs.example/", "docs.example/~index"), ("http://docs.example/a/", "docs.example/a/~index"),
        ("http://docs.example:8080/a.css", "docs.example+8080/a.css"),
        ("afcpkg://localhost/a.html", "localhost/a.html"),
        ("http://[::1]/a", "~-1/a~"), ("http://docs.example/find.php?q=swift", "docs.example/find~q-swift~"),
        ("http://docs.example/con.html", "docs.example/con~"),
        ("http://docs.example/aux/a.html", "docs.example/aux~/a~"),
        ("http://manifest.afcache/a", "~manifest.afcache/a~"), ("http://docs.example/a.", "docs.example/a~"),
        ("http://docs.example/a:b|c", "docs.example/a-b-c~"),
    ])
    func `a URL gets a readable, portable name`(url: String, prefix: String) throws {
        let name = try #require(try Self.names([url])[WebURL(url).description])
        #expect(name.hasPrefix(prefix), "\(name)")
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"<>:"|?*\"#.utf8.contains($0) })
        #expect(name.utf8.count <= 240)
    }

    @Test func `names are unique without regard to case, and none is both file and folder`() throws {
        let urls = [
            "http://d.example/a", "http://d.example/a/", "http://d.example/a/b", "http://d.example/A",
            "https://d.example/a",
            "http://d.example/a?x", "http://d.example/a?X", "http://d.example:81/a", "http://d.example/a/~index",
            "http://d.example//a",
            "http://d.example/" + String(repeating: "long/", count: 80),
            "http://d.example/" + String(repeating: "n", count: 300),
            "http://d.example/" + String(repeating: "n", count: 301), "http://d.example/b%2Fc", "http://d.example/b/c",
        ]
        let names = try Self.names(urls)
        let folded = names.values.map { $0.lowercased() }
        #expect(Set(folded).count == urls.count, "\(names)")
        for name in folded {
            for other in folded { #expect(!other.hasPrefix(name + "/"), "\(name) is file and folder") }
        }
        #expect(names["http://d.example/a/b"] == "d.example/a/b")
        #expect(names["http://d.example/a"]?.hasPrefix("d.example/a~") == true)
    }

    @Test func `names don't depend on the order in which URLs were found`() throws {
        let urls = (0..<200).map { "http://d.example/p\($0 % 50)?q=\($0)" }
        #expect(try Self.names(urls) == Self.names(urls.reversed()))
    }

    @Test func `a URL that imitates a made name doesn't cause a duplicate`() throws {
        let made = try #require(try Self.names(["http://d.example/a?x"])["http://d.example/a?x"])
        let names = try Self.names(["http://d.example/a?x", "http://" + made])
        #expect(Set(names.values).count == 2)
    }

    @Test(arguments: [
        ("http://docs.example/a b/ä.html", "docs.example/a b/ä.html"),
        ("http://docs.example/a%20b", "docs.example/a b"),
        ("http://docs.example/a%20b", "docs.example/a%20b"), ("http://docs.example:8080/a", "docs.example/a"),
        ("http://docs.example/what?.html", "docs.example/what?.html"), ("http://docs.example//a", "docs.example/a"),
        ("http://docs.example/a#b.html", "docs.example/a#b.html"), ("afcpkg://localhost/a", "localhost/a"),
    ])
    func `a body is found whichever way its packager encoded names`(text: String, member: String) throws {
        #expect(MemberRule.candidates(text: text, url: try WebURL(text)).contains(member))
    }
}
