import Testing

@testable import AFCDiscovery

struct JavaScriptReferencesTests {
    private func lines(_ text: String, _ goal: JavaScriptReferences.Goal = .module) -> [String] {
        var lines: [String] = []
        Array(text.utf8).withUnsafeBufferPointer { buffer in
            let bytes = ScanBuffer(buffer)
            JavaScriptReferences.forEach(in: bytes, 0..<bytes.count, goal) { found in
                let loads = found.loads == .module ? "" : " \(found.loads)"
                lines.append("\(found.notation.rawValue) \(found.text)\(loads)")
                return true
            }
        }
        return lines
    }

    /// ECMA-262 §16.2.2 and §16.2.3, import attributes in §16.2.2 as of 2025.
    @Test(arguments: [
        ("import './a.js'", ["import ./a.js"]), ("import \"./a.js\";", ["import ./a.js"]),
        ("import a from './b'", ["import ./b"]), ("import * as a from './b'", ["import ./b"]),
        ("import {a} from './b'", ["import ./b"]), ("import{a as b,c}from\"./d\"", ["import ./d"]),
        ("import a, {b} from './c'", ["import ./c"]), ("import a, * as b from './c'", ["import ./c"]),
        ("import {default as a} from './b'", ["import ./b"]), ("import {'x y' as a} from './b'", ["import ./b"]),
        ("import {} from './a'", ["import ./a"]), ("import {a,} from './b'", ["import ./b"]),
        ("import from from './a'", ["import ./a"]), ("import {from} from './a'", ["import ./a"]),
        ("import/*x*/a/*y*/from/*z*/'./b'", ["import ./b"]), ("import a\nfrom\n'./b'", ["import ./b"]),
        ("import defer * as a from './b'", ["import ./b"]), ("import source a from './b'", ["import ./b"]),
        ("import $ä from './a'", ["import ./a"]), ("import 'a';import './b'", ["import a", "import ./b"]),
        ("import a from './b' with { type: 'json' }", ["import ./b other"]),
        ("import a from './b' with {type:\"css\"};import './c'", ["import ./b style", "import ./c"]),
        ("import a from './b' assert { 'type': 'json' }", ["import ./b other"]),
        ("import './a'\nimport './b'", ["import ./a", "import ./b"]),
        ("export * from './a'", ["export ./a"]), ("export*as a from'./b'", ["export ./b"]),
        ("export {a} from './b'", ["export ./b"]), ("export {a as 'x y'} from './b'", ["export ./b"]),
        ("export {default} from './a';export {b}", ["export ./a"]),
        ("export {a}\nimport './b'", ["import ./b"]),
        ("export {a}\nnew URL('b', import.meta.url)", ["new URL() b other"]),
        ("export default import('./a')", ["import() ./a"]), ("export const a = import('./b')", ["import() ./b"]),
        ("let a=1;{let b}function c(){}import './d'", ["import ./d"]), ("if(a){b}else{c}import './d'", ["import ./d"]),
        ("\u{A0}import\u{A0}a\u{3000}from\u{2028}'./b'", ["import ./b"]), ("\u{FEFF}import './a'", ["import ./a"]),
        ("#!/usr/bin/env node\nimport './a'", ["import ./a"]),
    ])
    func `imports and exports of other modules are found`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test(arguments: [
        ("import('./a')", ["import() ./a"]), ("import(\n/* x */ './a' /* y */)", ["import() ./a"]),
        ("import(`./a`)", ["import() ./a"]), ("a = await import('./b')", ["import() ./b"]),
        ("f(() => import('./a'), import('./b'))", ["import() ./a", "import() ./b"]),
        ("[...import('./a')]", ["import() ./a"]),
        ("{if(a){import('./b')}}", ["import() ./b"]), ("a = {b: () => import('./c')}", ["import() ./c"]),
        ("import('./a', {with: {type: 'json'}})", ["import() ./a other"]), ("import('./a',)", ["import() ./a"]),
        ("import.defer('./a')", ["import() ./a"]), ("`${import('./a')}`", ["import() ./a"]),
        ("`a${b`c${import('./d')}`}e`", ["import() ./d"]), ("`${{a:1}}${import('./b')}`", ["import() ./b"]),
        ("a/import('./b')/c", ["import() ./b"]), ("import('./a').then(b=>b.c)", ["import() ./a"]),
        ("import(import('./a'))", ["import() ./a"]),
    ])
    func `calls of import with a literal are found, also in classic scripts`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
        #expect(lines(text, .script) == expected)
    }

    @Test(arguments: [
        ("new URL('a.png', import.meta.url)", ["new URL() a.png other"]),
        ("new URL(`a`,import.meta.url,).href", ["new URL() a other"]),
        ("new Worker(new URL('./w.js', import.meta.url))", ["new URL() ./w.js script"]),
        ("new Worker(new URL('./w.js', import.meta.url), { type: 'module' })", ["new URL() ./w.js"]),
        ("new SharedWorker(new URL('w', import.meta.url), {name:'x'})", ["new URL() w script"]),
        ("new Worker(new URL('w', import.meta.url), {name:import('./b')})", ["new URL() w script", "import() ./b"]),
        ("new URL('x', import('./a'))", ["import() ./a"]), ("new Worker(import('./a'))", ["import() ./a"]),
    ])
    func `URLs relative to the module are found`(text: String, expected: [String]) {
        #expect(lines(text) == expected)
    }

    @Test(arguments: [
        "'import(\"x\")'", "\"import 'x'\"", "`import('x')`", "`\\`import('x')`", "// import 'x'", "/* import 'x' */",
        "a = /import('x')/", "a = /[/]import('x')/", "a = /\\/import('x')/g", "if (a) /import('x')/.test(b)",
        "return /import('x')/", "a => /import('x')/", "{}/import('x')/", "!/import('x')/", "a ? /import('x')/ : b",
        "a.import('x')", "a?.import('x')", "a\n.import('x')", "import.meta", "import.meta.resolve('x')",
        "import('x' + a)",
        "import(`x${a}`)", "import(a)", "importx('x')", "ximport('x')", "$import('x')", "({import: 'x'})",
        "{ import 'x' }", "f(import 'x')", "export {a}", "export default 'x'", "export const a = 'x'",
        "export {a}\n'x'", "export default function from() {'x'}", "new URL('x', a)", "new URL('x')",
        "new URL('x', import.meta.env)", "URL('x', import.meta.url)", "new a.URL('x', import.meta.url)",
        "new Worker('x')",
        "import a, b 'x'", "import 'x", "import '", "import('x\n')", "import {a} 'x'", "'\\'; import(\"x\")'",
        "a = b\n/c/import\n('x'+y)", "import('\\u{}')", "#import('x')",
    ])
    func `text that isn't a reference is ignored`(text: String) {
        #expect(lines(text).isEmpty)
    }

    @Test(arguments: [
        "a/b/import('./x')", "a++/import('./x')/2", "(a)/import('./x')/2", "[a]/import('./x')/2", "1/import('./x')/2",
        "({a:1})/import('./x')/2", "a={b:1}/import('./x')/2", "`a`/import('./x')/2", "'a'/import('./x')/2",
        "a.return/import('./x')/2", "this/import('./x')/2", ".5/import('./x')/2", "f(a)/b\nimport('./x')/2",
        "x = a ? b : {c:1}\n/import('./x')", "a=/[/]/\nimport('./x')", "a=/'/,import('./x'),/'/", "a=/`/;import('./x')",
        "if(/'/.test(a))import('./x')", "a.replace(/\"/g,'');import('./x')", "a=b/c;'/';import('./x')",
        "a=1e3/2/import('./x')", "case 1:{}/'/;import('./x')",
    ])
    func `a slash divides after operands and begins a regular expression elsewhere`(text: String) {
        #expect(lines(text) == ["import() ./x"])
    }

    @Test(arguments: [
        "import './x'", "export * from './x'", "new URL('x', import.meta.url)", "<!-- import('./x')",
        "a\n--> import('./x')",
    ])
    func `in a classic script only calls count`(text: String) {
        #expect(lines(text, .script).isEmpty)
    }

    @Test(arguments: [
        ("import '\\x2e/a'", "./a"), ("import '\\u002e/a'", "./a"), ("import '\\u{2e}/a'", "./a"),
        ("import './a\\\nb'", "./ab"), ("import './a\\\r\nb'", "./ab"), ("import './\\ud83d\\ude00'", "./😀"),
        ("import './\\ud83d'", "./\u{FFFD}"), ("import './\\'\\\"\\\\\\q'", "./'\"\\q"), ("import './ä'", "./ä"),
    ])
    func `escapes are resolved`(text: String, expected: String) {
        #expect(lines(text) == ["import \(expected)"])
    }
}
