import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// What a fix leaves of a package; the archives are made and looked at by Python's zipfile.
struct PackageFixTests {
    /// Makes p.zip: members of several kinds around a manifest with defects.
    static let maker = """
        import sys, zipfile
        manifest = b"http://d.example/x.html ; Sat, 27 Mar 2004 18:43:30 GMT+00:00 ; NULL ; text/html\\r\\n" \\
            b"http://D.example/Up ; NULL ; NULL ; text/plain\\r\\nhttp://d.example/a b ; NULL ; NULL ; text/plain"
        def info(name, year, **fields):
            made = zipfile.ZipInfo(name, (year, 2, 3, 4, 5, 6))
            for key, value in fields.items(): setattr(made, key, value)
            return made
        with zipfile.ZipFile("p.zip", "w") as z:
            parts = [
                (info("d.example/x.html", 2001), b"<p>hi" * 1000, zipfile.ZIP_DEFLATED, 1),
                (info("d.example/a b", 2003, external_attr=0o100640 << 16, comment=b"a comment"), b"a b", zipfile.ZIP_STORED, None),
                (info("D.example/Up", 2004, extra=b"\\xfe\\xca\\x02\\x00ab"), b"up" * 70000, zipfile.ZIP_DEFLATED, 9),
                (info(".userdata/k/", 2005), b"", zipfile.ZIP_STORED, None),
                (info(".userdata/k/v", 2006), b"v" * 5000, zipfile.ZIP_DEFLATED, 6),
            ]
            mode = zipfile.ZIP_STORED if "stored" in sys.argv else zipfile.ZIP_DEFLATED
            parts.insert(int(sys.argv[1]), (info("manifest.afcache", 2002, external_attr=0o100600 << 16), manifest, mode, None))
            for part, body, method, level in parts:
                if "wide" in sys.argv:
                    with z.open(part, "w", force_zip64=True) as file: file.write(body)
                else:
                    z.writestr(part, body, method, level)
            z.comment = b"of the archive"
        """

    /// Prints for each member its description, and the bytes of its record but for a manifest's.
    static let viewer = """
        import sys, zipfile
        with open(sys.argv[1], "rb") as file: data = file.read()
        z = zipfile.ZipFile(sys.argv[1])
        assert z.testzip() is None
        print(z.comment)
        for i in z.infolist():
            at = i.header_offset
            start = at + 30 + int.from_bytes(data[at + 26:at + 28], "little") + int.from_bytes(data[at + 28:at + 30], "little")
            print(i.filename, i.date_time, i.external_attr, i.create_system, i.compress_type, i.comment)
            if i.filename != "manifest.afcache": print(i.extra, data[at:start + i.compress_size].hex())
        """

    static func view(_ name: String, in scratch: Scratch) throws -> String {
        let result = try Program.run("python3", ["-c", viewer, name], in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        return result.text
    }

    static func package(_ arguments: [String], in scratch: Scratch) throws -> String {
        let made = try Program.run("python3", ["-c", maker] + arguments, in: scratch.path)
        #expect(made.status == 0, "\(made.errors)")
        return scratch.path("p.zip")
    }

    static let fixed = """
        http://D.example/Up ; NULL ; NULL ; text/plain
        http://d.example/a%20b ; NULL ; NULL ; text/plain
        http://d.example/x.html ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html

        """

    @Test(arguments: [["0"], ["1"], ["5"], ["2", "stored"], ["0", "wide"], ["3", "wide"], ["5", "wide"]])
    func `the manifest is another, and all other bytes are the same`(arguments: [String]) throws {
        let scratch = try Scratch()
        let path = try Self.package(arguments, in: scratch)
        let before = try Self.view("p.zip", in: scratch)
        let resources = try PackageReader(path: path).index.resources.map {
            [$0.url.description, "\($0.member ?? -1)"]
        }
        let fix = try #require(try FileFix(path))
        #expect(String(decoding: fix.fix.bytes, as: UTF8.self) == Self.fixed)
        try fix.write()
        #expect(try Self.view("p.zip", in: scratch) == before)
        let manifest = try Program.run("unzip", ["-p", path, "manifest.afcache"])
        #expect(manifest.text == Self.fixed)
        #expect(try Program.run("unzip", ["-tq", path]).status == 0)
        let reader = try PackageReader(path: path)
        try reader.requireLoadable()
        #expect(reader.index.resources.map { [$0.url.description, "\($0.member ?? -1)"] } == resources)
        #expect(Linter.lint(path, options: .init(now: LinterTests.now)).isLoadable)
        #expect(try #require(try FileFix(path)).isNeeded == false)
        #expect(scratch.names == ["p.zip"])
    }

    @Test func `mode and owner are kept, and a link stays and its target is fixed`() throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("far"), withIntermediateDirectories: false)
        let text = Array("http://d.example/a ; NULL".utf8)
        let target = try scratch.write(text, to: "far/m.afcache")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
        try FileManager.default.createSymbolicLink(atPath: scratch.path("l"), withDestinationPath: "far/m.afcache")
        let owner = try FileManager.default.attributesOfItem(atPath: target)[.ownerAccountID] as? Int
        try #require(try FileFix(scratch.path("l"))).write()
        #expect(try scratch.read("far/m.afcache") == text + [0x0A])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch.path("l")) == "far/m.afcache")
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(attributes[.ownerAccountID] as? Int == owner)
    }

    @Test func `bodies are looked for next to a manifest that isn't in a package`() throws {
        let scratch = try Scratch()
        try scratch.write([], to: "D.example/Up")
        let path = try scratch.write(Array("http://D.example/Up ; NULL\n".utf8), to: "manifest.afcache")
        #expect(try #require(try FileFix(path)).isNeeded == false)
        try #require(try FileFix(path, allowsUnsafe: true)).write()
        let text = String(decoding: try scratch.read("manifest.afcache"), as: UTF8.self)
        #expect(text == "http://d.example/Up ; NULL ; NULL ; NULL ; D.example/Up\n")
    }

    @Test func `a file that changes in the meantime isn't fixed`() throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array("http://d.example/a ; NULL".utf8), to: "m")
        let fix = try #require(try FileFix(path))
        try scratch.write(Array("http://d.example/other ; NULL".utf8), to: "m")
        #expect(throws: FixRefusal.self) { try fix.write() }
        #expect(try scratch.read("m") == Array("http://d.example/other ; NULL".utf8))
        #expect(scratch.names == ["m"])
    }

    @Test func `fixing refuses a signed or encrypted package, and skips an unreadable one`() throws {
        let scratch = try Scratch()
        let key = "\(scratch.path)/k"
        #expect(try Program.run(Program.afcache, ["keygen", "-o", key]).status == 0)
        try scratch.write(Array("a".utf8), to: "in/a.txt")
        try scratch.write(Array("secret\n".utf8), to: "word")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o"]
        for arguments in [["s.zip", "--sign", key], ["e.zip", "--encrypt", "--password-file", "word"]] {
            #expect(try Program.run(Program.afcache, pack + arguments, in: scratch.path).status == 0)
        }
        // A signed package with nothing to fix is none to complain about.
        #expect(try #require(try FileFix(scratch.path("s.zip"))).isNeeded == false)
        let spoil = """
            import zipfile
            old = zipfile.ZipFile("s.zip")
            with zipfile.ZipFile("t.zip", "w") as new:
                for i in old.infolist(): new.writestr(i, old.read(i).replace(b" ; ", b"  ; "))
            """
        #expect(try Program.run("python3", ["-c", spoil], in: scratch.path).status == 0)
        let before = try scratch.read("t.zip")
        let signed = #expect(throws: FixRefusal.self) { try FileFix(scratch.path("t.zip"))?.write() }
        #expect(signed?.code == .signed)
        #expect(try scratch.read("t.zip") == before)
        let encrypted = #expect(throws: FixRefusal.self) { try FileFix(scratch.path("e.zip")) }
        #expect(encrypted?.code == .encrypted)
        #expect(try FileFix(try scratch.write([0x50, 0x4B, 3, 4], to: "x.zip")) == nil)
    }

    @Test(arguments: [
        ("page.html", "<!doctype html>\r\n\n<title>A</title>\n", false), ("notes.md", "# A\n\nSome words.\n", false),
        ("table.csv", "a,b\r\n\n1,2\r\n", false), ("manifest.afcache", "# A\n\nSome words.\n", true),
        ("list.txt", "\nhttp://d.example/a ; NULL\n\n", true), ("cut.txt", "\nhttp://d.example/a , NULL\n", true),
    ])
    func `a file that is no manifest isn't fixed`(name: String, text: String, isFixed: Bool) throws {
        let scratch = try Scratch()
        let path = try scratch.write(Array(text.utf8), to: name)
        #expect((try FileFix(path) != nil) == isFixed)
        _ = try Program.run(Program.afcache, ["lint", "--fix", path])
        #expect((try scratch.read(name) == Array(text.utf8)) == !isFixed)
    }
}
