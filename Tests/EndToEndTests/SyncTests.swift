import Foundation
import TestOrigin
import TestSupport
import Testing

/// Packages from servers and lists of them, with the built program.
struct SyncTests {
    static func package(_ name: String, _ text: String, in scratch: Scratch) throws -> [UInt8] {
        try scratch.write(Array(text.utf8), to: "\(name)-in/index.html")
        let result = try Program.run(
            Program.afcache,
            [
                "pack", "--no-folder-urls", "--folder", scratch.path("\(name)-in"), "--name", name, "--base-url",
                "http://\(name).example", "-o",
                scratch.path("\(name).zip"),
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        return try scratch.read("\(name).zip")
    }

    static func body(_ name: String, _ store: String) throws -> String {
        try Program.run(Program.afcache, ["get", "http://\(name).example/index.html", "--cache", store]).text
    }

    @Test func `a package is downloaded once, and again when it changed`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let first = try Self.package("d", "first", in: scratch)
        let second = try Self.package("d", "second", in: scratch)
        let answers = [
            TestOrigin.Answer(200, [("ETag", "\"1\"")], body: first), .init(304),
            .init(
                200,
                [("ETag", "\"2\""), ("Content-Length", String(second.count))],
                body: Array(second[..<200]),
                closes: true
            ),
            .init(
                206,
                [("ETag", "\"2\""), ("Content-Range", "bytes 200-\(second.count - 1)/\(second.count)")],
                body: Array(second[200...])
            ),
        ]
        try await TestOrigin.withOrigin(["/d.zip": answers]) { origin in
            let load = ["load", origin.base + "/d.zip", "--cache", store]
            let one = try Program.run(Program.afcache, load)
            #expect(one.status == 0, "\(one.errors)")
            #expect(one.text == "loaded 'd': 1 resource, 5 B\n")
            let two = try Program.run(Program.afcache, load)
            #expect(two.text == "unchanged 'd': the server has nothing newer\n")
            #expect(origin.requests[1].fields.contains("If-None-Match: \"1\""))
            let three = try Program.run(Program.afcache, load)
            #expect(three.text == "updated 'd': 1 resource, 6 B; 1 new, 0 unchanged\n", "\(three.errors)")
            #expect(try Self.body("d", store) == "second")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: store + "/downloads")
        #expect(left.isEmpty, "\(left)")
    }

    @Test func `a token in a URL is kept nowhere, and a new one is no other source`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let package = try Self.package("d", "first", in: scratch)
        let (one, two) = ("/d.zip?sv=1&sig=SECRETONE", "/d.zip?sv=2&sig=SECRETTWO")
        let routes = [
            one: [TestOrigin.Answer(200, [("ETag", "\"1\"")], body: package)], two: [.init(304), .init(403)],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            func run(_ arguments: String...) throws -> ProgramResult {
                let result = try Program.run(Program.afcache, arguments + ["--cache", store])
                #expect(!(result.text + result.errors).contains("SECRET"), "\(result.text)\(result.errors)")
                return result
            }
            #expect(try run("load", origin.base + one, "--verbose").status == 0)
            let again = try run("load", origin.base + two, "--json")
            #expect(again.status == 0 && again.text.contains("\"unchanged\":true"), "\(again.text)\(again.errors)")
            #expect(origin.requests[1].fields.contains("If-None-Match: \"1\""))
            let refused = try run("load", origin.base + two)
            #expect(refused.errors.contains("cannot download '\(origin.base)/d.zip?…': "), "\(refused.errors)")
            let list = "version: 1\npackages: [{ from: '\(origin.base)\(two)', name: d }]\n"
            try scratch.write(Array(list.utf8), to: "sync.yaml")
            #expect(try run("sync", scratch.path("sync.yaml"), "--json").status == 5)
            let listed = try run("cache", "ls", "--json").text
            #expect(listed.contains("\"from\":\"\(origin.base)/d.zip?…\""), "\(listed)")
        }
        let found = try Program.run("grep", ["-rlE", "SECRET", store])
        #expect(found.text.isEmpty && found.status == 1, "\(found.text)")
    }

    @Test func `packages come over https from trusted, named or unverified servers`() async throws {
        let scratch = try Scratch()
        let package = try Self.package("d", "first", in: scratch)
        let answers = (0..<4).map { _ in TestOrigin.Answer(200, body: package) }
        try await TestOrigin.withSecureOrigin(["/d.zip": answers], host: "localhost") { origin, pem in
            try scratch.write(Array(pem.utf8), to: "roots.pem")
            let url = origin.base + "/d.zip"
            let refused = try Program.run(Program.afcache, ["load", url, "--cache", scratch.path("none")])
            #expect(refused.status == 17, "\(refused.errors)")
            #expect(refused.errors.contains("'--cacert'"), "\(refused.errors)")
            let unverified = ["load", url, "--insecure", "--cache", scratch.path("unverified")]
            #expect(try Program.run(Program.afcache, unverified).text == "loaded 'd': 1 resource, 5 B\n")
            let trusted = ["load", url, "--cacert", scratch.path("roots.pem"), "--cache", scratch.path("trusted")]
            #expect(try Program.run(Program.afcache, trusted).text == "loaded 'd': 1 resource, 5 B\n")
            let list = "version: 1\ncache: synced\ncacert: roots.pem\npackages: [{ from: '\(url)' }]\n"
            try scratch.write(Array(list.utf8), to: "sync.yaml")
            let synced = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
            #expect(synced.text == "installed 'd'\n", "\(synced.errors)")
        }
    }

    @Test func `a package from a server that isn't what was asked for is refused in a sentence`() async throws {
        let scratch = try Scratch()
        let package = try Self.package("d", "first", in: scratch)
        let routes: [String: [TestOrigin.Answer]] = [
            "/d.zip": [.init(200, body: package)], "/bad.zip": [.init(200, body: [1, 2, 3])],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let cases: [(arguments: [String], status: Int32, sentence: String)] = [
                (["/d.zip", "--sha256", String(repeating: "0", count: 64)], 10, "the package has the SHA-256 "),
                (["/bad.zip"], 10, "error: cannot load '\(origin.base)/bad.zip': "),
                (["/none.zip"], 17, "the server has no such file (status 404)"),
            ]
            for one in cases {
                let arguments = ["load", origin.base + one.arguments[0]] + one.arguments.dropFirst()
                let result = try Program.run(Program.afcache, arguments + ["--cache", scratch.path("store")])
                #expect(result.status == one.status, "\(result.errors)")
                #expect(result.errors.contains(one.sentence), "\(result.errors)")
            }
            let list = try Program.run(Program.afcache, ["cache", "ls", "--cache", scratch.path("store")])
            #expect(list.text.isEmpty)
        }
    }

    @Test func `what leaves the cache for the limits is said, and where to raise them`() async throws {
        let scratch = try Scratch()
        for (name, size) in [("old", 2000), ("near", 2100), ("large", 9000)] {
            _ = try Self.package(name, String(repeating: "x", count: size), in: scratch)
        }
        let store = scratch.path("store")
        #expect(try Program.run(Program.afcache, ["load", scratch.path("old.zip"), "--cache", store]).status == 0)
        func sync(_ package: String) throws -> ProgramResult {
            let file = "version: 1\ncache: store\nlimits: { bytes: 3k }\npackages: [{ from: \(package).zip }]\n"
            try scratch.write(Array(file.utf8), to: "sync.yaml")
            return try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
        }
        let near = try sync("near")
        #expect(near.status == 0 && near.text.hasPrefix("evicted   'old'\n"), "\(near.text) \(near.errors)")
        let large = try sync("large")
        #expect(large.status == 5 && large.errors.contains("; raise 'limits' in the sync file\n"), "\(large.errors)")
        #expect(try Self.body("near", store).count == 2100)
    }

    @Test func `sync makes a cache match its file, and a second run changes nothing`() async throws {
        let scratch = try Scratch()
        let remote = try Self.package("remote", "from a server", in: scratch)
        _ = try Self.package("local", "from a file", in: scratch)
        _ = try Self.package("old", "no longer listed", in: scratch)
        let answers = [TestOrigin.Answer(200, [("ETag", "\"1\"")], body: remote), .init(304)]
        try await TestOrigin.withOrigin(["/p/remote.zip": answers]) { origin in
            let file = """
                version: 1
                cache: store
                remove-others: true
                limits: { entries: 50 }
                packages:
                  - from: \(origin.base)/p/remote.zip
                    pin: true
                  - name: near
                    from: local.zip
                  - from: missing.zip
                """
            try scratch.write(Array(file.utf8), to: "sync.yaml")
            let store = scratch.path("store")
            #expect(try Program.run(Program.afcache, ["load", scratch.path("old.zip"), "--cache", store]).status == 0)
            let first = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
            #expect(first.text == "installed 'remote'\ninstalled 'near'\nfailed    'missing'\nkept      'old'\n")
            #expect(first.errors.contains("missing.zip': No such file or directory"))
            #expect(first.status == 5)
            #expect(try Self.body("remote", store) == "from a server")
            #expect(try Self.body("local", store) == "from a file")
            try scratch.write(
                Array(file.replacingOccurrences(of: "  - from: missing.zip", with: "").utf8),
                to: "sync.yaml"
            )
            // What failed may be what was to take the place of a package that isn't listed.
            #expect(try Self.body("old", store) == "no longer listed")
            let whole = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
            #expect(whole.text == "unchanged 'remote'\nunchanged 'near'\nremoved   'old'\n", "\(whole.errors)")
            let second = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml"), "--json"])
            #expect(second.status == 0, "\(second.errors)")
            #expect(
                second.text == """
                    {"changed":false,"packages":[{"name":"remote","action":"unchanged","error":null},\
                    {"name":"near","action":"unchanged","error":null}]}

                    """
            )
            _ = try Self.package("local", "changed", in: scratch)
            try scratch.write(
                Array(
                    file.replacingOccurrences(of: "pin: true", with: "pin: false")
                        .replacingOccurrences(of: "  - from: missing.zip", with: "").utf8
                ),
                to: "sync.yaml"
            )
            let third = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
            #expect(third.text == "changed   'remote'\nupdated   'near'\n", "\(third.errors)")
            #expect(try Self.body("local", store) == "changed")
        }
    }

    @Test func `a wrong sync file is refused with its place`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("version: 1\npackages: [{ form: a.zip }]".utf8), to: "sync.yaml")
        let result = try Program.run(
            Program.afcache,
            ["sync", scratch.path("sync.yaml"), "--cache", scratch.path("s")]
        )
        #expect(result.status == 64)
        #expect(
            result.errors.contains("sync.yaml:2:14: a package has a key 'form', which is not known"),
            "\(result.errors)"
        )
    }

    @Test func `a device accepts only packages signed by a trusted key`() throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let keygen = try Program.run(Program.afcache, ["keygen", "-o", scratch.path("key")])
        #expect(keygen.status == 0, "\(keygen.errors)")
        _ = try Self.package("d", "not signed", in: scratch)
        let trust = ["--require-signature", "--trust", scratch.path("key.pub"), "--cache", store]
        let refused = try Program.run(Program.afcache, ["load", scratch.path("d.zip")] + trust)
        #expect(refused.status == 15, "\(refused.errors)")
        let pack = [
            "pack", "--no-folder-urls", "--folder", scratch.path("d-in"), "--base-url", "http://d.example", "--sign",
            scratch.path("key"),
            "-o",
            scratch.path("signed.zip"),
        ]
        #expect(try Program.run(Program.afcache, pack).status == 0)
        let loaded = try Program.run(Program.afcache, ["load", scratch.path("signed.zip")] + trust)
        #expect(loaded.status == 0, "\(loaded.errors)")
        #expect(loaded.text.contains("\nsigned by "))
        // A body that differs: the archive is sound, its records are right, and the signature is not.
        let script = """
            import hashlib, json, sys, zipfile
            old = zipfile.ZipFile(sys.argv[1])
            with zipfile.ZipFile(sys.argv[2], "w") as new:
                for info in old.infolist():
                    data = old.read(info)
                    if info.filename.endswith("index.html"): data = b"not signeD"
                    if info.filename.endswith("resources.jsonl"):
                        record = json.loads(data)
                        record["sha256"] = hashlib.sha256(b"not signeD").hexdigest()
                        data = (json.dumps(record, separators=(",", ":")) + "\\n").encode()
                    new.writestr(info, data)
            """
        let forged = try Program.run("python3", ["-c", script, scratch.path("signed.zip"), scratch.path("forged.zip")])
        #expect(forged.status == 0, "\(forged.errors)")
        for options in [trust, ["--cache", store]] {
            let result = try Program.run(
                Program.afcache,
                ["load", scratch.path("forged.zip"), "--name", "signed"] + options
            )
            #expect(result.status == 15, "\(result.errors)")
        }
        #expect(try Self.body("d", store) == "not signed")
        #expect(try Program.run(Program.afcache, ["cache", "verify", "--cache", store]).status == 0)
    }

    @Test func `abandoned parts are removed by gc, and recent ones are kept`() throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        _ = try Self.package("d", "text", in: scratch)
        #expect(try Program.run(Program.afcache, ["load", scratch.path("d.zip"), "--cache", store]).status == 0)
        let (old, young) = (String(repeating: "a1", count: 16), String(repeating: "b2", count: 16))
        for (name, age) in [(old, "8 days ago"), (young, "6 days ago")] {
            for suffix in ["lock", "part", "json"] {
                // The state says what the server called this version, so that the download could be resumed.
                let bytes = suffix == "json" ? Array(#"{"etag":"\"v\""}"#.utf8) : [1, 2, 3]
                let path = try scratch.write(bytes, to: "store/downloads/\(name).\(suffix)")
                #expect(try Program.run("touch", ["-d", age, path]).status == 0)
            }
        }
        let collected = try Program.run(Program.afcache, ["cache", "gc", "--cache", store])
        #expect(collected.status == 0, "\(collected.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: store + "/downloads").sorted()
        #expect(left == ["\(young).json", "\(young).lock", "\(young).part"])
    }

    @Test func `an older package that replaces a younger one is named as such`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("text".utf8), to: "site/index.html")
        for (name, created) in [("old", "1700000000"), ("new", "1800000000")] {
            let packed = try Program.run(
                Program.afcache,
                ["pack", "--folder", "site", "--base-url", "http://d.example", "-o", name + ".zip"],
                in: scratch.path,
                environment: ["SOURCE_DATE_EPOCH": created]
            )
            #expect(packed.status == 0, "\(packed.errors)")
        }
        try scratch.write(Array("version: 1\npackages: [{ from: old.zip, name: d }]\n".utf8), to: "sync.yaml")
        let sentence = "with an older package, created 2023-11-14T22:13:20Z and not 2027-01-15T08:00:00Z"
        let load = ["load", "--name", "d", "--cache", "store"]
        #expect(try Program.run(Program.afcache, load + ["new.zip"], in: scratch.path).status == 0)
        let synced = try Program.run(Program.afcache, ["sync", "sync.yaml", "--cache", "store"], in: scratch.path)
        #expect(synced.status == 0 && synced.errors.contains("warning: replaced 'd' \(sentence)"), "\(synced.errors)")
        #expect(try Program.run(Program.afcache, load + ["new.zip"], in: scratch.path).text.hasPrefix("updated 'd'"))
        let loaded = try Program.run(Program.afcache, load + ["old.zip"], in: scratch.path)
        #expect(loaded.text.hasPrefix("replaced 'd' \(sentence)"), "\(loaded.text)")
    }

    @Test func `an installed package must be signed, too, if a signature is required`() async throws {
        let scratch = try Scratch()
        let keygen = try Program.run(Program.afcache, ["keygen", "-o", scratch.path("key")])
        #expect(keygen.status == 0, "\(keygen.errors)")
        let package = try Self.package("d", "not signed", in: scratch)
        let answer = TestOrigin.Answer(200, [("ETag", "\"1\"")], body: package)
        try await TestOrigin.withOrigin(["/d.zip": [answer]]) { origin in
            let load = ["load", origin.base + "/d.zip", "--cache", scratch.path("store")]
            let first = try Program.run(Program.afcache, load)
            #expect(first.status == 0, "\(first.errors)")
            let trust = ["--require-signature", "--trust", scratch.path("key.pub")]
            let second = try Program.run(Program.afcache, load + trust)
            #expect(second.status == 15, "\(second.errors)")
            #expect(!origin.requests[1].fields.contains { $0.hasPrefix("If-None-Match") })
        }
        let file = "version: 1\ncache: store\npackages: [{ from: d.zip }]\n"
        try scratch.write(Array(file.utf8), to: "sync.yaml")
        let before = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
        #expect(before.status == 0, "\(before.errors)")
        try scratch.write(Array((file + "require-signature: true\ntrust: [key.pub]\n").utf8), to: "sync.yaml")
        let after = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
        #expect(after.text == "failed    'd'\n")
        #expect(after.status == 5)
    }

    @Test func `an encrypted package loads with its password only`() throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        try scratch.write(Array("secret\n".utf8), to: "password")
        try scratch.write(Array("wrong\n".utf8), to: "wrong")
        try scratch.write(Array("<p>hidden".utf8), to: "in/index.html")
        let pack = [
            "pack", "--no-folder-urls", "--folder", scratch.path("in"), "--base-url", "http://e.example", "--encrypt",
            "--password-file",
            scratch.path("password"), "-o", scratch.path("e.zip"),
        ]
        #expect(try Program.run(Program.afcache, pack).status == 0)
        let load = ["load", scratch.path("e.zip"), "--cache", store]
        #expect(try Program.run(Program.afcache, load).status == 16)
        #expect(try Program.run(Program.afcache, load + ["--password-file", scratch.path("wrong")]).status == 16)
        let loaded = try Program.run(Program.afcache, load + ["--password-file", scratch.path("password")])
        #expect(loaded.status == 0, "\(loaded.errors)")
        #expect(try Self.body("e", store) == "<p>hidden")
    }
}
