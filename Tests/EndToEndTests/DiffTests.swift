import TestSupport
import Testing

/// What differs between packages, and what they are (docs/how-to/compare.md), with the built program.
struct DiffTests {
    private static func pack(_ scratch: Scratch, _ name: String) throws {
        let pack = [
            "pack", "--folder", "in", "--base-url", "https://d.example/", "-o", name, "--last-modified",
            "2026-01-01T00:00:00Z", "--quiet", "--name", String(name.dropLast(".zip".count)),
        ]
        let packed = try Program.run(Program.afcache, pack, in: scratch.path)
        #expect(packed.status == 0, "\(packed.errors)")
    }

    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<title>Home</title><p>Tides and storms.<p>Boats.".utf8), to: "in/home.html")
        try scratch.write(Array("p { color: red }".utf8), to: "in/s.css")
        try scratch.write(Array("old".utf8), to: "in/old.txt")
        try pack(scratch, "1.zip")
        try scratch.write(Array("<title>Home</title><p>Tides and gales.<p>Boats.".utf8), to: "in/home.html")
        try scratch.write(Array("new".utf8), to: "in/new.txt")
        #expect(try Program.run("rm", ["in/old.txt"], in: scratch.path).status == 0)
        try pack(scratch, "2.zip")
        return scratch
    }

    private static func run(_ scratch: Scratch, _ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    @Test func `each URL that differs has a line, and the exit code says if one does`() throws {
        let scratch = try Self.made()
        let differs = try Self.run(scratch, "diff", "1.zip", "2.zip")
        #expect(
            differs.text == """
                ~ body 48 B to 47 B  https://d.example/home.html
                + 3 B  https://d.example/new.txt
                - 3 B  https://d.example/old.txt
                1 added, 1 removed, 1 changed, 1 equal

                """
        )
        #expect(differs.status == 1 && differs.errors.isEmpty, "\(differs.errors)")
        let same = try Self.run(scratch, "diff", "1.zip", "1.zip")
        #expect(same.text == "0 added, 0 removed, 0 changed, 3 equal\n" && same.status == 0)
        #expect(
            try Self.run(scratch, "diff", "--stat", "2.zip", "1.zip").text == "1 added, 1 removed, 1 changed, 1 equal\n"
        )
        let selected = try Self.run(scratch, "diff", "1.zip", "2.zip", "--include", "*.css")
        #expect(selected.text == "0 added, 0 removed, 0 changed, 1 equal\n" && selected.status == 0)
    }

    @Test func `versions in a cache are compared by their times, as far as they are kept`() throws {
        let scratch = try Self.made()
        for name in ["1.zip", "2.zip"] {
            let load = try Self.run(scratch, "load", name, "--name", "docs", "--cache", "store", "--quiet")
            #expect(load.status == 0, "\(load.errors)")
            let keep = try Self.run(scratch, "cache", "keep", "docs", "--generations", "5", "--cache", "store")
            #expect(keep.text.hasPrefix("'docs' keeps 5 versions; it has "), "\(keep.text)")
        }
        let over = try Self.run(scratch, "diff", "docs@2020", "docs", "--cache", "store", "--text")
        #expect(over.status == 1 && over.text.contains("-Tides and storms.") && over.text.contains("+Tides and gales."))
        #expect(over.text.hasSuffix("1 added, 1 removed, 1 changed, 1 equal\n"), "\(over.text)")
        #expect(try Self.run(scratch, "diff", "docs@2999", "docs", "--cache", "store").status == 0)
        let wrong = try Self.run(scratch, "diff", "docs@yesterday", "docs", "--cache", "store")
        #expect(wrong.status == 64 && wrong.errors.contains("what follows '@' must be a time"), "\(wrong.errors)")
        #expect(try Self.run(scratch, "diff", "none", "docs", "--cache", "store").status == 3)
        // A wrong name among several changes nothing.
        let mistyped = try Self.run(scratch, "cache", "keep", "docs", "dcos", "--generations", "1", "--cache", "store")
        #expect(mistyped.status == 3 && mistyped.text.isEmpty)
        let listed = try Self.run(scratch, "cache", "ls", "--json", "--cache", "store").text
        #expect(listed.contains(#""keep":{"versions":5}"#) && listed.contains(#""versions":["20"#), "\(listed)")
        let fewer = try Self.run(scratch, "cache", "keep", "--generations", "1", "--cache", "store")
        #expect(fewer.text == "'docs' keeps 1 version; it has 1 version now\n", "\(fewer.text)")
    }

    @Test func `texts that differ show their lines on request`() throws {
        let scratch = try Self.made()
        let text = try Self.run(scratch, "diff", "1.zip", "2.zip", "--text").text
        #expect(
            text.hasPrefix(
                """
                ~ body 48 B to 47 B  https://d.example/home.html
                  @@ -1,3 +1,3 @@
                   Home
                  -Tides and storms.
                  +Tides and gales.
                   Boats.

                """
            ),
            "\(text)"
        )
    }

    @Test func `a damaged body ends the comparison of texts with its name`() throws {
        let scratch = try Self.made()
        let damage = """
            import struct, zipfile
            data = bytearray(open("2.zip", "rb").read())
            with zipfile.ZipFile("2.zip") as archive:
                start = archive.getinfo("d.example/home.html").header_offset
            name, extra = struct.unpack_from("<HH", data, start + 26)
            data[start + 30 + name + extra + 20] ^= 0xFF
            open("2.zip", "wb").write(data)
            """
        let damaged = try Program.run("python3", ["-c", damage], in: scratch.path)
        try #require(damaged.status == 0, "\(damaged.errors)")
        let text = try Self.run(scratch, "diff", "1.zip", "2.zip", "--text")
        #expect(text.status == 10 && text.errors.contains("home.html"), "\(text.errors)")
    }

    @Test func `the result is JSON on request`() throws {
        let scratch = try Self.made()
        let lines = try Self.run(scratch, "diff", "1.zip", "2.zip", "--json").text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            lines[1]
                == "{\"url\":\"https://d.example/new.txt\",\"change\":\"added\",\"what\":[],\"fields\":[],\"oldSize\":null,"
                + "\"newSize\":3,\"oldSha256\":null,"
                + "\"newSha256\":\"11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437\"}"
        )
        #expect(
            try Self.run(scratch, "diff", "1.zip", "2.zip", "--json", "--stat").text
                == "{\"added\":1,\"removed\":1,\"changed\":1,\"equal\":1}\n"
        )
    }

    /// A package without records is as AFCache made it.
    @Test func `bodies without a record are read`() throws {
        let scratch = try Scratch()
        let make = """
            import sys, zipfile
            for name, body, when in (("1", "one", "10"), ("2", "two", "10"), ("3", "one", "11")):
                with zipfile.ZipFile(name + ".zip", "w") as archive:
                    archive.writestr("manifest.afcache", "http://a.example/b ; Tue, 27 Mar 2012 " + when + ":00:00 GMT ; Tue, 27 Mar 2012 11:00:00 GMT\\n")
                    archive.writestr("a.example/b", body)
            """
        #expect(try Program.run("python3", ["-c", make], in: scratch.path).status == 0)
        let body = try Self.run(scratch, "diff", "1.zip", "2.zip")
        #expect(body.text == "~ body  http://a.example/b\n0 added, 0 removed, 1 changed, 0 equal\n" && body.status == 1)
        let time = try Self.run(scratch, "diff", "1.zip", "3.zip")
        #expect(time.text == "~ Last-Modified  http://a.example/b\n0 added, 0 removed, 1 changed, 0 equal\n")
    }

    @Test func `wrong arguments and damaged packages get a sentence`() throws {
        let scratch = try Self.made()
        try scratch.write(Array("PK".utf8), to: "bad.zip")
        #expect(try Self.run(scratch, "diff", "1.zip", "bad.zip").status == 10)
        #expect(try Self.run(scratch, "diff", "1.zip", "none.zip").errors.contains("No such file"))
        #expect(try Self.run(scratch, "diff", "1.zip").status == 64)
        #expect(try Self.run(scratch, "diff", "1.zip", "2.zip", "--stat", "--text").status == 64)
        #expect(try Self.run(scratch, "info", "bad.zip").status == 10)
    }

    @Test func `a package says what it is`() throws {
        let scratch = try Self.made()
        let info = try Self.run(scratch, "info", "1.zip", "2.zip").text
        #expect(info.hasPrefix("1.zip: 3 resources, 0 redirects, 67 B in "), "\(info)")
        for line in [
            "  seeds     https://d.example/\n", " by afcache/", "  hosts     d.example (3)\n",
            "  modified  2026-01-01T00:00:00Z at the latest\n", "\n2.zip: 3 resources",
        ] { #expect(info.contains(line), "\(info)") }
        let json = try Self.run(scratch, "info", "1.zip", "--json").text
        #expect(
            json.hasPrefix("{\"file\":\"1.zip\",\"name\":\"1\",\"bytes\":")
                && json.hasSuffix("\"verified\":false,\"encrypted\":false}\n")
        )
        let list = try Self.run(scratch, "ls", "1.zip", "--json").text
        #expect(
            list.contains("\"sha256\":\"cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4\""),
            "\(list)"
        )
    }

    @Test func `of several packages to load, one that fails doesn't keep the others out`() throws {
        let scratch = try Self.made()
        func load(_ arguments: String...) throws -> ProgramResult {
            try Program.run(Program.afcache, ["load", "--cache", "cache"] + arguments, in: scratch.path)
        }
        let both = try load("1.zip", "2.zip")
        #expect(both.text == "loaded '1': 3 resources, 67 B\nloaded '2': 3 resources, 66 B\n" && both.status == 0)
        try scratch.write(Array("PK".utf8), to: "bad.zip")
        try scratch.write(try scratch.read("2.zip"), to: "3.zip")
        let some = try load("bad.zip", "3.zip")
        #expect(some.status == 5 && some.text.hasPrefix("loaded '2' again") && some.errors.hasPrefix("error: cannot"))
        #expect(try load("bad.zip", "none.zip").status == 10)
        #expect(try load("1.zip", "2.zip", "--name", "x").status == 64)
        try scratch.write(try scratch.read("2.zip"), to: "other/1.zip")
        let twice = try load("2.zip", "other/1.zip")
        #expect(
            twice.status == 5
                && twice.errors.contains(
                    "cannot use 'other/1.zip': another package that is loaded with it has the same name, '2', so one would "
                        + "replace the other; choose one with '--name'"
                ),
            "\(twice.errors)"
        )
        #expect(try Program.run("ls", [], in: scratch.path).text.contains("cache\n"))
    }
}
