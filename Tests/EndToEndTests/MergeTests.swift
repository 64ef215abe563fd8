import TestSupport
import Testing

/// Packages that are merged (docs/reference/merge.md), with the built program.
struct MergeTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
    }

    private func run(_ arguments: String...) throws -> ProgramResult { try run(arguments) }

    /// Packs files below a URL, all with one date.
    private func pack(
        _ file: String,
        _ files: [String: String],
        at base: String = "https://d.example/",
        modified: String = "2026-01-01T00:00:00Z",
        created: String = "1780000000",
        _ options: [String] = []
    ) throws {
        let folder = file + ".in"
        for (name, text) in files { try scratch.write(Array(text.utf8), to: "\(folder)/\(name)") }
        let words = [
            "pack", "--folder", folder, "--base-url", base, "-o", file, "--last-modified", modified, "--quiet",
        ]
        let result = try run(words + options, ["SOURCE_DATE_EPOCH": created])
        #expect(result.status == 0, "\(result.errors)")
    }

    private func body(_ url: String, _ package: String = "c.zip") throws -> String {
        try run("get", url, "--package", package).text
    }

    private func members(_ package: String) throws -> [String] {
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1]) as zip, open(sys.argv[1], "rb") as file:
                for info in zip.infolist():
                    file.seek(info.header_offset + 26)
                    lengths = file.read(4)
                    file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
                    print(info.filename, info.compress_type, hash(file.read(info.compress_size)))
            """
        let result = try Program.run(
            "python3",
            ["-c", script, scratch.path(package)],
            environment: ["PYTHONHASHSEED": "1"]
        )
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func `bodies are copied as they are, and the new package is sound, lints and is the same each time`() throws {
        let text = String(repeating: "library ", count: 500)
        try pack(
            "a.zip",
            ["index.html": "<title>a</title>" + text, "s.css": "p {}"],
            at: "https://a.example/",
            ["--level", "1"]
        )
        try pack("b.zip", ["index.html": "<title>b</title>" + text], at: "https://b.example/", created: "1790000000")
        let merged = try run("merge", "a.zip", "b.zip", "-o", "c.zip")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(merged.text.hasPrefix("merged 2 packages as 'c.zip': 5 resources, "), "\(merged.text)")
        let bodies = try members("c.zip").filter { !$0.hasPrefix(".afcache/") && !$0.hasPrefix("manifest") }
        let before = try (members("a.zip") + members("b.zip")).filter {
            !$0.hasPrefix(".afcache/") && !$0.hasPrefix("manifest")
        }
        #expect(bodies.sorted() == before.sorted())
        #expect(try Program.run("unzip", ["-tq", scratch.path("c.zip")]).status == 0)
        for package in ["a.zip", "c.zip"] {
            let lint = try run("lint", package, "--fail-on", "info")
            #expect(lint.status == 0, "\(lint.text)")
        }
        let info = try run("info", "c.zip").text
        #expect(
            info.contains("name      a.example\n") && info.contains("https://a.example/, https://b.example/"),
            "\(info)"
        )
        #expect(try run("load", "c.zip", "--cache", "store").text.hasPrefix("loaded 'a.example'"))

        let first = try scratch.read("c.zip")
        #expect(try run("merge", "a.zip", "b.zip", "-o", "c.zip").status == 64)
        #expect(try run("merge", "a.zip", "b.zip", "-o", "c.zip", "--overwrite").status == 0)
        #expect(try scratch.read("c.zip") == first)
        let stream = try run("merge", "a.zip", "b.zip", "-o", "-")
        #expect(Array(stream.output) == first && stream.errors.contains("merged 2 packages"))
        #expect(
            try run("merge", "a.zip", "b.zip", "-o", "n.zip", "--name", "both", "--json").text.contains(
                #""conflicts":0"#
            )
        )
        #expect(try run("info", "n.zip").text.contains("name      both\n"))
    }

    @Test(
        arguments: [
            (["a", "b"], [], "b"), (["b", "a"], [], "b"), (["a", "old"], [], "a"), (["old", "a"], [], "a"),
            (["a", "same"], [], "same"), (["same", "a"], [], "a"), (["a", "none"], [], "none"),
            (["none", "a"], [], "a"),
            (["a", "b"], ["--prefer", "first"], "a"), (["b", "old"], ["--prefer", "last"], "old"),
            (["a", "b", "old"], [], "b"), (["old", "b", "a"], ["--prefer", "first"], "old"),
            (["a", "twin"], ["--prefer", "fail"], "a"),
        ] as [([String], [String], String)]
    )
    func `of a URL that several packages have, the preferred response is taken`(
        packages: [String],
        options: [String],
        body: String
    ) throws {
        let dates = [
            "a": "2026-01-02T00:00:00Z", "b": "2026-01-03T00:00:00Z", "old": "2026-01-01T00:00:00Z",
            "same": "2026-01-02T00:00:00Z", "twin": "2026-01-03T00:00:00Z",
        ]
        for name in packages {
            let text = name == "twin" ? "a" : name
            if let date = dates[name] {
                try pack(name + ".zip", ["x.txt": text], modified: date)
            } else {
                let line = "https://d.example/x.txt ; NULL ; NULL ; text/plain\n"
                try scratch.write(Array(line.utf8), to: "m/manifest.afcache")
                try scratch.write(Array(text.utf8), to: "m/d.example/x.txt")
                let zip = ["-q", "-r", scratch.path(name + ".zip"), "manifest.afcache", "d.example"]
                #expect(try Program.run("zip", zip, in: scratch.path("m")).status == 0)
            }
        }
        let merged = try run(["merge"] + packages.map { $0 + ".zip" } + ["-o", "c.zip"] + options)
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try self.body("https://d.example/x.txt") == body)
        #expect(merged.text.contains("; 1 URL had different responses") == !packages.contains("twin"), "\(merged.text)")
    }

    @Test func `with --prefer fail, packages that differ aren't merged`() throws {
        try pack("a.zip", ["x.txt": "one", "y.txt": "same"])
        try pack("b.zip", ["x.txt": "two", "y.txt": "same"])
        let merged = try run("merge", "a.zip", "b.zip", "-o", "c.zip", "--prefer", "fail")
        #expect(merged.status == 6 && merged.text.isEmpty)
        #expect(
            merged.errors
                == "different responses: https://d.example/x.txt\nerror: the packages differ in 1 place, so no "
                + "package was written; another '--prefer' chooses one of them\n"
        )
        #expect(!scratch.names.contains("c.zip"))
    }

    @Test func `signatures, rules and user data are kept, chosen or left out, and it is said`() throws {
        #expect(try run("keygen", "-o", "key").status == 0)
        try scratch.write(Array(#"{"rules":[{"path":"/*","ignore":["n"]}]}"#.utf8), to: "match.json")
        try scratch.write(Array("one".utf8), to: "u1/notes")
        try scratch.write(Array("two".utf8), to: "u2/notes")
        let data = ["--user-data-key", "k", "--user-data"]
        try pack("a.zip", ["a.txt": "a"], ["--sign", "key", "--match-rules", "match.json"] + data + ["u1"])
        try pack("b.zip", ["b.txt": "b"], data + ["u2"])
        try pack("d.zip", ["d.txt": "d"], ["--match-rules", "match.json"])
        let merged = try run("merge", "a.zip", "b.zip", "-o", "c.zip")
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(merged.errors.contains("note: left out: of 'a.zip', its rules for parameters, "), "\(merged.errors)")
        #expect(merged.errors.contains("note: left out: of 'a.zip', its signature, "), "\(merged.errors)")
        let names = try Program.run("unzip", ["-Z1", scratch.path("c.zip")]).text
        #expect(!names.contains("signature") && !names.contains("match.json"))
        #expect(try Program.run("unzip", ["-p", scratch.path("c.zip"), ".userdata/k/notes"]).text == "two")
        #expect(try run("merge", "a.zip", "d.zip", "-o", "e.zip", "--sign", "key", "--prefer", "first").status == 0)
        let kept = try Program.run("unzip", ["-Z1", scratch.path("e.zip")]).text
        #expect(kept.contains(".afcache/match.json\n") && kept.contains(".afcache/signature\n"))
        #expect(try run("load", "e.zip", "--require-signature", "--trust", "key.pub", "--cache", "store").status == 0)
        #expect(try run("repack", "a.zip", "-o", "r.zip", "--sign", "key").status == 5, "its old signature is left out")
        #expect(try run("load", "r.zip", "--require-signature", "--trust", "key.pub", "--cache", "store").status == 0)
        let differing = try run("merge", "a.zip", "b.zip", "-o", "f.zip", "--prefer", "fail")
        #expect(differing.status == 6 && differing.errors.contains("different files: .userdata/k/notes\n"))
    }

    @Test func `the pages for missing URLs are those of one package, and only if its pages are there`() throws {
        let page = ["index.html": "<title>i</title>", "404.html": "<title>none</title>"]
        try pack("a.zip", page.merging(["a.html": "<title>a</title>"]) { $1 })
        try pack(
            "b.zip",
            ["index.html": "<title>b</title>", "404.html": "<title>none b</title>"],
            at: "https://e.example/"
        )
        let merged = try run("merge", "a.zip", "b.zip", "-o", "c.zip")
        #expect(
            merged.status == 0 && merged.errors.contains("its pages for missing URLs, since a package has those of one")
        )
        let missing = try run("get", "https://e.example/nothing", "--navigate", "--package", "c.zip")
        #expect(missing.status == 3 && missing.text == "<title>none b</title>", "\(missing.errors)")
        #expect(try run("get", "https://d.example/nothing", "--navigate", "--package", "c.zip").text.isEmpty)
        #expect(try run("merge", "a.zip", "b.zip", "-o", "f.zip", "--prefer", "first").status == 0)
        let first = try run("get", "https://d.example/nothing", "--navigate", "--package", "f.zip")
        #expect(first.text == "<title>none</title>", "\(first.errors)")
        #expect(try run("lint", "c.zip", "f.zip").status == 0)
    }

    @Test func `a response without a date keeps that of its package`() throws {
        try pack("a.zip", ["a.txt": "a"], created: "1780000000")
        try pack("b.zip", ["b.txt": "b"], created: "1790000000")
        #expect(try run("merge", "a.zip", "b.zip", "-o", "c.zip").status == 0)
        for (url, package) in [("https://d.example/a.txt", "a.zip"), ("https://d.example/b.txt", "b.zip")] {
            func date(_ package: String) throws -> String? {
                try run("get", url, "--package", package, "--show-headers").text.lowercased().split(
                    whereSeparator: \.isNewline
                )
                .first { $0.hasPrefix("date:") }.map(String.init)
            }
            #expect(try date("c.zip") == date(package) && date(package) != nil)
        }
    }

    @Test func `what can't be merged is refused, and nothing is written`() throws {
        try pack("a.zip", ["a.txt": "a"])
        try scratch.write(Array("secret\n".utf8), to: "password")
        try pack("x.zip", ["x.txt": "x"], ["--encrypt", "--password-file", "password"])
        var bytes = try scratch.read("a.zip")
        let place = try #require(bytes.firstRange(of: Array("d.example/a.txt".utf8)))
        bytes[place.upperBound] ^= 1
        try scratch.write(bytes, to: "damaged.zip")
        let refused: [([String], Int32, String)] = [
            (["a.zip"], 64, "name two packages or more to merge"),
            (["a.zip", "none.zip"], 11, "none.zip"),
            (["a.zip", "x.zip"], 16, "the package is encrypted, and 'afcache merge' takes no password"),
            (["a.zip", "damaged.zip"], 10, "cannot use 'damaged.zip'"),
            (["a.zip", "password"], 10, "cannot use 'password'"),
            (["a.zip", "a.zip", "--prefer", "newer"], 64, "'--prefer'"),
            (["a.zip", "a.zip", "--name", "../x"], 64, "'--name' must have 1 to 255 bytes"),
            (["a.zip", "a.zip", "--name", "x", "--no-sidecar"], 64, "the package's name is kept in the sidecar"),
        ]
        for (arguments, status, sentence) in refused {
            let result = try run(["merge"] + arguments + ["-o", "c.zip"])
            #expect(result.status == status && result.errors.contains(sentence), "\(arguments): \(result.errors)")
            #expect(!scratch.names.contains("c.zip"))
        }
        let own = try run("merge", "a.zip", "x.zip", "-o", "a.zip", "--overwrite")
        #expect(own.status == 64 && own.errors.contains("can't replace one of the others"), "\(own.errors)")
    }
}
