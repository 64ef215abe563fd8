import AFCText
import Foundation
import TestSupport
import Testing

/// `afcache repack` as somebody uses it who has an old package; the archives are made by Python.
struct RepackTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    static let date = "Sat, 27 Mar 2004 18:43:30 GMT+00:00"

    static func line(_ path: String) -> String { "http://docs.example/\(path) ; \(date) ; NULL\n" }

    /// Makes old.zip of members, whose names and bodies are Python expressions.
    func make(_ members: [(name: String, body: String)], after: String = "") throws {
        let list = members.map { "(\($0.name), \($0.body))" }.joined(separator: ", ")
        let script = """
            import struct, zipfile, zlib
            def record(name, body):
                data = zlib.compressobj(9, 8, -15)
                data = data.compress(body) + data.flush()
                head = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0x307B, zlib.crc32(body), len(data), len(body), len(name), 0)
                return b"PK\\3\\4" + head + name + data, b"PK\\1\\2" + struct.pack("<H", 20) + head + bytes(10)
            out, directory, members = b"", b"", [\(list)]
            for name, body in members:
                name, body = [x.encode() if isinstance(x, str) else x for x in (name, body)]
                local, entry = record(name, body)
                directory += entry + struct.pack("<I", len(out)) + name
                out += local
            data = out + directory + b"PK\\5\\6" + struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)
            \(after)
            open("old.zip", "wb").write(data)
            """
        let made = try Program.run("python3", ["-c", script], in: scratch.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    /// The manifest's URLs of new.zip, and what Python reads of the body of each.
    func bodies() throws -> [String: String] {
        let script = """
            import json, zipfile
            z = zipfile.ZipFile("new.zip")
            assert z.testzip() is None
            found = {}
            for line in z.read("manifest.afcache").decode().splitlines():
                fields = line.split(" ; ")
                name = fields[4] if len(fields) > 4 else fields[0].split("://")[1]
                found[fields[0]] = z.read(name).decode("latin-1")
            print(json.dumps(found))
            """
        let result = try Program.run("python3", ["-c", script], in: scratch.path)
        try #require(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode([String: String].self, from: Data(result.output))
    }

    func manifest(_ paths: String...) -> String { "\"\"\"" + paths.map(Self.line).joined() + "\"\"\"" }

    @Test func `a missing member is left out, and all others are kept`() throws {
        try make([
            ("'docs.example/a.html'", "'<p>a'"), ("'docs.example/b.html'", "'<p>b'"),
            ("'manifest.afcache'", manifest("a.html", "b.html", "gone.html")),
        ])
        #expect(try run("load", "old.zip", "--cache", "st").status == 10)
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == 5, "\(result.errors)")
        let sentence =
            "left out: 'http://docs.example/gone.html': its body 'docs.example/gone.html' is not in the package\n"
        #expect(result.text.hasPrefix(sentence), "\(result.text)")
        #expect(result.text.contains("repacked 'old.zip' as 'new.zip': 2 resources, 1 left out, "))
        #expect(try bodies() == ["http://docs.example/a.html": "<p>a", "http://docs.example/b.html": "<p>b"])
        #expect(try run("lint", "--no-config", "new.zip").status == 0)
        #expect(try run("load", "new.zip", "--cache", "st").status == 0)
        #expect(try run("get", "http://docs.example/a.html", "--cache", "st").text == "<p>a")
    }

    /// How a member is called that stands for docs.example/x, and what the manifest says of it.
    @Test(
        arguments: [
            ("'docs.example\\\\x'", "x", "x"), ("'./docs.example/x'", "x", "x"), ("'/docs.example//x'", "x", "x"),
            ("'docs.example/./x'", "x", "x"), ("'C:\\\\docs.example\\\\x'", "x", "x"),
            ("'docs.example/gr\\u00fc\\u00dfe'.encode('latin-1')", "gr\u{FC}\u{DF}e", "gr%C3%BC%C3%9Fe"),
            ("'docs.example/gr\\u00fc\\u00dfe'.encode('cp437')", "gr%C3%BC%C3%9Fe", "gr%C3%BC%C3%9Fe"),
            ("'docs.example/gr\\u00fc\\u00dfe'.encode()", "gr%C3%BC%C3%9Fe", "gr%C3%BC%C3%9Fe"),
            ("'docs.example/gr\\u00fc'.encode('latin-1')", "gr%FC", "gr%FC"),
        ]
    )
    func `unusual names are read`(name: String, written: String, path: String) throws {
        try make([(name, "'body'"), ("'manifest.afcache'", manifest(written))])
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(try bodies() == ["http://docs.example/\(path)": "body"])
        #expect(try run("lint", "--no-config", "new.zip").status == 0)
    }

    @Test func `a package within a folder is found, and members outside are reported`() throws {
        try make([
            ("'mypkg/'", "''"), ("'mypkg/docs.example/a'", "'a'"), ("'mypkg/manifest.afcache'", manifest("a")),
            ("'mypkg/.userdata/k/v'", "'v'"), ("'readme.txt'", "'r'"), ("'__MACOSX/mypkg/._manifest.afcache'", "'m'"),
        ])
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == 5)
        #expect(result.text.hasPrefix("left out: member 'readme.txt': is outside the package's folder\nrepacked "))
        #expect(result.errors == "note: the package is in the folder 'mypkg/' of the archive\n")
        #expect(try bodies() == ["http://docs.example/a": "a"])
        #expect(try Program.run("unzip", ["-p", "new.zip", ".userdata/k/v"], in: scratch.path).text == "v")
    }

    /// What happens to the bytes of an archive of three pages, and which of them are left.
    @Test(
        arguments: [
            ("data = data.replace(b'PK\\5\\6', b'PK\\5\\7')", ["a", "b", "c"]),
            ("data = b'#!/bin/sh\\n' + data", ["a", "b", "c"]), ("data += b'more'", ["a", "b", "c"]),
            ("data = data[:len(out)]", ["a", "b", "c"]), ("data = data[:len(out) + 60]", ["a", "b", "c"]),
            ("p = data.index(b'docs.example/b') + 15; data = data[:p] + b'XX' + data[p + 2:]", ["a", "c"]),
        ]
    )
    func `the intact members of a damaged archive are recovered`(damage: String, left: [String]) throws {
        try make(
            [("'manifest.afcache'", manifest("a", "b", "c"))]
                + ["a", "b", "c"].map { ("'docs.example/\($0)'", "'\($0)' * 100") },
            after: damage
        )
        #expect(try run("load", "old.zip", "--cache", "st").status == 10)
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == (left.count == 3 ? 0 : 5), "\(result.text)\(result.errors)")
        #expect(try bodies().keys.sorted() == left.map { "http://docs.example/\($0)" })
        #expect(try run("load", "new.zip", "--cache", "st").status == 0)
    }

    @Test func `empty lines are removed, and split types are joined`() throws {
        let manifest = """
            no entry
            http://docs.example/a ; NULL ; NULL ; text/html ; charset=utf-8
            http://u:p@docs.example/b ; NULL ; NULL
            http://docs.example/c ; NULL ; NULL
            http://docs.example/c ; \(Self.date) ; NULL
            """
        try make([
            ("'docs.example/a'", "'a'"), ("'docs.example/b'", "'b'"), ("'docs.example/c'", "'c'"),
            ("'manifest.afcache'", "\"\"\"\(manifest)\"\"\""),
        ])
        let result = try run("repack", "old.zip", "-o", "new.zip", "--json")
        #expect(result.status == 5)
        struct Document: Decodable {
            struct LeftOut: Decodable { var kind, subject, reason: String }
            var version, resources: Int
            var package: String?
            var leftOut: [LeftOut]
            var notes: [String]
        }
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output))
        #expect(document.version == 1 && document.package == "new.zip" && document.resources == 2)
        #expect(
            document.leftOut.map { "\($0.kind) \($0.subject)" } == [
                "line line 1", "line line 3", "line line 5", "member docs.example/b",
            ]
        )
        #expect(
            document.notes == ["line 2: the media type is 'text/html; charset=utf-8', which the delimiter had split"]
        )
        #expect(try bodies() == ["http://docs.example/a": "a", "http://docs.example/c": "c"])
    }

    @Test func `members outside the package's folder, overlapping members and bombs aren't copied`() throws {
        try make(
            [
                ("'../docs.example/a'", "'a'"), ("'docs.example/b'", "'b'"),
                ("'manifest.afcache'", manifest("../a", "b")),
            ],
            // The second entry of the directory points to the first member.
            after: "at = data.index(b'PK\\1\\2', len(out) + 4); data = data[:at + 42] + bytes(4) + data[at + 46:]"
        )
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == 6, "\(result.text)")
        #expect(result.text.contains("left out: member '../docs.example/a': would be outside the package's folder\n"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("new.zip")))
        #expect(result.errors.contains("none of its resources is intact, so no package was written"))
    }

    /// With the square of the headers this would take minutes, and hours in a larger file.
    @Test(.timeLimit(.minutes(10))) func `headers without descriptors are searched in linear time`() throws {
        let script = """
            import struct
            head = b"PK\\3\\4" + struct.pack("<HHHHHIIIHH", 20, 8, 8, 0, 0x307B, 0, 0, 0, 1, 0) + b"a"
            open("old.zip", "wb").write(head * 120_000)
            """
        let made = try Program.run("python3", ["-c", script], in: scratch.path)
        try #require(made.status == 0, "\(made.errors)")
        let result = try run("repack", "old.zip", "-o", "new.zip")
        // Nothing in it is a manifest.
        #expect(result.status == 10, "\(result.errors)")
    }

    @Test func `a file that can't be read isn't replaced either`() throws {
        try make([("'docs.example/a'", "'a'"), ("'manifest.afcache'", manifest("a"))])
        let path = try scratch.write(Array("mine".utf8), to: "notes.txt")
        #expect(chmod(path, 0) == 0)
        let result = try run("repack", "old.zip", "-o", "notes.txt")
        #expect(result.status == 64 && result.errors.contains("'notes.txt' already exists"), "\(result.errors)")
        #expect(chmod(path, 0o600) == 0)
        #expect(try scratch.read("notes.txt") == Array("mine".utf8))
    }

    @Test func `no file is replaced without a request, and never the old package`() throws {
        try make([("'docs.example/a'", "'a'"), ("'manifest.afcache'", manifest("a"))])
        try scratch.write(Array("mine".utf8), to: "notes.txt")
        let old = try scratch.read("old.zip")
        #expect(try run("repack", "old.zip", "-o", "notes.txt").status == 64)
        #expect(try scratch.read("notes.txt") == Array("mine".utf8))
        for options in [[], ["--overwrite"]] {
            try? FileManager.default.createSymbolicLink(atPath: scratch.path("l.zip"), withDestinationPath: "old.zip")
            for name in ["old.zip", "./old.zip", "l.zip"] {
                let result = try Program.run(
                    Program.afcache,
                    ["repack", "old.zip", "-o", name] + options,
                    in: scratch.path
                )
                #expect(result.status == 64 && result.errors.contains("name another file"))
            }
        }
        #expect(try scratch.read("old.zip") == old)
        #expect(try run("repack", "old.zip", "-o", "notes.txt", "--overwrite").status == 0)
        #expect(try run("lint", "--no-config", "notes.txt").status == 0)
    }

    @Test(arguments: [
        ("three", ["0.6"], ["http://docs.example/a"]),
        ("five", ["0.13"], ["http://docs.example/a", "http://docs.example/b/"]),
    ])
    func `the new package has the requested dialect`(dialect: String, readers: [String], urls: [String]) throws {
        let five = "\"\"\"\(Self.line("a"))http://docs.example/b/ ; NULL ; NULL ; NULL ; docs.example/x\n\"\"\""
        try make([("'docs.example/a'", "'a'"), ("'docs.example/x'", "'x'"), ("'manifest.afcache'", five)])
        let result = try run("repack", "old.zip", "-o", "new.zip", "--dialect", dialect)
        #expect(result.status == (urls.count == 2 ? 0 : 5), "\(result.text)")
        #expect(try bodies().keys.sorted() == urls)
        for reader in ["0.6", "0.13"] {
            let status = try run("lint", "--no-config", "new.zip", "--readable-by", reader).status
            #expect(status == (readers.contains(reader) ? 0 : 1), "\(reader)")
        }
    }

    @Test func `the package's own sidecar is kept as far as it matches the bodies`() throws {
        let digest = "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"  // sha256sum of "body"
        let records = """
            {"url":"http://docs.example/a","status":404,"fields":[["etag","\\\\"1\\\\""]],"size":4,"sha256":"\(digest)"}
            {"url":"http://docs.example/b","status":200,"fields":[],"size":4,"sha256":"\(digest)"}
            {"url":"http://docs.example/old","status":301,"fields":[["location","/a"]]}
            {"url":"http://docs.example/none","status":200}
            {"no":"record"}
            """
        try make([
            ("'docs.example/a'", "'body'"), ("'docs.example/b'", "'bodY'"),
            ("'.afcache/package.json'", "'{\"format\":1,\"created\":\"2020-01-02T03:04:05Z\"}'"),
            ("'.afcache/resources.jsonl'", "\"\"\"\(records)\"\"\""), ("'.afcache/signature'", "'x'"),
            ("'manifest.afcache'", manifest("a", "b")),
        ])
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == 5)
        let kinds = result.text.split(separator: "\n").filter { $0.hasPrefix("left out: ") }
        #expect(kinds.count == 4, "\(result.text)")
        #expect(result.text.contains("'http://docs.example/b': its body has a different SHA-256 than its record"))
        #expect(result.text.contains("1 resource, 1 redirect, 4 left out"))
        let made = try Program.run("unzip", ["-p", "new.zip", ".afcache/*"], in: scratch.path).text
        #expect(made.contains("\"status\":404") && made.contains("2020-01-02T03:04:05Z") && made.contains("/old"))
    }

    @Test(arguments: [
        ("b''", 10, "cannot use 'old.zip': the file is empty"), ("b'hello' * 99", 10, "no end record"),
        ("data.replace(b'manifest.afcache', b'manifest.afcach_')", 10, "no readable manifest"),
    ])
    func `a file that isn't a package has a sentence`(bytes: String, status: Int32, sentence: String) throws {
        try make([("'docs.example/a'", "'a'"), ("'manifest.afcache'", manifest("a"))], after: "data = \(bytes)")
        let result = try run("repack", "old.zip", "-o", "new.zip")
        #expect(result.status == status && result.errors.contains(sentence), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("new.zip")))
    }

    @Test func `a signature is dated by its signing, and the package by its contents`() throws {
        try make([("'docs.example/a'", "'a'"), ("'manifest.afcache'", manifest("a"))])
        let old = ["SOURCE_DATE_EPOCH": "1000000000"]
        let first = ["repack", "old.zip", "-o", "first.zip"]
        #expect(try Program.run(Program.afcache, first, in: scratch.path, environment: old).status == 0)
        #expect(try run("keygen", "-o", "team").status == 0)
        #expect(try run("repack", "first.zip", "-o", "new.zip", "--sign", "team").status == 0)
        let signature = try Program.run("unzip", ["-p", "new.zip", ".afcache/signature"], in: scratch.path).text
        let date = try #require(signature.split(separator: " ").dropFirst(3).first)
        #expect(date > "2025", "\(signature)")
        let info = try Program.run("unzip", ["-p", "new.zip", ".afcache/package.json"], in: scratch.path).text
        #expect(info.contains("\"2001-09-09T01:46:40Z\""), "\(info)")
    }

    @Test func `a file that isn't there has an exit code of its own`() throws {
        #expect(try run("repack", "nowhere.zip", "-o", "new.zip").status == 11)
    }

    @Test func `a package that was edited on purpose is accepted on request`() throws {
        let scratch = try Scratch()
        for name in ["a", "b", "c"] { try scratch.write(Array("<p>\(name)</p>".utf8), to: "in/\(name).html") }
        func run(_ arguments: [String], _ program: String = Program.afcache) throws -> ProgramResult {
            try Program.run(program, arguments, in: scratch.path)
        }
        #expect(try run(["keygen", "-o", "key"]).status == 0)
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip", "--sign", "key"]
        #expect(try run(pack + ["--last-modified", "2026-01-01"]).status == 0)
        // One body is changed, one is removed with its line.
        let edit = """
            mkdir d && cd d && unzip -q ../p.zip && printf '<p>edited</p>' > d.example/b.html && rm d.example/c.html
            grep -v /c.html manifest.afcache > m && mv m manifest.afcache && zip -qr -D ../edited.zip .
            """
        #expect(try run(["-ec", edit], "sh").status == 0)
        let refused = try run(["load", "edited.zip", "--cache", "store"])
        #expect(refused.status == 10)
        let remedy = "rebuild it, or accept what was edited on purpose with 'afcache repack --edited'\n"
        #expect(refused.errors.hasSuffix(remedy), "\(refused.errors)")
        #expect(try run(["repack", "edited.zip", "-o", "without.zip"]).status == 5)
        let result = try run(["repack", "edited.zip", "-o", "new.zip", "--edited"])
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.hasPrefix("repacked 'edited.zip' as 'new.zip': 2 resources, 1 edited, "), "\(result.text)")
        #expect(result.errors.contains("note: the signature was removed"), "\(result.errors)")
        #expect(try run(["lint", "new.zip", "--fail-on", "warning"]).status == 0)
        #expect(try run(["load", "new.zip", "--cache", "store"]).status == 0)
        #expect(
            try run(["get", "http://d.example/a.html", "--cache", "store", "-i"]).text.contains("01 Jan 2026 00:00:00")
        )
        let edited = try run(["get", "http://d.example/b.html", "--cache", "store", "-i"]).text
        #expect(edited.hasSuffix("<p>edited</p>") && !edited.contains("01 Jan 2026 00:00:00"), "\(edited)")
        #expect(try run(["get", "http://d.example/c.html", "--cache", "store"]).status == 3)
    }
}
