import Foundation
import TestOrigin
import TestSupport
import Testing

/// A folder that a browser opens without a server (docs/reference/export.md), with the built program.
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

    @Test func `a ZIM file has pages, metadata and a main page at the places that its lists say`() throws {
        let scratch = try Self.made()
        for name in ["a.zim", "b.zim"] {
            let result = try Self.export(scratch, ["-o", name])
            #expect(result.status == 0 && result.text.contains("2 pages to search; open"), "\(result.errors)")
        }
        let file = try scratch.read("a.zim")
        #expect(try file == scratch.read("b.zim"))
        func number(_ offset: Int, _ size: Int) -> Int {
            file[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        #expect(number(0, 4) == 72_173_914 && number(4, 2) == 6 && number(6, 2) == 1)
        // The checksum is that of everything before it.
        let end = number(72, 8)
        #expect(end == file.count - 16)
        try scratch.write(Array(file[..<end]), to: "sum")
        let sum = try Program.run("md5sum", ["sum"], in: scratch.path).text.prefix(32)
        #expect(file[end...].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == sum)
        var names: [String] = []
        for index in 0..<number(24, 4) {
            let entry = number(number(32, 8) + 8 * index, 8)
            let path = file[(entry + (number(entry, 2) == 0xFFFF ? 12 : 16))...].prefix { $0 != 0 }
            names.append(String(decoding: [file[entry + 3], UInt8(ascii: "/")] + path, as: UTF8.self))
        }
        #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        #expect(
            Array(names.prefix(4)) == [
                "C/d.example/", "C/d.example/guide/", "C/d.example/guide/index.html", "C/d.example/index.html",
            ]
        )
        #expect(names.suffix(3) == ["M/Title", "W/mainPage", "X/listing/titleOrdered/v1"])
        #expect(names[number(64, 4)] == "W/mainPage")

        try scratch.write(Array("text".utf8), to: "other.zim")
        let refused = try Self.export(scratch, ["-o", "other.zim"])
        #expect(refused.status == 11 && refused.errors.contains("is not a ZIM file"))
        #expect(try Self.text(scratch, "other.zim") == "text")
    }

    @Test func `a web archive has each response at the place that its index says`() throws {
        let scratch = try Self.made()
        for name in ["a.wacz", "b.wacz"] {
            let result = try Self.export(scratch, ["-o", name])
            #expect(
                result.status == 0 && result.text.hasPrefix("exported: 5 responses, 0 redirects, "),
                "\(result.text)"
            )
        }
        #expect(try scratch.read("a.wacz") == scratch.read("b.wacz"))
        func member(_ name: String) throws -> [UInt8] {
            try Program.run("unzip", ["-p", scratch.path("a.wacz"), name]).output
        }
        let records = try member("archive/data.warc.gz")
        let index = String(decoding: try member("indexes/index.cdx"), as: UTF8.self).split(separator: "\n")
        #expect(index.count == 5 && index == index.sorted())
        for line in index {
            let parts = line.split(separator: " ", maxSplits: 2)
            #expect(parts[0].hasPrefix("example,d)/") && parts[1].count == 14)
            let entry = try #require(
                try JSONSerialization.jsonObject(with: Data(parts[2].utf8)) as? [String: String]
            )
            let offset = try #require(entry["offset"].flatMap { Int($0) })
            let length = try #require(entry["length"].flatMap { Int($0) })
            try scratch.write(Array(records[offset..<(offset + length)]), to: "record.gz")
            let record = try Program.run("gzip", ["-dc", scratch.path("record.gz")])
            #expect(record.status == 0 && record.text.hasPrefix("WARC/1.1\r\nWARC-Type: response\r\n"))
            #expect(record.text.contains("\r\nWARC-Target-URI: \(entry["url"] ?? "?")\r\n"))
            #expect(record.text.contains("\r\nWARC-Payload-Digest: \(entry["digest"] ?? "?")\r\n"))
            #expect(record.text.contains("\r\n\r\nHTTP/1.1 200 OK\r\n") && record.text.hasSuffix("\r\n\r\n"))
        }
        let pages = String(decoding: try member("pages/pages.jsonl"), as: UTF8.self)
        #expect(pages.contains("\"title\":\"Tides\"") && pages.hasPrefix("{\"format\": \"json-pages-1.0\""))
        let description = try member("datapackage.json")
        try scratch.write(description, to: "datapackage.json")
        let sum = try Program.run("sha256sum", [scratch.path("datapackage.json")]).text.prefix(64)
        #expect(String(decoding: try member("datapackage-digest.json"), as: UTF8.self).contains("sha256:\(sum)"))
        #expect(String(decoding: description, as: UTF8.self).contains("\"mainPageUrl\":\"https://d.example/\""))
    }

    @Test func `a web archive of a crawl becomes the same package again`() async throws {
        let scratch = try Scratch()
        let page =
            "<title>T</title><meta name=robots content=noai><a href=/old>o</a><a href=/gone>g</a><img src=/i.gif>"
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.init(200, [("Content-Type", "text/html"), ("Vary", "Accept-Encoding")], body: Array(page.utf8))],
            "/old": [.redirect("/new")], "/new": [.html("<p>new")], "/i.gif": [.text("GIF89a", type: "image/gif")],
            "/robots.txt": [.text("User-agent: *\nContent-Usage: train-ai=n\n")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            func run(_ arguments: String...) throws -> String {
                let result = try Program.run(Program.afcache, arguments, in: scratch.path)
                #expect([0, 5].contains(result.status), "\(arguments) \(result.errors)")
                return result.text
            }
            func digest(_ file: String) throws -> Substring? {
                try run("info", file).split(separator: "\n").first { $0.contains(" digest ") }
            }
            _ = try run("pack", origin.base + "/", "--allow-private", "--max-age", "1d", "-o", "p.zip")
            _ = try run("export", "p.zip", "-o", "p.wacz")
            _ = try run("import", "p.wacz", "-o", "back.zip", "--max-age", "1d")
            #expect(try digest("p.zip") == digest("back.zip"))
            let names = try Program.run("unzip", ["-l", scratch.path("p.wacz")]).text
            #expect(names.contains(" afcache/crawl\n") && names.contains(" afcache/absent\n"), "\(names)")
            // An archive with other responses is a package of its own.
            _ = try run("import", "p.wacz", "-o", "part.zip", "--exclude", "*/i.gif")
            let part = try Program.run("unzip", ["-l", scratch.path("part.zip")]).text
            #expect(!part.contains("crawl.json"), "\(part)")
        }
    }

    @Test func `a HAR has the bodies and fields, and becomes the same package again`() throws {
        let scratch = try Self.made()
        for name in ["a.har", "b.har"] {
            let result = try Self.export(scratch, ["-o", name])
            #expect(result.status == 0 && result.text.hasPrefix("exported: 5 responses, "), "\(result.errors)")
        }
        #expect(try scratch.read("a.har") == scratch.read("b.har"))
        let script = """
            import base64, json, sys
            for entry in json.load(open(sys.argv[1]))["log"]["entries"]:
                request, response = entry["request"], entry["response"]
                body = base64.b64decode(response["content"]["text"])
                print(request["method"], request["url"], response["status"], len(body) == response["content"]["size"])
            """
        let read = try Program.run("python3", ["-c", script, scratch.path("a.har")])
        let urls = ["", "guide/", "guide/index.html", "index.html", "s.css"].map {
            "GET https://d.example/\($0) 200 True"
        }
        #expect(read.text.split(separator: "\n").map(String.init).sorted() == urls, "\(read.errors)")
        let back = try Program.run(Program.afcache, ["import", "a.har", "-o", "back.zip"], in: scratch.path)
        #expect(back.status == 0, "\(back.errors)")
        for url in ["https://d.example/", "https://d.example/s.css"] {
            func body(_ package: String) throws -> [UInt8] {
                try Program.run(Program.afcache, ["get", url, "--package", package], in: scratch.path).output
            }
            #expect(try body("p.zip") == body("back.zip") && !body("p.zip").isEmpty)
        }
        try scratch.write(Array("{}".utf8), to: "other.har")
        #expect(try Self.export(scratch, ["-o", "other.har"]).status == 11)
    }

    @Test func `a record file has a body of several URLs once, and replaces nothing but an older one`() throws {
        let scratch = try Self.made()
        let text = Array(String(repeating: "the same text ", count: 1000).utf8)
        for name in ["in/one.txt", "in/two.txt"] { try scratch.write(text, to: name) }
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        for _ in 1...2 { #expect(try Self.export(scratch, ["-o", "a.warc"]).status == 0) }
        let records = try Self.text(scratch, "a.warc")
        #expect(records.components(separatedBy: String(decoding: text, as: UTF8.self)).count == 2)
        let revisit = try #require(
            records.components(separatedBy: "WARC/1.1\r\n").first { $0.contains(": revisit\r\n") }
        )
        #expect(revisit.contains("WARC-Target-URI: https://d.example/two.txt\r\n"))
        #expect(revisit.contains("WARC-Refers-To-Target-URI: https://d.example/one.txt\r\n"))
        #expect(revisit.contains("WARC-Refers-To: <urn:uuid:") && revisit.contains("WARC-Refers-To-Date: 2"))
        #expect(try Self.export(scratch, ["-o", "a.warc.gz"]).status == 0)
        #expect(try Program.run("gzip", ["-dc", "a.warc.gz"], in: scratch.path).text == records)
        for name in ["p.zip", "in/s.css"] {
            let before = try scratch.read(name)
            let refused = try Self.export(scratch, ["-o", name, "--as", "wacz"])
            #expect(refused.status == 11 && refused.errors.contains("is not a web archive; choose another path"))
            #expect(try scratch.read(name) == before)
        }
        #expect(try Self.export(scratch, ["-o", "b.wacz", "--scripts", "drop"]).status == 64)
        #expect(scratch.names.sorted() == ["a.warc", "a.warc.gz", "in", "p.zip"])
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

    // MARK: One file

    /// Reads an exported file as its script does: `TABLE`, then a line for each row, with its body.
    private static let reader = """
        import base64, json, re, sys, zlib
        text = open(sys.argv[1], encoding="utf-8").read()
        assert text.startswith("<!doctype html>\\n<!-- a site exported by afcache, version 1 -->\\n")
        blocks = {k: zlib.decompress(base64.b64decode(v), -15) for k, v in re.findall(r"<script type=x id=([a-z]\\d+)>([^<]*)</script>", text)}
        stream = lambda name: b"".join(blocks[f"{name}{i}"] for i in range(sum(k[0] == name for k in blocks)))
        table = json.loads(stream("t"))
        assert len(stream("t")) == json.loads(re.search(r"id=config>(.*?)</script>", text)[1])["table"]
        for url, kind, start, size, encoding, flags, date in table["rows"]:
            print(url, kind, encoding, flags, stream("b")[start:start + size].decode())
        for name, (start, size) in sorted(table["words"].items()):
            print(name, len(stream("s")[start:start + size]) == size)
        print(json.dumps(table["redirects"]))
        """

    private static func rows(_ scratch: Scratch, _ name: String) throws -> [Substring] {
        let result = try Program.run("python3", ["-c", reader, name], in: scratch.path)
        try #require(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n")
    }

    @Test func `one file has all bodies, what its first page loads before the others, and a search`() throws {
        let scratch = try Self.made()
        let result = try Self.export(scratch, ["-o", "out.html"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasSuffix("2 pages to search; open 'out.html'\n"), "\(result.text)")
        let rows = try Self.rows(scratch, "out.html")
        #expect(
            rows.prefix(3) == [
                "https://d.example/ text/html windows-1252 1 <title>Home</title>"
                    + "<link rel=stylesheet href=http://1.afcache.invalid/><p>Welcome to the harbour.</p><a href=/guide/>Guide</a>",
                "https://d.example/s.css text/css utf-8 0 p { color: red }",
                "https://d.example/guide/ text/html windows-1252 0 <title>Tides</title><p>Spring tides and neap tides.</p>",
            ],
            "\(rows)"
        )
        #expect(rows.contains("words-74.js True") && rows.contains("documents.js True") && rows.last == "{}")
        let page = try Self.text(scratch, "out.html")
        #expect(page.contains("content=\"default-src 'none'; script-src") && page.contains("frame-src 'none'"))
        #expect(try Self.export(scratch, ["-o", "again.html"]).status == 0)
        #expect(try Self.export(scratch, ["-o", "out.html"]).status == 0)
        #expect(try scratch.read("again.html") == scratch.read("out.html"))
    }

    @Test func `one page goes into a file with what it loads`() throws {
        let scratch = try Self.made()
        #expect(try Self.export(scratch, ["-o", "out.html", "--page", "https://d.example/"]).status == 0)
        let urls = try Self.rows(scratch, "out.html").map { $0.split(separator: " ")[0] }
        #expect(urls == ["https://d.example/", "https://d.example/s.css", "{}"], "\(urls)")
        let absent = try Self.export(scratch, ["-o", "none.html", "--page", "https://d.example/none"])
        #expect(absent.status == 11 && absent.errors.contains("no package has this page"), "\(absent.errors)")
        #expect(try Self.export(scratch, ["-o", "out/", "--page", "https://d.example/"]).status == 64)
        #expect(try Program.run("ls", ["-A"], in: scratch.path).text == "in\nout.html\np.zip\n")
    }

    @Test func `media go beside a file on request, and replace only media of an older export`() throws {
        let scratch = try Self.made()
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip", "--overwrite"]
        try scratch.write([0, 1, 2, 3], to: "in/a/film.mp4")
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let beside = ["-o", "out.html", "--media-beside"]
        for _ in 1...2 { #expect(try Self.export(scratch, beside).status == 0) }
        #expect(try scratch.read("out.media/d.example/a/film.mp4") == [0, 1, 2, 3])
        #expect(try Self.text(scratch, "out.html").contains("media-src blob: data: file:;"))
        // Nothing is beside a file without media of its own, or with all in itself.
        #expect(try Self.export(scratch, ["-o", "whole.html"]).status == 0)
        #expect(try Self.text(scratch, "whole.html").contains("media-src blob: data:;"))
        try scratch.write([9], to: "mine.media/mine")
        let refused = try Self.export(scratch, ["-o", "mine.html", "--media-beside"])
        #expect(refused.status == 11 && refused.errors.contains("mine.media"), "\(refused.errors)")
        #expect(try Self.export(scratch, ["-o", "out/", "--media-beside"]).status == 64)
        #expect(
            try Program.run("ls", ["-A"], in: scratch.path).text
                == "in\nmine.media\nout.html\nout.media\np.zip\nwhole.html\n"
        )
    }

    @Test func `a file that isn't an export, or would be too large, isn't written`() throws {
        let scratch = try Self.made()
        try scratch.write(Array("<!doctype html>\nmine".utf8), to: "mine.html")
        let refused = try Self.export(scratch, ["-o", "mine.html"])
        #expect(refused.status == 11 && refused.errors.contains("this file is no export, so it isn't replaced"))
        #expect(try Self.text(scratch, "mine.html") == "<!doctype html>\nmine")
        let large = try Self.export(scratch, ["-o", "large.html", "--max-bytes", "100"])
        #expect(large.status == 11 && large.errors.contains("export a folder, or allow more with '--max-bytes'"))
        let folder = try Self.export(scratch, ["-o", "none/out.html"])
        #expect(folder.status == 11 && folder.errors.contains("there is no folder"), "\(folder.errors)")
        #expect(try Program.run("ls", ["-A"], in: scratch.path).text == "in\nmine.html\np.zip\n")
    }

    @Test func `the form is what the path says, unless the option says it`() throws {
        let scratch = try Self.made()
        #expect(try Self.export(scratch, ["-o", "a.html", "--as", "folder"]).status == 0)
        #expect(
            try Self.export(scratch, ["-o", "b", "--as", "html", "--json"]).text.hasPrefix(
                "{\"file\":\"b\",\"files\":3,"
            )
        )
        #expect(try Self.text(scratch, "a.html/index.html").contains("d.example/index.html"))
        #expect(try Self.text(scratch, "b").contains("id=t0"))
        // A folder of that name is an older export.
        #expect(try Self.export(scratch, ["-o", "a.html"]).text.contains("open 'a.html/index.html'"))
    }
}
