import Foundation
import TestSupport
import Testing

/// Web archives, caches of apps and MHTML files that become packages (docs/reference/archives.md), with the built program.
struct SavedPageTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    private func body(_ url: String) throws -> String { try run("get", url, "--package", "o.zip").text }

    private func head(_ url: String) throws -> String {
        try run("get", url, "--package", "o.zip", "-i").text.lowercased()
    }

    private func urls() throws -> [String] {
        try run("ls", "o.zip").text.split(separator: "\n").map { line in String(line.split(separator: " ").last ?? "") }
    }

    private func python(_ script: String, _ arguments: String...) throws {
        let result = try Program.run("python3", ["-c", script] + arguments, in: scratch.path)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// Expects that commands that take packages take the file, too.
    private func expectListed(_ file: String, _ url: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let caches = ["XDG_CACHE_HOME": scratch.path("c")]
        let listed = try Program.run(Program.afcache, ["ls", file], in: scratch.path, environment: caches)
        #expect(listed.text.contains(url), "\(listed.errors)", sourceLocation: sourceLocation)
    }

    /// Inverts some bytes of a file, and cuts it.
    private func expectNoTrap(_ file: String, every step: Int, _ format: String) throws {
        let whole = try scratch.read(file)
        for place in stride(from: 0, to: whole.count, by: step) {
            var bytes = whole
            bytes[place] ^= 0xFF
            for part in [bytes, Array(whole[..<place])] {
                try scratch.write(part, to: "x")
                let result = try run("import", "x", "-o", "x.zip", "--overwrite", "--from", format)
                #expect([0, 5, 6, 10].contains(result.status), "\(place): \(result.status) \(result.errors)")
            }
        }
    }

    // MARK: Web archives

    private static let webArchive = """
        import plistlib, sys
        U = plistlib.UID
        def response(url, status, fields):
            names, values = list(fields), list(fields.values())
            objects = ["$null", {"$0": 1, "$1": U(2), "$2": 725760000.5, "$3": status, "$4": U(3), "$class": U(0)},
                       {"NS.base": U(0), "NS.relative": U(4)},
                       {"NS.keys": [U(5 + n) for n in range(len(names))],
                        "NS.objects": [U(5 + len(names) + n) for n in range(len(names))]}, url, *names, *values]
            return plistlib.dumps({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"WebResourceResponse": U(1)},
                                   "$objects": objects}, fmt=plistlib.FMT_BINARY)
        def resource(url, data, kind, charset=None, answer=None):
            value = {"WebResourceURL": url, "WebResourceData": data, "WebResourceMIMEType": kind}
            if charset: value["WebResourceTextEncodingName"] = charset
            if answer: value["WebResourceResponse"] = answer
            return value
        frame = {"WebMainResource": resource("http://a.example/f", b"frame", "text/html"),
                 "WebSubresources": [resource("http://b.example/i.png", b"\\x89PNG", "image/png")]}
        again = {"WebMainResource": resource("http://a.example/", b"an older frame", "text/html")}
        fields = {"Content-Type": "text/css; charset=x", "Content-Encoding": "gzip", "Content-Length": "9999",
                  "Transfer-Encoding": "chunked", "Set-Cookie": "a=1", "ETag": '"1"'}
        archive = {"WebMainResource": resource("http://a.example/", "<p>é".encode("latin-1"), "text/html", "ISO-8859-1"),
                   "WebSubresources": [
                       resource("http://a.example/s.css", b"p{}", "text/css", None, response("http://a.example/s.css", 200, fields)),
                       resource("http://a.example/gone", b"gone", "text/html", None, response("http://a.example/gone", 404, {"X": "y"})),
                       resource("http://a.example/none", b"", "text/html", None, response("http://a.example/none", 204, {"X": "y"})),
                       resource("file:///x", b"x", "text/plain"), resource("about:blank", b"", "text/html"),
                       {"WebResourceURL": "http://a.example/nothing"}, {"WebResourceURL": 7}],
                   "WebSubframeArchives": [frame, again]}
        for name, kind in (("a.webarchive", plistlib.FMT_BINARY), ("x.webarchive", plistlib.FMT_XML)):
            if kind == plistlib.FMT_XML:
                for r in archive["WebSubresources"]: r.pop("WebResourceResponse", None)
            open(name, "wb").write(plistlib.dumps(archive, fmt=kind))
        """

    @Test func `a web archive of Safari has the page, its frames and what they loaded`() throws {
        try python(Self.webArchive)
        let result = try run("import", "a.webarchive", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try urls() == [
                "http://a.example/", "http://a.example/f", "http://a.example/gone", "http://a.example/s.css",
                "http://b.example/i.png",
            ]
        )
        #expect(try run("get", "http://a.example/", "--package", "o.zip").output == Array("<p>".utf8) + [0xE9])
        #expect(try head("http://a.example/").contains("content-type: text/html; charset=iso-8859-1"))
        let style = try head("http://a.example/s.css")
        #expect(style.contains("etag: \"1\"") && style.contains("p{}") && !style.contains("set-cookie"), "\(style)")
        #expect(try head("http://a.example/gone").contains("404"))
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        for count in ["\"scheme\":2", "\"no-body\":1", "\"bad-url\":1", "\"status\":1", "\"older\":1"] {
            #expect(report.contains(count), "\(count) in \(report)")
        }
        let info = try run("info", "o.zip").text
        #expect(
            info.contains("seeds     http://a.example/") && info.contains("created   2024-01-01T00:00:00Z"),
            "\(info)"
        )
        try expectListed("a.webarchive", "http://a.example/s.css")
        #expect(try run("import", "x.webarchive", "-o", "o.zip", "--overwrite").status == 0)
        #expect(try urls().count == 6 && body("http://a.example/f") == "frame")
        try expectListed("x.webarchive", "http://a.example/s.css")
    }

    @Test func `a property list that is no web archive, or lies, is refused`() throws {
        try python("import plistlib; open('l', 'wb').write(plistlib.dumps({'a': 1}, fmt=plistlib.FMT_BINARY))")
        let refused = try run("import", "l", "-o", "o.zip")
        #expect(refused.status == 10 && refused.errors.contains("it has no WebMainResource"), "\(refused.errors)")
        try python(Self.webArchive)
        try expectNoTrap("a.webarchive", every: 31, "webarchive")
    }

    // MARK: Caches

    private static let cache = """
        import base64, os, plistlib, sqlite3, sys
        version = sys.argv[1]
        def dump(value): return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)
        def response(url, status, fields, kind="text/html", time=725760000.0):
            fields = dict(fields, __hhaa__=base64.b64encode(dump({k: [v] for k, v in fields.items()})).decode())
            return dump({"Version": 1, "Array": [{"_CFURLStringType": 15, "_CFURLString": url}, time, 0, status, fields, 4, kind]})
        def request(url, method, fields):
            link = {"_CFURLStringType": 15, "_CFURLString": url}
            array = [False, link, 60.0, method, fields] if version == "old" else \\
                [False, link, 60.0, 0, link, *[0] * 13, method, fields, "__CFURLRequestNullTokenString__"]
            return dump({"Version": 9, "Array": array})
        os.makedirs("fsCachedData", exist_ok=True)
        open("fsCachedData/6B0A", "wb").write(b"large")
        open("secret", "wb").write(b"secret")
        db = sqlite3.connect("Cache.db")
        if version == "wal": db.execute("PRAGMA journal_mode = WAL"); db.execute("PRAGMA wal_autocheckpoint = 0")
        partition, disk = ("", "") if version == "old" else (", partition TEXT", "isDataOnFS INTEGER, ")
        db.executescript(f'''
            CREATE TABLE cfurl_cache_schema_version(schema_version INTEGER);
            CREATE TABLE cfurl_cache_response(entry_ID INTEGER PRIMARY KEY AUTOINCREMENT UNIQUE, version INTEGER,
              hash_value INTEGER, storage_policy INTEGER, request_key TEXT UNIQUE,
              time_stamp NOT NULL DEFAULT CURRENT_TIMESTAMP{partition});
            CREATE TABLE cfurl_cache_blob_data(entry_ID INTEGER PRIMARY KEY, response_object BLOB, request_object BLOB,
              proto_props BLOB, user_info BLOB);
            CREATE TABLE cfurl_cache_receiver_data(entry_ID INTEGER PRIMARY KEY, {disk}receiver_data BLOB);''')
        def add(key, body, status=200, fields={"Content-Type": "text/html"}, method="GET", disk=0, sent={}, url=None, **more):
            url = url or key
            cursor = db.execute("INSERT INTO cfurl_cache_response (request_key, time_stamp) VALUES (?, '2024-05-01 00:00:00')", [key])
            row = cursor.lastrowid
            db.execute("INSERT INTO cfurl_cache_blob_data (entry_ID, response_object, request_object) VALUES (?, ?, ?)",
                       [row, response(url, status, fields, **more) if status else b"junk", request(url, method, sent)])
            if version == "old": db.execute("INSERT INTO cfurl_cache_receiver_data VALUES (?, ?)", [row, body])
            elif body is not None: db.execute("INSERT INTO cfurl_cache_receiver_data VALUES (?, ?, ?)", [row, disk, body])
        add("http://a.example/", b"home", fields={"Content-Type": "text/html", "Set-Cookie": "a=1", "Vary": "Accept"}, sent={"Accept": "x"})
        add("http://a.example/z", b"<p>plain", fields={"Content-Encoding": "br", "Content-Length": "4"}, kind="text/html")
        add("http://a.example/r", b"", status=302, fields={"Location": "/"})
        add("http://a.example/post", b"x", method="POST")
        add("http://a.example/junk", b"x", status=0)
        add("data:text/plain,x", b"x")
        if version != "old":
            add("_CFURLCachePartition=site.example http://a.example/p", b"in a partition", url="http://a.example/p")
            add("http://a.example/large", b"6B0A", disk=1)
            add("http://a.example/out", b"../secret", disk=1)
            add("http://a.example/lost", "6B0B", disk=1)
            add("http://a.example/nobody", None)
        db.commit()
        if version == "wal": os.system("cp Cache.db w.db; cp Cache.db-wal w.db-wal")
        db.close()
        if version == "wal": os.rename("w.db", "Cache.db"); os.rename("w.db-wal", "Cache.db-wal")
        """

    @Test(arguments: ["new", "old", "wal"])
    func `a cache of an app has its responses, and nothing is written beside it`(version: String) throws {
        try python(Self.cache, version)
        let before = try scratch.read("Cache.db")
        let names = scratch.names
        let result = try run("import", "Cache.db", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try scratch.read("Cache.db") == before && scratch.names == (names + ["o.zip", "r.json"]).sorted())
        let more = version == "old" ? [] : ["http://a.example/large", "http://a.example/p"]
        #expect(
            try urls()
                == ["http://a.example/"] + more + ["http://a.example/r", "http://a.example/z"]
        )
        let home = try head("http://a.example/")
        #expect(home.contains("vary: accept") && home.contains("home") && !home.contains("set-cookie"), "\(home)")
        #expect(try head("http://a.example/z").contains("<p>plain") && head("http://a.example/r").contains("302"))
        if version != "old" {
            #expect(try body("http://a.example/large") == "large" && body("http://a.example/p") == "in a partition")
        }
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        for count in ["\"method\":1", "\"no-head\":1", "\"scheme\":1"] + (version == "old" ? [] : ["\"no-body\":3"]) {
            #expect(report.contains(count), "\(count) in \(report)")
        }
        #expect(try run("info", "o.zip").text.contains("created   2024-01-01T00:00:00Z"))
        if version != "wal" { try expectListed("Cache.db", "http://a.example/z") }
    }

    @Test(arguments: [
        "CREATE TABLE a(b)",
        "CREATE TABLE cfurl_cache_receiver_data(entry_ID, receiver_data); CREATE VIEW cfurl_cache_response AS "
            + "WITH RECURSIVE n(entry_ID, request_key) AS (SELECT 1, 'x' UNION ALL SELECT entry_ID + 1, 'x' FROM n) SELECT * FROM n",
        "CREATE TABLE cfurl_cache_response(entry_ID, request_key AS (zeroblob(1000000000))); "
            + "CREATE TABLE cfurl_cache_receiver_data(entry_ID, receiver_data)",
    ])
    func `a database that is no cache of an app is refused`(sql: String) throws {
        try python("import sqlite3, sys; d = sqlite3.connect('d.db'); d.executescript(sys.argv[1])", sql)
        let refused = try run("import", "d.db", "-o", "o.zip")
        #expect(refused.status == 10 && refused.errors.contains("is not a cache of NSURLCache"), "\(refused.errors)")
        #expect(scratch.names == ["d.db"])
    }

    @Test func `any byte of an app's cache may be wrong`() throws {
        try python(Self.cache, "new")
        try expectNoTrap("Cache.db", every: 997, "urlcache")
    }

    // MARK: MHTML

    private func write(mhtml parts: String..., end: String = "--b--", to name: String = "p.mhtml") throws {
        let head = """
            From: <Saved by Blink>
            Snapshot-Content-Location: http://a.example/d/
            Subject: page
            Date: Mon, 1 Jan 2024 00:00:00 GMT
            MIME-Version: 1.0
            Content-Type: multipart/related; type="text/html"; boundary="b"


            """
        let text = head + parts.map { "--b\n\($0)\n" }.joined() + end + "\n"
        try scratch.write(Array(text.replacing("\n", with: "\r\n").utf8), to: name)
    }

    @Test func `an MHTML file has the page and its parts, those without a URL on the page's host`() throws {
        try write(
            mhtml: """
                Content-Type: text/html
                Content-ID: <frame-1@m>
                Content-Transfer-Encoding: quoted-printable
                Content-Location: http://a.example/d/

                <link href=3D"cid:css-1@m"><iframe src=3D"cid:frame-2@m"></iframe> cid:other=
                """,
            "Content-Type: text/css\nContent-Transfer-Encoding: base64\nContent-Location: cid:css-1@m\n\ncHt9",
            "Content-Type: text/html\nContent-ID: <frame-2@m>\nContent-Location: about:srcdoc\n\nframe",
            "Content-Type: image/png\nContent-Location: i.png\n\npng",
            "Content-Type: text/plain\n\nnobody's",
            "Content-Type: text/plain\nContent-Location: file:///x\n\nx",
            "Content-Type: text/plain\nContent-Location: http://a.example/bad\nContent-Transfer-Encoding: base64\n\n!"
        )
        let result = try run("import", "p.mhtml", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 5, "\(result.errors)")
        let (style, frame) = ("http://a.example/~cid/css-1%40m", "http://a.example/~cid/frame-2%40m")
        #expect(try Set(urls()) == ["http://a.example/d/", "http://a.example/d/i.png", style, frame])
        #expect(
            try body("http://a.example/d/") == "<link href=\"\(style)\"><iframe src=\"\(frame)\"></iframe> cid:other"
        )
        #expect(try body(style) == "p{}" && body(frame) == "frame" && head(style).contains("content-type: text/css"))
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        for count in ["\"bad-url\":1", "\"scheme\":1", "\"cut\":1"] {
            #expect(report.contains(count), "\(count) in \(report)")
        }
        let info = try run("info", "o.zip").text
        #expect(
            info.contains("seeds     http://a.example/d/") && info.contains("created   2024-01-01T00:00:00Z"),
            "\(info)"
        )
        try expectListed("p.mhtml", "http://a.example/d/i.png")
    }

    @Test func `an MHTML file that is cut has the parts before`() throws {
        try write(
            mhtml: "Content-Type: text/html\nContent-Location: http://a.example/d/\n\npage",
            "Content-Location: http://a.example/x\n\nx",
            end: ""
        )
        #expect(try run("import", "p.mhtml", "-o", "o.zip").status == 5)
        #expect(try urls() == ["http://a.example/d/"])
        try scratch.write(Array("Content-Type: text/plain\n\nx".utf8), to: "q.mhtml")
        let refused = try run("import", "q.mhtml", "-o", "q.zip", "--from", "mhtml")
        #expect(refused.status == 10 && refused.errors.contains("is not an MHTML file"), "\(refused.errors)")
        try expectNoTrap("p.mhtml", every: 7, "mhtml")
    }
}
