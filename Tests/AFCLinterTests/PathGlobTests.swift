import AFCText
import Testing

struct PathGlobTests {
    /// A pattern, what it is for, and what it isn't for.
    @Test(
        arguments: [
            ("vendor/**", ["vendor/a", "vendor/a/b.zip"], ["vendor", "x/vendor/a", "vendors/a"]),
            ("**/old/*.zip", ["old/a.zip", "x/old/a.zip", "x/y/old/a.zip"], ["old/x/a.zip", "xold/a.zip"]),
            ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "a/b/c"]),
            ("*.zip", ["a.zip", "x/y/a.zip", ".zip"], ["a.zip/b", "a.zipp"]),
            ("x/*.zip", ["x/a.zip"], ["x/y/a.zip", "a.zip"]),
            ("x/**.zip", ["x/a.zip", "x/y/a.zip"], ["a.zip"]),
            ("?.zip", ["a.zip", "x/ä.zip"], ["ab.zip", ".zip"]),
            ("a/?", ["a/b"], ["a/", "a//"]),
            ("**", ["a", "a/b"], []),
            ("[a]", ["[a]"], ["a"]),
            ("", [], ["a"]),
        ] as [(String, [String], [String])]
    )
    func `a pattern applies to some files`(pattern: String, matching: [String], others: [String]) {
        let glob = Glob(pattern, .path)
        for path in matching { #expect(glob.matches(path), "\(path)") }
        for path in others { #expect(!glob.matches(path), "\(path)") }
    }

    @Test func `a pattern of many stars takes time proportional to its length`() {
        #expect(!Glob(String(repeating: "*a", count: 200) + "b", .path).matches(String(repeating: "a", count: 2000)))
        #expect(!Glob(String(repeating: "**/", count: 200) + "b", .path).matches(String(repeating: "a/", count: 2000)))
    }
}
