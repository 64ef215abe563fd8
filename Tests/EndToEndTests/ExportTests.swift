import TestSupport
import Testing

/// A folder that a browser opens without a server (docs/export.md), with the built program.
struct ExportTests {
    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        let page =
            "<title>Home</title><link rel=stylesheet href=/s.css><p>Welcome to the harbour.</p><a href=/guide/>Guide</a>"
        try scratch.write(Array(page.utf8), to: "in/index.html")
        try scratch.write(
            Array("<title>Tides</title><p>Spring tides and neap tides.</p>".utf8),
            to: "in/guide/index.html"
        )
        try scratch.write(Array("p { color: red }".utf8), to: "in/s.css")
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        return scratch
    }

    private static func export(_ scratch: Scratch, _ options: [String] = ["-o", "out"]) throws -> ProgramResult {
        try Program.run(Program.afcache, ["export", "p.zip"] + options, in: scratch.path)
    }

    private static func text(_ scratch: Scratch, _ path: String) throws -> String {
        String(decoding: try scratch.read(path), as: UTF8.self)
    }

    @Test func `pages become files with relative links, and a page lists and searches them`() throws {
        let scratch = try Self.made()
        let result = try Self.export(scratch)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.contains("2 pages to search; open 'out/index.html'"))
        let page = try Self.text(scratch, "out/d.example/index.html")
        #expect(page.contains("href=s.css") && page.contains("href=guide/index.html"))
        #expect(
            page.hasPrefix(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'self' file: data: blob:"
            )
        )
        let home = try Self.text(scratch, "out/index.html")
        #expect(home.contains("<a href=\"d.example/index.html\">Home</a>"))
        #expect(try Self.text(scratch, "out/_afcache/words-74.js").contains("\"tides\",\"2"))
        #expect(try scratch.read("out/d.example/s.css") == Array("p { color: red }".utf8))
    }

    @Test func `the same package gives the same bytes, also in place of an older export`() throws {
        let scratch = try Self.made()
        #expect(try Self.export(scratch).status == 0)
        #expect(try Self.export(scratch, ["-o", "other"]).status == 0)
        let again = try Self.export(scratch)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try Program.run("diff", ["-r", "out", "other"], in: scratch.path).status == 0)
        #expect(
            try Program.run("ls", ["-A"], in: scratch.path).text.split(separator: "\n") == [
                "in", "other", "out", "p.zip",
            ]
        )
    }

    @Test func `a folder with anything else isn't replaced, and stays as it is`() throws {
        let scratch = try Self.made()
        try scratch.write(Array("mine".utf8), to: "out/notes.txt")
        let refused = try Self.export(scratch)
        #expect(refused.status == 11)
        #expect(refused.errors.contains("this folder is no export, so it isn't replaced; choose a new or empty folder"))
        #expect(try Self.export(scratch, ["-o", "other"]).status == 0)
        try scratch.write(Array("mine".utf8), to: "other/d.example/notes.txt")
        let added = try Self.export(scratch, ["-o", "other"])
        #expect(added.status == refused.status)
        #expect(
            added.errors.contains("the file 'd.example/notes.txt' in this folder isn't from an export"),
            "\(added.errors)"
        )
        #expect(try Self.text(scratch, "other/d.example/notes.txt") == "mine")
        try scratch.write([], to: "file")
        #expect(try Self.export(scratch, ["-o", "file"]).errors.contains("this is not a folder"))
    }

    @Test func `a damaged package leaves nothing behind`() throws {
        let scratch = try Self.made()
        let good = try scratch.read("p.zip")
        try scratch.write(Array(good.prefix(good.count / 2)), to: "p.zip")
        let result = try Self.export(scratch)
        #expect(result.status != 0 && result.errors.hasPrefix("error: "))
        #expect(try Program.run("ls", ["-A"], in: scratch.path).text.split(separator: "\n") == ["in", "p.zip"])
    }

    @Test func `the result is one JSON document on request`() throws {
        let scratch = try Self.made()
        let text = try Self.export(scratch, ["-o", "out", "--json"]).text
        #expect(text.hasPrefix("{\"folder\":\"out\",\"files\":3,") && text.contains("\"needServer\":[]"), "\(text)")
    }
}
