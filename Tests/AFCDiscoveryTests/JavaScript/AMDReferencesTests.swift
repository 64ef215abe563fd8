import AFCURL
import Testing

@testable import AFCDiscovery

struct AMDReferencesTests {
    /// The modules that a script's file names: a guess with a question mark, and one with its suffix with an asterisk.
    private func found(_ text: String) -> [String] {
        Array(text.utf8).withUnsafeBufferPointer { buffer in
            AMDReferences.read(ScanBuffer(buffer)).found
                .map { ($0.isGuess ? "?" : $0.isFile ? "*" : "") + $0.text }
        }
    }

    @Test func `what a page configures again and again stays small`() throws {
        let script = "<script>require.config({baseUrl: 'a', paths: {NAME: 'x', b: 'y'}})</script>"
        let page = (0..<300).map { script.replacing("NAME", with: "n\($0)") }.joined()
        let found = ReferenceExtractor.references(
            in: Array(page.utf8),
            mediaType: "text/html",
            charset: nil,
            url: try WebURL("http://d.example/"),
            destination: .document
        )
        let map = try #require(found.moduleMap)
        #expect(map.entries.count == 201)
        #expect(map.resolve("amd!/c/d.js", in: try WebURL("http://d.example/s.js"))?.path == "/a/c/d.js")
    }

    @Test(arguments: [
        ("define(['./dep', \"../lib/x\"], function (a, b) {})", ["./dep.js", "../lib/x.js"]),
        ("// a comment\ndefine( [\n  'require', 'exports', './dep',\n], f)", ["./dep.js"]),
        ("/* x */define(['./dep'],f);define(['./e'])", ["./dep.js", "./e.js"]),
        ("function f() { require(['./late'], g) }", ["./late.js"]),
        ("requirejs(['/abs/a.js'])", ["?/abs/a.js"]),
        (
            "define(['./locales/ca.js', './locales/de', 'text!./t.js'])",
            ["*./locales/ca.js", "./locales/de.js", "./t.js"]
        ),
        ("define(['text!./t.html', 'json!./d.json', 'css!./c'], f)", ["./t.html", "./d.json"]),
        ("require(['jquery', 'app/x'])", []),
        (
            "requirejs.config({paths: {jquery: 'lib/jquery.min', app: '../app'}, shim: {x: {deps: ['jquery']}}});\nrequire(['app/x', 'main', 'jquery'])",
            ["?lib/jquery.min.js", "?../app.js", "?main.js"]
        ),
        ("require.config({baseUrl: '/s/', paths: {a: 'b'}})", ["?/s/b.js"]),
        ("require.config({baseUrl: 's', paths: {a: 'b'}});require(['x'])", []),
        ("require.config({paths: {a: root + 'b', c: 'd' + e, f: 'g'}})", ["?g.js"]),
        // These are for several kinds of loaders, and name what the page may load otherwise.
        ("if (typeof define == 'function' && define.amd) // AMD\n    define(['../../lib/codemirror'], mod);", []),
        ("\"function\"==typeof define&&define.amd?define([\"./x\"],t):t()", []),
        ("(function(f){define(['./x'], f)})", []),
        ("a.require(['./x'])", []), ("mydefine(['./x'])", []), ("define('name', ['./x'])", []),
        ("define(['./{x}', './a b', ''])", []),
        (
            "System.register(['./a.js', '../b.js', \"/c.js\", 'cc', ''], function (e) {})",
            ["./a.js", "../b.js", "/c.js"]
        ),
        ("System.register([],(function(e){return{execute(){}}}))", []), ("x.System.register(['./a.js'])", []),
    ])
    func `modules are named without a suffix`(text: String, expected: [String]) {
        #expect(found(text) == expected)
    }

    @Test func `a script names a limited number of modules`() {
        let names = (0..<2_000).map { "'./\($0)'" }.joined(separator: ",")
        #expect(found("define([\(names)])").count == 1_024)
    }
}
