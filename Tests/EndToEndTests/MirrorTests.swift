import Foundation
import TestSupport
import Testing

/// Mirrors by other programs that become packages (docs/reference/archives.md), with the built program.
struct MirrorTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    private func body(_ url: String) throws -> String { try run("get", url, "--package", "o.zip").text }

    private func urls() throws -> [String] {
        try run("ls", "o.zip").text.split(separator: "\n").map { line in String(line.split(separator: " ").last ?? "") }
    }

    /// A member of HTTrack's cache, with fields besides X-In-Cache.
    private static func member(_ url: String, _ body: String?, _ fields: String..., status: Int = 200) -> RawZip.Member
    {
        let head = ["HTTP/1.1 \(status) OK", "X-In-Cache: \(body == nil ? 0 : 1)", "Content-Type: text/html"] + fields
        return RawZip.Member.deflated(url, body ?? "").with { member in
            member.localExtra = Array(head.map { $0 + "\r\n" }.joined().utf8)
        }
    }

    private func write(_ members: RawZip.Member..., to name: String = "m/hts-cache/new.zip") throws {
        try scratch.write(RawZip(members).bytes, to: name)
    }

    @Test func `HTTrack's older cache counts only while the new one isn't finished`() throws {
        try write(Self.member("a.example/", "new"))
        try write(
            Self.member("a.example/", "old"),
            Self.member("a.example/o", "old"),
            to: "m/hts-cache/old.zip"
        )
        #expect(try run("import", "m", "-o", "o.zip").status == 0)
        #expect(try urls() == ["http://a.example/"])
        try scratch.write([], to: "m/hts-in_progress.lock")
        for folder in ["m", "m/hts-cache", "."] {
            #expect(try run("import", folder, "-o", "o.zip", "--overwrite").status == 0)
            #expect(try body("http://a.example/") == "new" && body("http://a.example/o") == "old")
        }
        try FileManager.default.removeItem(atPath: scratch.path("m/hts-cache/new.zip"))
        try FileManager.default.removeItem(atPath: scratch.path("m/hts-in_progress.lock"))
        #expect(try run("import", "m", "-o", "o.zip", "--overwrite").status == 0)
        #expect(try body("http://a.example/") == "old")
    }

    @Test func `a body of HTTrack's mirror is a file within it, and no other`() throws {
        try scratch.write(Array("inside".utf8), to: "m/a.example/in.html")
        try scratch.write(Array("secret".utf8), to: "secret")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("m/link"), withDestinationPath: "../secret")
        let names = ["../secret", "a.example/../../secret", "link", scratch.path("secret"), "none", ""]
        let members = names.enumerated().map { Self.member("http://a.example/\($0)", nil, "X-Save: \($1)") }
        try scratch.write(
            RawZip([Self.member("http://a.example/in", nil, "X-Save: a.example/in.html", "X-Size: 9")] + members).bytes,
            to: "m/hts-cache/new.zip"
        )
        let result = try run("import", "m", "-o", "o.zip", "--report", "r.json")
        #expect(
            result.status == 0 && result.errors.contains("6 bodies that the archive doesn't have"),
            "\(result.errors)"
        )
        #expect(result.errors.contains("(6 of 9 bytes)"))
        #expect(try urls() == ["http://a.example/in"] && body("http://a.example/in") == "inside")
        // Alone, the cache has no mirror.
        try FileManager.default.moveItem(atPath: scratch.path("m/hts-cache/new.zip"), toPath: scratch.path("m/new.zip"))
        #expect(try run("import", "m/new.zip", "-o", "o.zip", "--overwrite").status == 6)
    }

    @Test func `what HTTrack asked for with a fragment, and a damaged member, are left out`() throws {
        let damaged = Self.member("http://a.example/d", "damaged").with { $0.crc = 1 }
        let long = Self.member("http://a.example/l", "longer").with { $0.size = 5 }
        let unknown = Self.member("http://a.example/u", "x").with { $0.method = 12 }
        let headless = RawZip.Member.deflated("http://a.example/h", "x").with { $0.localExtra = [0, 0, 0, 0] }
        try write(
            Self.member("http://a.example/", "home"),
            Self.member("http://a.example/#f", "x", status: 404),
            damaged,
            long,
            unknown,
            headless,
            Self.member("http://a.example/r", "", "Location: /", status: 301),
            Self.member("ftp://a.example/", "x")
        )
        let result = try run("import", "m", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 5, "\(result.errors)")
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        for count in ["bad-url\":1", "damaged-coding\":2", "lost\":1", "no-head\":1", "scheme\":1"] {
            #expect(report.contains(count), "\(count) in \(report)")
        }
        #expect(try urls() == ["http://a.example/", "http://a.example/r"])
        #expect(try run("import", "m", "-o", "p.zip", "--strict").status == 10)
    }

    @Test func `HTTrack's cache is read up to where it is cut, also by commands that take packages`() throws {
        try write(Self.member("http://a.example/", "home"), Self.member("http://a.example/b", "b"))
        let whole = try scratch.read("m/hts-cache/new.zip")
        let second = try #require(whole.dropFirst(4).firstRange(of: [0x50, 0x4B, 3, 4])?.lowerBound)
        let caches = ["XDG_CACHE_HOME": scratch.path("c")]
        for end in [second, second + 3, second + 40, whole.count - 22] {
            try scratch.write(Array(whole[..<end]), to: "cut.zip")
            let result = try run("import", "cut.zip", "-o", "o.zip", "--overwrite", "--from", "httrack")
            #expect([0, 5].contains(result.status) && result.errors.contains("cut") == (result.status == 5), "\(end)")
            #expect(try body("http://a.example/") == "home")
            let listed = try Program.run(Program.afcache, ["ls", "cut.zip"], in: scratch.path, environment: caches)
            #expect(listed.text.contains("http://a.example/"), "\(listed.errors)")
        }
        try scratch.write(Array("PK".utf8), to: "cut.zip")
        let refused = try run("import", "cut.zip", "-o", "o.zip", "--overwrite", "--from", "httrack")
        #expect(refused.status == 10, "\(refused.errors)")
    }

    @Test func `any byte of HTTrack's cache may be wrong`() throws {
        try write(Self.member("http://a.example/", "home"), Self.member("http://a.example/b", "b"))
        let whole = try scratch.read("m/hts-cache/new.zip")
        for place in stride(from: 0, to: whole.count, by: 5) {
            var bytes = whole
            bytes[place] ^= 0xFF
            try scratch.write(bytes, to: "x.zip")
            let result = try run("import", "x.zip", "-o", "o.zip", "--overwrite", "--from", "httrack")
            #expect([0, 5, 6, 10].contains(result.status), "\(place): \(result.errors)")
        }
    }

    // MARK: wget

    private func files(_ files: [String: String], in folder: String = "w") throws {
        for (name, text) in files {
            let path = "\(folder)/\(name)"
            try scratch.write(Array(text.utf8), to: path)
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: scratch.path(path))
        }
    }

    @Test func `wget's mirror has the responses of each host, and pages as the server sent them`() throws {
        try files([
            "a.example/index.html": "<a href=sub.html>changed</a>",
            "a.example/index.html.orig": "<a href=/sub>sent</a>",
            "a.example/sub.html": "<p>sub</p>", "a.example/sub.orig": "<p>sub</p>", "a.example/q?x=1.html": "<p>q",
            "a.example/same": "<p>sub</p>", "b.example+8080/x.json": "{}", "a.example/.hidden": "x", "wget-log": "x",
        ])
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("w/a.example/link.html"),
            withDestinationPath: "/etc/passwd"
        )
        let result = try run("import", "w", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 0 && result.errors.contains("1 page with the bytes of another"), "\(result.errors)")
        #expect(
            try urls() == [
                "http://a.example/", "http://a.example/index.html", "http://a.example/q?x=1", "http://a.example/same",
                "http://a.example/sub", "http://b.example:8080/x.json",
            ]
        )
        #expect(try body("http://a.example/").contains("sent"))
        let head = try run("get", "http://a.example/same", "--package", "o.zip", "-i").text.lowercased()
        #expect(head.contains("content-type: text/html") && head.contains("tue, 14 nov 2023 22:13:20 gmt"), "\(head)")
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        #expect(report.contains("\"kind\":\"same\",\"taken\":true"), "\(report)")
        let bytes = try scratch.read("o.zip")
        #expect(try run("import", "w", "-o", "o.zip", "--overwrite", "--strict").status == 0)
        #expect(try scratch.read("o.zip") == bytes)
    }

    @Test func `the scheme of wget's mirror is that of its home page, its folder or the base URL`() throws {
        try files(["a.example/index.html": "<a href='https://a.example/x'>"])
        try files(["https/b.example/x.html": "x", "http/c.example/x.html": "x"], in: "p")
        #expect(try run("import", "w", "-o", "o.zip").status == 0)
        #expect(try urls() == ["https://a.example/", "https://a.example/index.html"])
        #expect(try run("import", "w/a.example", "-o", "o.zip", "--overwrite").status == 0)
        #expect(try urls().first == "https://a.example/")
        for (folder, base, first) in [
            ("w", "http://a.example/", "http://a.example/"),
            ("w/a.example", "http://z.example/d/", "http://z.example/d/"),
        ] {
            #expect(try run("import", folder, "-o", "o.zip", "--overwrite", "--base-url", base).status == 0)
            #expect(try urls().first == first)
        }
        #expect(try run("import", "p", "-o", "o.zip", "--overwrite").status == 0)
        #expect(try urls() == ["http://c.example/x.html", "https://b.example/x.html"])
        // A part of a site has no home page, and a host may have no dot.
        try files(["localhost:8080/d/e/x.html": "x", "localhost:8080/s.css": ""], in: "l")
        for folder in ["l", "l/localhost:8080"] {
            #expect(try run("import", folder, "-o", "o.zip", "--overwrite").status == 0)
            #expect(try urls() == ["http://localhost:8080/d/e/x.html", "http://localhost:8080/s.css"])
        }
        try files(["any/x.html": "x", "f.example/s.css": ""], in: "n")
        for options in [[], ["--from", "wget"]] {
            let refused = try Program.run(Program.afcache, ["import", "n", "-o", "n.zip"] + options, in: scratch.path)
            #expect(refused.status == 10 && refused.errors.contains("with '--base-url'"), "\(refused.errors)")
        }
        #expect(try run("import", "n/f.example", "-o", "n.zip").status == 10)
        let refused = try run("import", "n/any/x.html", "-o", "n.zip", "--from", "wget")
        #expect(refused.status == 10 && refused.errors.contains("a mirror by wget is a folder"), "\(refused.errors)")
    }
}
