import Testing

@testable import AFCDiscovery

struct JSONScannerTests {
    private func paths(_ text: String) -> [String]? {
        var paths: [String] = []
        let isJSON = Array(text.utf8).withUnsafeBufferPointer { buffer in
            JSONWalk.forEachString(in: ScanBuffer(buffer)) { found in
                let steps = found.path.indices.map { found.name(ofStep: $0, limit: 100) ?? "*" }
                paths.append("\(steps.joined(separator: ".")) \(found.text(limit: 100) ?? "")")
            }
        }
        return isJSON ? paths : nil
    }

    @Test(arguments: [
        ("{}", []), ("[]", []), ("\"a\"", [" a"]), (" 1 ", []), ("\u{FEFF}null", []),
        ("{\"a\":\"b\",\"c\":{\"d\":\"e\"},\"f\":\"g\"}", ["a b", "c.d e", "f g"]),
        ("[\"a\",[\"b\"],{\"c\":[1,\"d\"]},\"e\"]", ["* a", "*.* b", "*.c.* d", "* e"]),
        ("{\"a\":[[],{}],\"b\":\"c\"}", ["b c"]), ("{\"\\u0061\":\"\\ud83d\\ude00\\n\\/\"}", ["a 😀\n/"]),
        ("{\"a\":-0.5e+3,\"b\":true,\"c\":\"d\"}", ["c d"]),
        ("[[[[[[[[[[\"x\"],1]]]]]]],{\"a\":\"y\"}],\"b\"]", ["*.*.a y", "* b"]),
    ])
    func `strings are found with their path`(text: String, expected: [String]) {
        #expect(paths(text) == expected)
    }

    /// RFC 8259.
    @Test(arguments: [
        "", " ", "{", "[", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,1]", "{a:1}", "'a'", "[1 2]", "01", "1.",
        ".5",
        "+1", "1e", "-", "tru", "nul", "True", "\"a", "\"a\n\"", "\"\\x41\"", "\"\\u12g4\"", "{} {}", "[1]]",
        "{\"a\":1]",
        "// a\n{}", "NaN",
    ])
    func `text that isn't JSON isn't read`(text: String) {
        #expect(paths(text) == nil)
    }

    @Test func `nesting is limited`() {
        #expect(paths(String(repeating: "[", count: 128) + String(repeating: "]", count: 128)) == [])
        #expect(paths(String(repeating: "[", count: 129) + String(repeating: "]", count: 129)) == nil)
    }
}
