import Foundation
import TestSupport
import Testing

/// ZIM files that become packages (docs/reference/archives.md), with the built program.
struct ZIMTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    /// Writes a ZIM file with one plain cluster: entries are namespace and path, and a text or the number of another entry.
    private func write(
        _ entries: [(name: String, content: String)],
        minor: Int = 1,
        main: Int = 0,
        kind: Int = 1,
        isXZ: Bool = false
    ) throws {
        let script = """
            import hashlib, json, lzma, struct, sys
            entries, minor, main, kind, xz = json.loads(sys.argv[1])
            blobs, records = [], []
            for name, content in entries:
                namespace, path = name[0].encode(), name[1:].encode()
                if content.startswith(">"):
                    records.append(struct.pack("<HBcII", 0xFFFF, 0, namespace, 0, int(content[1:])) + path + b"\\0\\0")
                else:
                    records.append(struct.pack("<HBcIII", 0, 0, namespace, 0, 0, len(blobs)) + path + b"\\0\\0")
                    blobs.append(content.encode())
            types = b"text/html\\0\\0"
            start = 80 + len(types)
            place = start + 8 * len(records) + 8
            offsets = [place + sum(map(len, records[:number])) for number in range(len(records))]
            cluster = place + sum(map(len, records))
            table, ends = 4 * (len(blobs) + 1), [sum(map(len, blobs[:number])) for number in range(len(blobs) + 1)]
            data = b"".join(struct.pack("<I", table + end) for end in ends) + b"".join(blobs)
            data = bytes([kind]) + (lzma.compress(data) if xz else data)
            end = cluster + len(data)
            head = struct.pack("<IHH16sIIQQQQIIQ", 72173914, 6, minor, b"u" * 16, len(records), 1, start, start,
                               start + 8 * len(records), 80, main, 0xFFFFFFFF, end)
            file = head + types + b"".join(struct.pack("<Q", offset) for offset in offsets) + struct.pack("<Q", cluster)
            file += b"".join(records) + data
            open(sys.argv[2], "wb").write(file + hashlib.md5(file).digest())
            """
        let list = try JSONSerialization.data(withJSONObject: [
            entries.map { [$0.name, $0.content] }, minor, main, kind, isXZ,
        ])
        let made = try Program.run(
            "python3",
            ["-c", script, String(decoding: list, as: UTF8.self), scratch.path("a b.zim")]
        )
        #expect(made.status == 0, "\(made.errors)")
    }

    private func urls() throws -> [String] {
        try run("ls", "o.zip", "--json").text.split(separator: "\n").compactMap { line in
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return json?["url"] as? String
        }
    }

    @Test func `entries of the one namespace with content are resources, and its redirects redirects`() throws {
        try write(
            [
                ("Chome", "<title>Home</title>"), ("Cstart", ">0"), ("Csub/a?.html", "a"), ("MDate", "2024-05-01"),
                ("MName", "small_en"), ("WmainPage", ">0"), ("Xindex", "words"),
            ],
            main: 5
        )
        let result = try run("import", "a b.zim", "-o", "o.zip", "--report", "r.json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasPrefix("imported as 'o.zip': 2 resources, 1 redirect, "))
        #expect(try urls() == ["http://a-b.zim/home", "http://a-b.zim/start", "http://a-b.zim/sub/a%3F.html"])
        #expect(try run("get", "http://a-b.zim/sub/a%3F.html", "--package", "o.zip").text == "a")
        let head = try run("get", "http://a-b.zim/home", "--package", "o.zip", "-i").text.lowercased()
        #expect(head.contains("content-type: text/html"))
        let info = try run("info", "o.zip").text
        #expect(info.contains("small_en") && info.contains("seeds     http://a-b.zim/home"), "\(info)")
        #expect(info.contains("created   2024-05-01T00:00:00Z"))
        #expect(String(decoding: try scratch.read("r.json"), as: UTF8.self).contains("\"zim X\":1"))
        // The file as it is.
        let caches = ["XDG_CACHE_HOME": scratch.path("c")]
        let listed = try Program.run(Program.afcache, ["ls", "a b.zim"], in: scratch.path, environment: caches)
        #expect(listed.text.contains("http://a-b.zim/home"), "\(listed.errors)")
    }

    @Test func `older files have articles and images in namespaces, which are folders`() throws {
        try write(
            [("-style", "p {}"), ("Ahome", "<img src=../I/p>"), ("Ip", "image"), ("MTitle", "t"), ("Usub", "u")],
            minor: 0,
            main: 1
        )
        #expect(try run("import", "a b.zim", "-o", "o.zip", "--base-url", "https://w.example/wiki/").status == 0)
        #expect(
            try urls() == [
                "https://w.example/wiki/-/style", "https://w.example/wiki/A/home", "https://w.example/wiki/I/p",
            ]
        )
        #expect(try run("info", "o.zip").text.contains("seeds     https://w.example/wiki/A/home"))
        let refused = try run("import", "a b.zim", "-o", "o.zip", "--overwrite", "--base-url", "https://w.example/wiki")
        #expect(refused.status == 64 && refused.errors.contains("must end with a slash"))
    }

    @Test func `a redirect that leads nowhere is lost, and the rest is taken`() throws {
        try write([("Ca", "a"), ("Cb", ">9")])
        let result = try run("import", "a b.zim", "-o", "o.zip")
        #expect(result.status == 5 && result.errors.contains("entry 2"), "\(result.errors)")
        #expect(try urls() == ["http://a-b.zim/a"])
    }

    @Test func `a file with another checksum is taken, with a remark`() throws {
        try write([("Ca", "a")])
        var bytes = try scratch.read("a b.zim")
        bytes[bytes.count - 17] = UInt8(ascii: "b")
        try scratch.write(bytes, to: "a b.zim")
        let result = try run("import", "a b.zim", "-o", "o.zip")
        #expect(result.status == 5 && result.errors.contains("another digest"), "\(result.errors)")
        #expect(try run("get", "http://a-b.zim/a", "--package", "o.zip").text == "b")
    }

    @Test(arguments: [
        (4, "can't be decompressed"), (2, "can't be decompressed"), (5, "can't be decompressed"),
    ])
    func `clusters with another compression aren't taken`(kind: Int, words: String) throws {
        try write([("Ca", "a")], kind: kind)
        let result = try run("import", "a b.zim", "-o", "o.zip")
        #expect(result.status == 10 && result.errors.contains(words), "\(result.errors)")
        #expect(scratch.names == ["a b.zim"])
    }

    @Test func `clusters with xz are decompressed`() throws {
        let text = String(repeating: "<p>a text", count: 10_000)
        try write([("Aa", text), ("Ab", "b")], minor: 0, kind: 4, isXZ: true)
        #expect(try run("import", "a b.zim", "-o", "o.zip").status == 0)
        #expect(try run("get", "http://a-b.zim/A/a", "--package", "o.zip").text == text)
        #expect(try run("get", "http://a-b.zim/A/b", "--package", "o.zip").text == "b")
    }

    @Test func `a package that becomes a ZIM file, and that a package, has the same bodies`() throws {
        try scratch.write(Array("<title>Home</title><a href=/s.css>s</a>".utf8), to: "in/index.html")
        try scratch.write(Array(String(repeating: "p { color: red }\n", count: 500_000).utf8), to: "in/s.css")
        try scratch.write(
            (0..<3_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) },
            to: "in/b.png"
        )
        #expect(try run("pack", "--folder", "in", "--base-url", "https://d.example/", "-o", "p.zip").status == 0)
        #expect(try run("export", "p.zip", "-o", "x.zim").status == 0)
        #expect(try run("import", "x.zim", "-o", "o.zip").status == 0)
        for name in ["s.css", "b.png"] {
            let body = try run("get", "http://x.zim/d.example/\(name)", "--package", "o.zip").output
            #expect(try body == scratch.read("in/\(name)"))
        }
        #expect(try run("get", "http://x.zim/d.example/", "--package", "o.zip").text.contains("<a href=s.css>"))
    }
}
