import Foundation
import TestSupport
import Testing

/// An export as a folder of Markdown (docs/reference/export.md), with the built program.
struct MarkdownExportTests {
    private static func export(_ scratch: Scratch, _ options: [String]) throws -> ProgramResult {
        try Program.run(Program.afcache, ["export", "p.zip"] + options, in: scratch.path)
    }

    private static func text(_ scratch: Scratch, _ path: String) throws -> String {
        String(decoding: try scratch.read(path), as: UTF8.self)
    }

    @Test func `a folder of Markdown has the content of each page, a list, and a file with all`() throws {
        let scratch = try Scratch()
        let page = """
            <title>Home</title><meta name=description content="All about [tides]."><nav><a href=/>Home</a></nav>
            <main><h1 id=top>Harbour</h1><p>See <a href="guide/#neap">the guide</a> and <a href="https://e.example/x">more</a>.</p>
            <pre><code class=language-sh>tide --now</code></pre><img src=i.png alt=Map></main><footer>Imprint</footer>
            """
        try scratch.write(Array(page.utf8), to: "in/index.html")
        let guide =
            "<title>Tides</title><article><p>Spring tides and neap tides, and what is between; <a href=../index.html>home</a>.</p></article>"
        try scratch.write(Array(guide.utf8), to: "in/guide/index.html")
        try scratch.write(Array("# Notes\n".utf8), to: "in/notes.md")
        try scratch.write(Array("User-agent: *\n".utf8), to: "in/robots.txt")
        try scratch.write(Array("p { color: red }".utf8), to: "in/s.css")
        try scratch.write([0x89, 0x50, 0x4E, 0x47], to: "in/i.png")
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        for name in ["a", "b", "a"] {
            let result = try Self.export(scratch, ["--as", "markdown", "-o", name])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.text.hasPrefix("exported: ") && result.text.contains("2 pages; see '\(name)/llms.txt'"))
        }
        func body(_ path: String) throws -> String {
            let text = try Self.text(scratch, path)
            let end = try #require(text.range(of: "\n---\n\n"))
            return String(text[end.upperBound...])
        }
        #expect(
            try body("a/d.example/index.md") == """
                # Harbour

                See [the guide](guide/index.md#neap) and [more](https://e.example/x).

                ```sh
                tide --now
                ```

                ![Map](https://d.example/i.png)

                """
        )
        #expect(
            try body("a/d.example/guide/index.md")
                == "# Tides\n\nSpring tides and neap tides, and what is between; [home](../index.md).\n"
        )
        let head = try Self.text(scratch, "a/d.example/index.md")
        #expect(head.hasPrefix("---\ntitle: \"Home\"\nurl: \"https://d.example/\"\n"))
        #expect(try Self.text(scratch, "a/d.example/notes.md") == "# Notes\n")
        let list = try Self.text(scratch, "a/llms.txt")
        #expect(list.hasPrefix("# Home\n\n> All about [tides].\n\n- From <https://d.example/>: packed 20"))
        #expect(list.contains("\n- [Home](d.example/index.md): All about [tides].\n"))
        #expect(
            list.contains(
                "\n## guide\n\n- [Tides](d.example/guide/index.md): Spring tides and neap tides, and what is between; home.\n"
            )
        )
        #expect(list.hasSuffix("\n## Optional\n\n- [notes.md](d.example/notes.md)\n"))
        let whole = try Self.text(scratch, "a/llms-full.txt")
        #expect(whole.contains("<!-- d.example/guide/index.md -->\n---\ntitle: \"Tides\"\n"))
        #expect(try Program.run("diff", ["-r", "a", "b"], in: scratch.path).status == 0)
        let files = try Program.run("find", ["a", "-type", "f"], in: scratch.path).text.split(separator: "\n").sorted()
        #expect(
            files == [
                "a/_afcache/export.json", "a/d.example/guide/index.md", "a/d.example/index.md", "a/d.example/notes.md",
                "a/llms-full.txt", "a/llms.txt",
            ]
        )

        try scratch.write(Array("mine".utf8), to: "a/mine")
        let refused = try Self.export(scratch, ["--as", "markdown", "-o", "a"])
        #expect(refused.status == 11 && refused.errors.contains("isn't from an export, so it isn't replaced"))
    }

    @Test func `titles are escaped once in the list, and readable in YAML`() throws {
        let scratch = try Scratch()
        let page =
            "<title>[x]: a&#xFFFE;b&#x85;c&#x80;</title><main><p>The main part of this page, which is long enough."
        try scratch.write(Array(page.utf8), to: "in/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        #expect(try Self.export(scratch, ["--as", "markdown", "-o", "a"]).status == 0)
        #expect(try Self.text(scratch, "a/llms.txt").contains("\n- [\\[x\\]: a"))
        let head = try Self.text(scratch, "a/d.example/index.md").split(separator: "\n")[1]
        #expect(head == "title: \"[x]: ab c€\"" || head == "title: \"[x]: ab…c€\"")
    }

    @Test func `a link to a redirect leads to the fragment of its target`() throws {
        func member(_ path: String, _ body: String, _ fields: String..., status: Int = 200) -> RawZip.Member {
            let head = ["HTTP/1.1 \(status) OK", "X-In-Cache: 1", "Content-Type: text/html"] + fields
            return RawZip.Member.deflated("http://d.example" + path, body).with { member in
                member.localExtra = Array(head.map { $0 + "\r\n" }.joined().utf8)
            }
        }
        let scratch = try Scratch()
        let links = ["/r", "/r#own", "/q", "/q#own", "/x#own"].map { "<a href=\($0)>t</a> " }.joined()
        let members = [
            member("/", "<title>Home</title><p>\(links)"), member("/x", "<title>Target</title><p>The text"),
            member("/q", "", "Location: /x", status: 301), member("/r", "", "Location: /s", status: 301),
            member("/s", "", "Location: /x#part", status: 302),
        ]
        try scratch.write(RawZip(members).bytes, to: "m/hts-cache/new.zip")
        let importing = ["import", "m", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, importing, in: scratch.path).status == 0)
        #expect(try Self.export(scratch, ["--as", "markdown", "-o", "a"]).status == 0)
        let page = try Self.text(scratch, "a/d.example/index.md")
        let expected = ["x.md#part", "x.md#part", "x.md", "x.md#own", "x.md#own"].map { "[t](\($0))" }
        #expect(page.hasSuffix(expected.joined(separator: " ") + "\n"), "\(page)")
    }
}
