import AFCLinter
import TestSupport
import Testing

struct UnifiedDiffTests {
    static func text(_ old: [UInt8], _ new: [UInt8], label: String = "m.afcache") -> [UInt8] {
        var text: [UInt8] = []
        UnifiedDiff(old, new, label: label).forEachLine { text += $1 + [0x0A] }
        return text
    }

    static func diff(_ old: String, _ new: String, label: String = "m") -> String {
        String(decoding: text(Array(old.utf8), Array(new.utf8), label: label), as: UTF8.self)
    }

    /// What `diff -U3` prints, with these labels.
    @Test(
        arguments: [
            ("a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
            ("a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "2\n3\n4\n5\n6\n7\n8\n9\n0\n",
                "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -7,3 +6,4 @@\n 7\n 8\n 9\n+0\n"
            ),
            (
                "1\n2\n3\n4\n5\n6\n7\n", "2\n3\n4\n5\n6\n7\n0\n",
                "@@ -1,7 +1,7 @@\n-1\n 2\n 3\n 4\n 5\n 6\n 7\n+0\n"
            ),
            ("a\n", "a\n", nil),
        ] as [(String, String, String?)]
    )
    func `a diff has three lines around each change`(old: String, new: String, parts: String?) {
        #expect(Self.diff(old, new) == (parts.map { "--- m\n+++ m\n" + $0 } ?? ""))
    }

    @Test func `a name with spaces or quotes is quoted`() {
        #expect(Self.diff("a\n", "b\n", label: "a \"ä\n").hasPrefix("--- \"a \\\"\\303\\244\\012\"\n+++ "))
        #expect(Self.diff("a\n", "b\n", label: "a b").hasPrefix("--- \"a b\"\n"))
    }

    /// GNU patch and git make the new text of the old one and the diff, whatever lines come twice, move or have no end.
    @Test(arguments: [1, 2, 3])
    func `patch and git apply understand it`(seed: UInt64) throws {
        var source = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            let scratch = try Scratch()
            func random() -> [UInt8] {
                var bytes: [UInt8] = []
                for _ in 0..<Int.random(in: 1..<40, using: &source) {
                    bytes += Array("line \(Int.random(in: 0..<30, using: &source))".utf8)
                    bytes += [[0x0A], [0x0A], [0x0D, 0x0A], [0xE4, 0x0A]].randomElement(using: &source) ?? []
                }
                if Int.random(in: 0..<3, using: &source) == 0 { bytes.removeLast() }
                return bytes
            }
            let (old, new) = (random(), random())
            guard old != new else { continue }
            try scratch.write(Self.text(old, new), to: "d.patch")
            for program in ["patch -s -p0 -i d.patch", "git apply -p0 d.patch"] {
                try scratch.write(old, to: "m.afcache")
                let result = try Program.run("sh", ["-c", program], in: scratch.path)
                #expect(result.status == 0, "\(program): \(result.text)\(result.errors)")
                #expect(try scratch.read("m.afcache") == new, "\(program)")
            }
        }
    }

    @Test func `a reversed text is one change after another, in linear time`() {
        let lines = (0..<20_000).map { "line \($0)\n" }
        let (old, new) = (Array(lines.joined().utf8), Array(lines.reversed().joined().utf8))
        var counts = (removed: 0, added: 0)
        UnifiedDiff(old, new, label: "m").forEachLine { kind, _ in
            if kind == .removed { counts.removed += 1 }
            if kind == .added { counts.added += 1 }
        }
        #expect(counts == (19_999, 19_999))
    }
}
