import Testing

@testable import AFCDiscovery

struct SourceSetTests {
    /// HTML §4.8.4.3.10.
    @Test(arguments: [
        ("a", ["a"]), ("a 1x, b 2x", ["a", "b"]), ("a, b", ["a", "b"]), ("a,b", ["a,b"]),
        ("a,b 1x, c,d 2x", ["a,b", "c,d"]),
        ("data:image/png;base64,AA== 1x, b 2x", ["data:image/png;base64,AA==", "b"]),
        ("a,, b", ["a", "b"]), (",a", ["a"]), (" , , a 100w ,b", ["a", "b"]), ("a 100w,b 200w", ["a", "b"]),
        ("a 1.5x", ["a"]), ("a .5x", ["a"]), ("a 1e3x", ["a"]), ("a 1e+3x", ["a"]), ("a 0x", ["a"]), ("a 1.x", []),
        ("a -1x", []),
        ("a +1x", []), ("a x", []), ("a 0w", []), ("a 1.0w", []), ("a 1w 2w", []), ("a 1x 2w", []),
        ("a 100w 50h", ["a"]), ("a 50h", []),
        ("a 1x 1h", []), ("a 1q, b", ["b"]), ("a (1x, 2x), b", ["b"]), ("a 1x (,b", []),
        ("\u{0C}a\t1x\n,\rb", ["a", "b"]),
        ("", []), (" ,\n, ", []), ("a?x=(1,2) 1x", ["a?x=(1,2)"]),
    ])
    func `candidates are separated as browsers do it`(text: String, expected: [String]) {
        #expect(SourceSet(text).addresses == expected)
    }

    /// HTML §4.2.5.3, shared declarative refresh steps.
    @Test(arguments: [
        ("5; url=a", "a"), ("5;URL=a", "a"), ("5 url = a", "a"), ("5,a", "a"), ("5;a", "a"), (".5;a", "a"),
        ("5.5.5; a", "a"),
        ("5; url='a b'c", "a b"), ("5; url=\"a", "a"), ("5; 'a'", "a"), ("5; url a", "url a"), ("5; ur", "ur"),
        (" 5 ; url=a ", "a "), ("5", nil), ("5;", nil), ("5; ", nil), ("", nil), ("url=a", nil), ("5x; a", nil),
        ("; a", nil),
        ("-5; a", nil), ("5; url=", ""),
    ])
    func `a refresh directive leads where the standard says`(directive: String, expected: String?) {
        #expect(RefreshDirective.address(in: directive) == expected)
    }
}
