import Foundation
import TestSupport
import Testing

/// `afcache lint --fix` and `--diff` as a user meets them.
struct FixTests {
    static let before =
        "http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; NULL ; text/plain\r\nhttp://d.example/a ; tomorrow ; NULL ; text/plain"
    static let after =
        "http://d.example/a ; tomorrow ; NULL ; text/plain\nhttp://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"

    static func lint(_ arguments: [String], in scratch: Scratch) throws -> ProgramResult {
        try Program.run(Program.afcache, ["lint", "--no-config"] + arguments, in: scratch.path)
    }

    @Test func `a fix reports what is left, which decides the exit code`() throws {
        let scratch = try Scratch()
        try scratch.write(Array(Self.before.utf8), to: "m.afcache")
        let result = try Self.lint(["--fix", "--fail-on", "warning", "m.afcache"], in: scratch)
        #expect(result.status == 1)
        #expect(result.text.contains("[date.invalid]") && !result.text.contains("[manifest.crlf]"))
        #expect(result.errors.contains("2 entries, 1 warning, 4 fixed"), "\(result.errors)")
        #expect(try scratch.read("m.afcache") == Array(Self.after.utf8))
        #expect(try Self.lint(["--fix", "m.afcache"], in: scratch).status == 0)
        #expect(try scratch.read("m.afcache") == Array(Self.after.utf8))
    }

    @Test func `a diff alone writes nothing and exits with 1 if there are changes`() throws {
        let scratch = try Scratch()
        try scratch.write(Array(Self.before.utf8), to: "m.afcache")
        let result = try Self.lint(["--diff", "m.afcache"], in: scratch)
        #expect(result.status == 1)
        #expect(result.text.hasPrefix("--- m.afcache\n+++ m.afcache\n@@ -1,2 +1,2 @@\n"))
        #expect(try scratch.read("m.afcache") == Array(Self.before.utf8))
        try scratch.write(result.output, to: "d.patch")
        #expect(try Program.run("patch", ["-s", "-p0", "-i", "d.patch"], in: scratch.path).status == 0)
        #expect(try scratch.read("m.afcache") == Array(Self.after.utf8))
        let none = try Self.lint(["--diff", "m.afcache"], in: scratch)
        #expect(none.status == 0 && none.text.isEmpty && none.errors.isEmpty)
    }

    @Test func `with both, the diff is shown and written`() throws {
        let scratch = try Scratch()
        try scratch.write(Array(Self.before.utf8), to: "m.afcache")
        let result = try Self.lint(["--fix", "--diff", "m.afcache"], in: scratch)
        #expect(result.status == 0)
        #expect(result.text.hasPrefix("--- m.afcache\n") && result.text.contains("[date.invalid]"))
        #expect(try scratch.read("m.afcache") == Array(Self.after.utf8))
    }

    @Test func `a reason why something can't be fixed is a sentence`() throws {
        let scratch = try Scratch()
        let missing = try Self.lint(["--fix", "m.afcache"], in: scratch)
        #expect(missing.status == 11)
        let reason =
            "error: cannot fix 'm.afcache': cannot open 'm.afcache': No such file or directory; it is looked for in "
        #expect(missing.errors.hasPrefix(reason))
        try scratch.write([0x50, 0x4B, 3, 4], to: "x.zip")
        #expect(try Self.lint(["--diff", "x.zip"], in: scratch).status == 1)
        let broken = try Self.lint(["--fix", "x.zip"], in: scratch)
        #expect(broken.status == 1 && broken.text.contains("[zip.not-a-zip]"))
        #expect(try Self.lint(["--diff", "--format", "json", "x.zip"], in: scratch).status == 64)
    }
}
