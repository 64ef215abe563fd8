import Foundation
import TestOrigin
import TestSupport
import Testing

/// Packages that are pinned by the digest of their contents, and signed packages that are older than the loaded one.
struct PinTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(Array("<p>a page</p>\n".utf8), to: "site/index.html")
        try scratch.write((0...255).map { $0 }, to: "site/noise.bin")
    }

    func afcache(_ arguments: [String], created: Int = 1_700_000_000) throws -> ProgramResult {
        let epoch = ["SOURCE_DATE_EPOCH": String(created)]
        return try Program.run(Program.afcache, arguments, in: scratch.path, environment: epoch)
    }

    func pack(_ name: String, _ arguments: [String] = [], created: Int = 1_700_000_000) throws {
        let pack = ["pack", "--folder", "site", "--base-url", "http://d.example", "-o", name]
        let result = try afcache(pack + arguments, created: created)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// The digest as the program in docs/reference/signatures.md computes it.
    func digest(_ name: String) throws -> String {
        let program = """
            import hashlib, sys, zipfile
            package = zipfile.ZipFile(sys.argv[1])
            text = b"afcache package digest 1\\n"
            for name in sorted(package.namelist(), key=str.encode):
                if name != ".afcache/signature":
                    body = package.read(name)
                    text += f"{hashlib.sha256(body).hexdigest()} {len(body)} {len(name.encode())} {name}\\n".encode()
            print(hashlib.sha256(text).hexdigest())
            """
        let result = try Program.run("python3", ["-c", program, name], in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
        return String(result.text.dropLast())
    }

    @Test func `lint and ls print the digest of a package's contents, and load requires it`() throws {
        try pack("p.zip")
        let digest = try digest("p.zip")
        let lint = try afcache(["lint", "p.zip", "--format", "json"])
        #expect(lint.text.contains(#""digest":"\#(digest)""#), "\(lint.text)")
        let lines = try afcache(["ls", "p.zip", "--json"]).text.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""digest":"\#(digest)""#) }, "\(lines)")
        let load = ["load", "--name", "d", "--cache", "store"]
        let wrong = try afcache(load + ["p.zip", "--digest", String(repeating: "0", count: 64)])
        #expect(wrong.status == 10)
        let sentence = "the package's contents have the digest \(digest), not 0000"
        #expect(wrong.errors.contains(sentence), "\(wrong.errors)")
        #expect(!scratch.names.contains("store"), "a refused package leaves no cache")
        #expect(try afcache(load + ["p.zip", "--digest", digest.uppercased()]).status == 0)
        // Another zip program changes the file, not the contents.
        let again = """
            import zipfile
            old, new = zipfile.ZipFile("p.zip"), zipfile.ZipFile("q.zip", "w", zipfile.ZIP_STORED)
            for name in old.namelist(): new.writestr(name, old.read(name))
            new.close()
            """
        #expect(try Program.run("python3", ["-c", again], in: scratch.path).status == 0)
        let other = try afcache(load + ["q.zip", "--digest", digest])
        #expect(other.status == 0, "\(other.errors)")
        #expect(try afcache(load + ["p.zip", "--digest", "12"]).status == 64)
    }

    @Test func `a sync file's digest is required even of what is loaded, and saves a request`()
        async throws
    {
        try pack("p.zip")
        let digest = try digest("p.zip")
        let answer = TestOrigin.Answer(200, [("ETag", "\"1\"")], body: try scratch.read("p.zip"))
        try await TestOrigin.withOrigin(["/p.zip": [answer, answer, .init(304)]]) { origin in
            func sync(_ digest: String?) throws -> ProgramResult {
                let pin = digest.map { ", digest: \($0)" } ?? ""
                let list = "{ from: \(origin.base)/p.zip, name: r\(pin) }, { from: p.zip, name: l\(pin) }"
                try scratch.write(Array("version: 1\ncache: store\npackages: [\(list)]\n".utf8), to: "s.yaml")
                return try afcache(["sync", "s.yaml"])
            }
            #expect(try sync(nil).text == "installed 'r'\ninstalled 'l'\n")
            let wrong = try sync(String(repeating: "0", count: 64))
            #expect(wrong.text == "failed    'r'\nfailed    'l'\n")
            #expect(wrong.status == 5)
            let before = origin.requests.count
            #expect(try sync(digest).text == "unchanged 'r'\nunchanged 'l'\n")
            #expect(origin.requests.count == before, "the digest was computed when it was loaded")
            #expect(try sync(nil).text.hasPrefix("unchanged 'r'\n"))
            // What was loaded from a file needn't be downloaded.
            #expect(try afcache(["load", "p.zip", "--name", "x", "--cache", "store"]).status == 0)
            let now = origin.requests.count
            let load = ["load", origin.base + "/p.zip", "--name", "x", "--cache", "store", "--digest", digest]
            #expect(try afcache(load).text.hasPrefix("unchanged 'x'"))
            #expect(origin.requests.count == now)
        }
    }

    @Test func `a signed package that is older than the loaded one is refused unless it is allowed`() throws {
        #expect(try afcache(["keygen", "-o", "key"]).status == 0)
        try pack("old.zip", ["--sign", "key"], created: 1_700_000_000)
        try pack("new.zip", ["--sign", "key"], created: 1_800_000_000)
        try pack("unsigned.zip", created: 1_600_000_000)
        let load = ["load", "--name", "d", "--cache", "store"]
        #expect(try afcache(load + ["new.zip"]).status == 0)
        #expect(try afcache(load + ["new.zip"]).status == 0, "the same package isn't older")
        for trust in [[], ["--require-signature", "--trust", "key.pub"]] {
            let refused = try afcache(load + ["old.zip"] + trust)
            #expect(refused.status == 15)
            let sentence = """
                error: cannot load 'old.zip': the signed package was created 2023-11-14T22:13:20Z, before the one that \
                it would replace (2027-01-15T08:00:00Z); somebody may have brought back an old version; \
                '--allow-older' loads it anyway

                """
            #expect(refused.errors == sentence)
        }
        func sync(_ key: String, _ options: String...) throws -> ProgramResult {
            let list = "{ from: old.zip, name: d\(key) }"
            try scratch.write(Array("version: 1\ncache: store\npackages: [\(list)]\n".utf8), to: "s.yaml")
            return try afcache(["sync", "s.yaml"] + options)
        }
        let refused = try sync("")
        #expect(refused.status == 5 && refused.text == "failed    'd'\n", "\(refused.errors)")
        #expect(try sync(", allow-older: true").text == "updated   'd'\n")
        #expect(try afcache(load + ["new.zip"]).status == 0)
        #expect(try sync("", "--allow-older").text == "updated   'd'\n")
        #expect(try afcache(load + ["new.zip"]).status == 0)
        let allowed = try afcache(load + ["old.zip", "--allow-older"])
        #expect(allowed.text.hasPrefix("replaced 'd' with an older package"), "\(allowed.errors)")
        // A signature can be removed, so only '--require-signature' keeps an older package without one away.
        #expect(try afcache(load + ["unsigned.zip"]).text.hasPrefix("replaced 'd' with an older package"))
        // Another name has nothing to compare with.
        #expect(try afcache(["load", "old.zip", "--name", "e", "--cache", "store"]).status == 0)
    }
}
