import TestSupport
import Testing

/// `-o -`, which is standard output in each command that writes a file (docs/reference/command-line.md).
struct StandardOutputTests {
    /// Each result goes through a pipe, and what the command says doesn't.
    @Test func `a dash is standard output`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("<title>Home</title><p>Tides.".utf8), to: "in/index.html")
        func shell(_ line: String) throws -> ProgramResult {
            try Program.run("sh", ["-ec", line, Program.afcache], in: scratch.path)
        }
        let pack = "\"$0\" pack --folder in --base-url https://d.example/ -o - >p.zip"
        #expect(try shell(pack).errors.hasPrefix("packed "))
        #expect(try shell("\"$0\" info p.zip").text.hasPrefix("p.zip: 2 resources"))
        #expect(try shell("\"$0\" repack p.zip -o - >r.zip; \"$0\" diff p.zip r.zip").status == 0)
        #expect(try shell("\"$0\" patch p.zip r.zip -o - | head -c 2").text == "PK")
        #expect(try shell("\"$0\" get https://d.example/ --package p.zip -o -").text == "<title>Home</title><p>Tides.")
        let page = try shell("\"$0\" export p.zip -o -")
        #expect(page.text.hasPrefix("<!doctype html>") && page.errors.contains("exported: "), "\(page.errors)")
        #expect(try Program.run("ls", ["-A"], in: scratch.path).text == "in\np.zip\nr.zip\n")
    }
}
