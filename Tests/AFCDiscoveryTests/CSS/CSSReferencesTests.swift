import Testing

@testable import AFCDiscovery

struct CSSReferencesTests {
    private func lines(_ text: String, _ form: CSSReferences.Form = .styleSheet) -> [String] {
        var lines: [String] = []
        Array(text.utf8).withUnsafeBufferPointer { buffer in
            let bytes = ScanBuffer(buffer)
            CSSReferences.forEach(in: bytes, 0..<bytes.count, form) { found in
                lines.append("\(found.notation.rawValue) \(found.address)")
                return true
            }
        }
        return lines
    }

    @Test(arguments: [
        ("a{b:url(c)}", ["url() c"]), ("a{b:url( c )}", ["url() c"]), ("a{b:url('c d')}", ["url() c d"]),
        ("a{b:url( \"c)\" )}", ["url() c)"]), ("a{b:URL(c)}", ["url() c"]), ("a{b:url(c", ["url() c"]),
        ("a{b:url('c", ["url() c"]),
        ("a{b:url(\n\tc\n)}", ["url() c"]), ("a{b:url(c),url(d)}", ["url() c", "url() d"]),
        ("a{b:url(c)d}", ["url() c"]), ("a{b:src('c')}", ["url() c"]), ("a{b:url('c' x('y'))}", ["url() c"]),
        ("a{b:url(é.png)}", ["url() é.png"]), ("a{b:url(//h.example/c)}", ["url() //h.example/c"]),
        ("a{b:url(c/*d*/e)}", ["url() c/*d*/e"]), ("a{--b:url(c)}", ["url() c"]),
        ("a{b:image-set('c' 1x,url(d) 2x,'e' type('x/y') 3x)}", ["image-set() c", "url() d", "image-set() e"]),
        ("a{b:-webkit-image-set(url(c) 1x)}", ["url() c"]), ("a{b:cross-fade(image-set('c'),'x')}", ["image-set() c"]),
        ("@font-face{src:local('x'),url(a.woff2)format('x'),url('b')}", ["url() a.woff2", "url() b"]),
        ("@media print{a{b:url(c)}}", ["url() c"]), ("@supports (x:y){@media z{a{&:hover{b:url(c)}}}}", ["url() c"]),
        ("@layer a{b{c:url(d)}}", ["url() d"]), ("a{b:c;d:url(e)}f{g:url(h)}", ["url() e", "url() h"]),
        ("a::after{content:\"\\\"url(x)\" url(c)}", ["url() c"]), ("a{b:c(d(url(e)))}", ["url() e"]),
        ("<!-- a{b:url(c)} -->", ["url() c"]),
    ])
    func `URLs are found wherever declarations are`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test(arguments: [
        ("@import 'a';", ["@import a"]), ("@import \"a\"", ["@import a"]), ("@import url(a);", ["@import a"]),
        ("@import url('a');", ["@import a"]), ("@IMPORT'a';", ["@import a"]), ("@import/**/'a';", ["@import a"]),
        ("@import 'a' layer(b) supports(c:url(x)) screen and (d:e);@import 'f';", ["@import a", "@import f"]),
        ("@import url('a') layer;@import 'b' print;", ["@import a", "@import b"]),
        ("@charset 'x';@layer a,b;@import 'c';", ["@import c"]),
        ("@unknown{@import 'x';}@import 'a';", ["@import a"]), ("@unknown;@import 'a';", ["@import a"]),
        ("@unknown{}b{}@import 'x';", []), ("@layer a{}@import 'x';", []), ("@font-face{}@import 'x';", []),
        ("@import a 'x';", []), ("a{}@import 'x';", []), ("@namespace 'y';@import 'x';", []),
        ("@media a{@import 'x';}", []), ("@import;a{b:url(c)}", ["url() c"]), ("@import {a{b:url(c)}}", ["url() c"]),
        ("@import 'a", ["@import a"]), ("@import 'x\n;@import 'a';", ["@import a"]),
        ("@import 'x\ny';@import 'z';", []), ("@\\69mport 'a';", ["@import a"]),
    ])
    func `imports are followed only before other rules`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test(arguments: [
        "/* url(x) */", "/* a */ /* url(x) */", "@namespace url(x);", "@namespace a 'x';", "a[b='url(x)']{}",
        "a{b:'url(x)'}",
        "a{b:url(x y)}", "a{b:url(x\"y)}", "a{b:url(x'y)}", "a{b:url(x(y)}", "a{b:url('x\ny')}", "a{b:url(x\\\n)}",
        "a{b:url()}",
        "a{b:url('')}", "a{b:url(#x)}", "a{b:url('#x')}", "@supports (a:url(x)){}", "a{b:format('x')}", "a{b:xurl(y)}",
        "a{b:1e3url(x)}", "a{b:url('x\ny')}c:url('z')",
        "a{b:url (x)}", "a{b:-url(x)}", "a{b:#url(x)}", "a{b:attr(x url)}", "a{b:'\\'url(x)'}",
        "a{b:image-set(type('x'))}", "@charset 'x';",
        "/* url(x)", "a{b:url(x\u{01})}",
    ])
    func `text that isn't a reference is ignored`(text: String) {
        #expect(lines(text).isEmpty)
    }

    /// CSS Syntax §4.3.7.
    @Test(arguments: [
        ("a{b:u\\72l(c)}", ["url() c"]), ("a{b:\\75 rl(c)}", ["url() c"]), ("a{b:\\000075rl(c)}", ["url() c"]),
        ("a{b:\\55 RL('c')}", ["url() c"]), ("a{b:url(c\\ d)}", ["url() c d"]), ("a{b:url(c\\)d)}", ["url() c)d"]),
        ("a{b:url(c\\29 d)}", ["url() c)d"]), ("a{b:url('c\\\nd')}", ["url() cd"]),
        ("a{b:url('c\\\r\nd')}", ["url() cd"]),
        ("a{b:url(c\\64\r\ne)}", ["url() cde"]), ("a{b:url('\\63\\64 \\65')}", ["url() cde"]),
        ("a{b:url(\\0)}", ["url() \u{FFFD}"]),
        ("a{b:url(\\d800 x)}", ["url() \u{FFFD}x"]), ("a{b:url(\\110000)}", ["url() \u{FFFD}"]),
        ("a{b:url(\\1F600)}", ["url() 😀"]),
        ("a{b:url(\\0000631)}", ["url() c1"]), ("a{b:url('\\zc')}", ["url() zc"]), ("a{b:url(\\é)}", ["url() é"]),
        ("a{b:url('c\\", ["url() c\u{FFFD}"]),
    ])
    func `escapes are resolved`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test func `declarations alone have no imports`() {
        #expect(lines("@import 'x';b:url(c);d:image-set('e')", .declarations) == ["url() c", "image-set() e"])
    }

    @Test(arguments: ["(", "url(", "a{", "image-set(", "@import ", "@media ", "'", "\\", "/*", "/**/", "}", ")"])
    func `repeated openings end in time and without overflow`(part: String) {
        _ = lines(String(repeating: part, count: 50_000))
    }
}
