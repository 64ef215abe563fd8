import AFCURL
import Testing

@testable import AFCPackageFormat

/// The names that packages state, and those that their start URLs suggest.
struct PackageNameTests {
    @Test(
        arguments: [
            (["http://docs.example/"], "docs.example"), (["https://docs.example"], "docs.example"),
            (["http://docs.example/index.html"], "docs.example"), (["http://docs.example:8080/"], "docs.example-8080"),
            (["http://docs.example/guide/"], "docs.example-guide"),
            (["http://docs.example/guide"], "docs.example-guide"),
            (["http://docs.example/a/b/c.html"], "docs.example-a-b-c.html"),
            (["http://docs.example/a/", "http://docs.example/b/"], "docs.example"),
            (["http://docs.example/v1/a", "http://docs.example/v1/b"], "docs.example-v1"),
            (["http://docs.example/v1/", "http://cdn.example/x/"], "docs.example-v1"),
            (["http://docs.example/?q=1"], "docs.example-e4f1e158"),
            (["http://docs.example/a%20b"], "docs.example-a_20b-e1d2b1ec"),
            (["http://[::1]:80/"], "___1_-6d16ab69"), (["file:///a/b"], nil), ([], nil),
        ] as [([String], String?)]
    )
    func `start URLs suggest a name`(seeds: [String], name: String?) throws {
        let urls = try seeds.map { try WebURL($0) }
        #expect(PackageName.suggested(for: urls) == name)
        if let name { #expect(PackageName.isValidInside(name)) }
    }

    @Test func `long paths that differ at the end have names that differ`() throws {
        let start = "http://docs.example/" + String(repeating: "a/", count: 200)
        let names = try ["b", "c"].map { PackageName.suggested(for: [try WebURL(start + $0)]) ?? "" }
        #expect(Set(names).count == 2 && names.allSatisfy { PackageName.isValidInside($0) && $0.utf8.count < 140 })
    }

    @Test(arguments: [
        ("docs", true), ("docs.example-guide", true), ("News of today", true), ("新闻", true), ("a..b", true),
        ("", false), (".", false), ("..", false), (".docs", false), ("-name", false), ("a/b", false), ("../a", false),
        (#"a\b"#, false), (" a", false), ("a ", false), ("a\u{A0}", false), ("a\nb", false), ("a\u{0}", false),
        ("a\u{7F}", false), ("a\u{202E}b", false), ("a\u{2066}b", false), ("a\u{200B}b", false),
        ("a\u{2028}b", false), (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
        (String(repeating: "é", count: 128), false),
    ])
    func `what a package states as its name is checked`(name: String, isValid: Bool) throws {
        #expect(PackageName.isValidInside(name) == isValid)
        var info = PackageInfo(name: name, generator: nil, created: nil)
        info = try PackageInfo(info.bytes)
        #expect(info.name == (isValid ? name : nil) && info.hasInvalidName == !isValid)
    }

    @Test(arguments: [#"{"format":1,"name":5}"#, #"{"format":1,"name":null}"#, #"{"format":1,"name":["a"]}"#])
    func `a name that is no text counts as invalid, and none as none`(text: String) throws {
        let info = try PackageInfo(Array(text.utf8))
        #expect(info.name == nil && info.hasInvalidName)
        #expect(try !PackageInfo(Array(#"{"format":1}"#.utf8)).hasInvalidName)
    }
}
