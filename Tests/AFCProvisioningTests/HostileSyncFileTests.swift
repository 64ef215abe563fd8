import AFCSyncFile
import AFCYAML
import Testing

/// Sync files that nobody means well with, and values that look like something else.
struct HostileSyncFileTests {
    private static func refusal(_ text: String) -> String {
        do throws(SyncFileError) {
            return "taken: \(try SyncFile.parse(text))"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("version: 1\ncache: \u{0}x", "2:8: the file is not text: it contains the character U+0000"),
        ("version: 1\ncache: \u{1B}[2J", "2:8: the file is not text: it contains the character U+001B"),
        ("version: 1\ncache: \u{9B}x", "2:8: the file is not text: it contains the character U+009B"),
        ("version: 1\n\tcache: x", "2:1: the file is not YAML: found a tab character that violates indentation"),
        ("version: 1\n---\nversion: 1", "2:1: the file has another document"),
        ("version: 1\ncache: *x", "2:8: anchors and aliases are not allowed; write or quote the value"),
        ("version: 1\ncache:", "2:7: 'cache' has no value; add one or remove the key"),
        ("version: 1\ncache: ~", "2:8: 'cache' has no value; add one or remove the key"),
        ("version: 1\ntrust: [a, ]\nlimits: [1]", "3:9: 'limits' must be a mapping of keys to values"),
        ("version: 1\npackages: [{ from: a.zip, name: null }]", "2:33: 'name' has no value"),
        ("version: 1\n\"a\\e[2Jb\": 1", "2:1: the file has a key 'a\\u{1b}[2Jb', which is not known"),
    ])
    func `a value that isn't plain is refused with its place`(text: String, sentence: String) {
        #expect(Self.refusal(text).hasPrefix(sentence), "\(Self.refusal(text))")
    }

    @Test(arguments: [
        ("ftp://p.example/a.zip", "2:20: 'from' must be a URL that begins with 'https://' or 'http://', or a path"),
        ("FTP://p.example/a.zip", "2:20: 'from' must be a URL that begins with 'https://' or 'http://', or a path"),
        ("file://p.example/a.zip", "2:20: 'from' must be a URL that begins with 'https://' or 'http://', or a path"),
        ("https:///", "2:20: 'from' is not a URL: "), ("http://a b/c.zip", "2:20: 'from' is not a URL: "),
        ("https://u:secret@p.example/a.zip", "2:20: everyone who can read this file would see the password"),
        ("~/a.zip", "2:20: '~' is not expanded; write the full path"),
    ])
    func `packages come from every supported source`(from: String, sentence: String) {
        let refusal = Self.refusal("version: 1\npackages: [{ from: '\(from)' }]")
        #expect(refusal.hasPrefix(sentence), "\(refusal)")
        #expect(!refusal.contains("secret"))
    }

    @Test(arguments: ["a:b.zip", "C:/a.zip", "a b.zip", "ü.zip", "../a.zip"])
    func `a path may look unusual`(from: String) throws {
        let plan = try SyncFile.parse("version: 1\npackages: [{ from: '\(from)' }]")
        #expect(plan.packages.map(\.from) == [from])
    }

    @Test(arguments: ["\"a\\nb\"", "\"\"", "\"a\\u202Eb\"", String(repeating: "ä", count: 128)])
    func `a name is one line of at most 255 bytes`(name: String) {
        #expect(
            Self.refusal("version: 1\npackages: [{ from: a.zip, name: \(name) }]").hasPrefix(
                "2:33: a package's name must have 1"
            )
        )
    }

    @Test(arguments: ["[", "{ a: ", "- ", "? ", "[ { a: "])
    func `a deeply nested file is refused before it is read to its end`(unit: String) {
        let text = String(repeating: unit, count: SyncFile.byteLimit / unit.utf8.count)
        #expect(Self.refusal(text).contains("the file is nested more than 16 levels deep"))
    }

    /// Each level doubles what the key stands for; at forty nothing would come of it in a life.
    @Test func `a key that expands to very much is refused before it is compared`() {
        var text = "version: 1\nx0: &x0 [a, a]\n"
        for level in 1...40 { text += "x\(level): &x\(level) [*x\(level - 1), *x\(level - 1)]\n" }
        text += "y: { ? *x40 : 1, ? [*x40] : 2 }\n"
        #expect(Self.refusal(text) == "2:5: anchors and aliases are not allowed; write or quote the value")
    }

    @Test func `few stars are text`() throws {
        let plan = try SyncFile.parse("# *all* of *them*\nversion: 1\ncache: /a*b/*c*\n")
        #expect(plan.cache == "/a*b/*c*")
    }
}
