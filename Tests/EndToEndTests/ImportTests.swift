import Foundation
import TestSupport
import Testing

/// Archives by other programs that become packages (docs/reference/archives.md), with the built program.
struct ImportTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Fixtures/captures").standardized.path

    private func run(_ arguments: [String]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    /// Imports a file, and expects an exit code.
    @discardableResult
    private func importing(
        _ files: [String],
        _ options: String...,
        status: Int32 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ProgramResult {
        let result = try run(["import"] + files + ["-o", "o.zip"] + options)
        #expect(result.status == status, "\(result.text)\(result.errors)", sourceLocation: sourceLocation)
        return result
    }

    /// The records of a package: URL, status, and digest or `-`.
    private func records(_ package: String = "o.zip") throws -> [String] {
        guard FileManager.default.fileExists(atPath: scratch.path(package)) else { return [] }
        let script = """
            import json, sys, zipfile
            for line in zipfile.ZipFile(sys.argv[1]).read(".afcache/resources.jsonl").splitlines():
                record = json.loads(line)
                print(record["url"], record["status"], record.get("sha256", "-"), sep="\\t")
            """
        let result = try Program.run("python3", ["-c", script, scratch.path(package)])
        #expect(result.status == 0, "\(result.errors)")
        return result.text.split(separator: "\n").map(String.init)
    }

    private func body(_ url: String) throws -> String { try run(["get", url, "--package", "o.zip"]).text }

    private func head(_ url: String) throws -> String {
        try run(["get", url, "--package", "o.zip", "-i"]).text.lowercased()
    }

    // MARK: WARCs

    /// A record; its date is in 2024, in the minute that is given.
    private static func record(
        _ type: String,
        _ url: String,
        _ content: String,
        minute: Int = 1,
        _ fields: String...
    ) -> String {
        let date = "2024-01-01T00:\(minute < 10 ? "0" : "")\(minute):00Z"
        let head = ["WARC-Type: \(type)", "WARC-Target-URI: \(url)", "WARC-Date: \(date)"] + fields
        return (["WARC/1.1"] + head + ["Content-Length: \(content.utf8.count)", "", content, "", ""])
            .joined(separator: "\r\n")
    }

    private static func response(_ body: String, _ fields: String..., status: String = "200 OK") -> String {
        (["HTTP/1.1 \(status)"] + (fields.isEmpty ? ["Content-Type: text/html"] : fields) + ["", body])
            .joined(separator: "\r\n")
    }

    private func write(_ records: String..., to name: String = "a.warc") throws {
        try scratch.write(Array(records.joined().utf8), to: name)
    }

    private static let expected: [String: (status: Int32, records: [String])] = {
        var expected: [String: (status: Int32, records: [String])] = [:]
        let text = (try? String(contentsOfFile: fixtures + "/expected.tsv", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: "\t").map(String.init)
            let records = parts.count > 2 ? [parts[2...].joined(separator: "\t")] : []
            expected[parts[0], default: (Int32(parts[1]) ?? -1, [])].records += records
        }
        return expected
    }()

    @Test func `the table of expectations has every file`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures)
        let others = ["README.md", "expected.tsv", "har-sha1-main-response.txt"]
        #expect(Set(names).subtracting(others) == Set(Self.expected.keys) && names.count > 30)
    }

    @Test(arguments: expected.keys.sorted())
    func `an archive by another program gives the responses that another reader finds in it`(name: String) throws {
        let expected = try #require(Self.expected[name])
        let result = try importing(["\(Self.fixtures)/\(name)"], status: expected.status)
        #expect(try records() == expected.records.sorted(), "\(result.errors)")
        guard !expected.records.isEmpty else { return }
        // The package is sound, and the same each time.
        let lint = try run(["lint", "o.zip", "--fail-on", "error"])
        #expect(lint.status == 0, "\(lint.text)")
        let bytes = try scratch.read("o.zip")
        try importing(["\(Self.fixtures)/\(name)"], status: expected.status)
        #expect(try scratch.read("o.zip") == bytes)
        #expect(scratch.names == ["o.zip"])
    }

    @Test func `the latest capture of a URL counts, and within a second the last one`() throws {
        try write(
            Self.record("response", "http://a.example/", Self.response("new"), minute: 3),
            Self.record("response", "http://a.example/", Self.response("old"), minute: 2),
            Self.record("response", "http://b.example/", Self.response("first")),
            Self.record("response", "http://b.example/", Self.response("last"))
        )
        try importing(["a.warc"])
        #expect(try body("http://a.example/") == "new" && body("http://b.example/") == "last")
        try importing(["a.warc"], "--at", "2024-01-01T00:02:30Z")
        #expect(try body("http://a.example/") == "old")
        try importing(["a.warc"], "--at", "20240101000159", "--report", "r.json")
        #expect(try records().count == 1)
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        #expect(report.contains("\"kind\":\"later\"") && report.contains("\"later\":2"))
        try importing(["a.warc"], "--at", "2023", status: 6)
        #expect(try importing(["a.warc"], "--at", "noon", status: 64).errors.contains("is not a time"))
    }

    @Test func `robots.txt and pages say what the use of an archive's resources is`() throws {
        let robots = "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: /b ai-input=no\n"
        try write(
            Self.record("response", "http://a.example/b", Self.response("<meta name=robots content=noai>")),
            Self.record("response", "http://a.example/c", Self.response("<meta name=robots content=noai>", "X-A: b")),
            Self.record("response", "http://a.example/d", Self.response("", "Location: /b", status: "302 x")),
            Self.record("response", "http://a.example/robots.txt", Self.response(robots, "Content-Type: text/plain")),
            Self.record("response", "https://a.example/b", Self.response("another origin")),
            Self.record("response", "http://b.example/robots.txt", Self.response(robots, status: "404 x")),
            Self.record("response", "http://b.example/b", Self.response("not found isn't a rule"))
        )
        try importing(["a.warc"])
        let text = try Program.run("unzip", ["-p", scratch.path("o.zip"), ".afcache/resources.jsonl"]).text
        func line(_ url: String) -> Substring? {
            text.split(separator: "\n").first { $0.hasPrefix(#"{"url":"\#(url)","#) }
        }
        let (page, other) = (line("http://a.example/b"), line("http://a.example/c"))
        #expect(page?.hasSuffix(#","robotsUsage":"ai-input=n, train-ai=n","pageUsage":"noai"}"#) ?? false, "\(text)")
        #expect(other?.hasSuffix(#","robotsUsage":"train-ai=n"}"#) ?? false, "\(text)")
        for url in ["http://a.example/d", "https://a.example/b", "http://b.example/b"] {
            #expect(line(url).map { !$0.contains("Usage") } ?? false, "\(text)")
        }
    }

    @Test func `a repeated response gets its body, also from a record behind it and from another file`() throws {
        let digest = "WARC-Payload-Digest: sha1:QPPU6V73EDLL3HNGLAZDDSZLR7VKBGQ6"
        let original = Self.record("response", "http://a.example/", Self.response("same"))
        let revisit = Self.record(
            "revisit",
            "http://b.example/",
            Self.response("", "X-Own: 1", status: "203 x"),
            minute: 2,
            "WARC-Refers-To-Target-URI: http://a.example/",
            "WARC-Refers-To-Date: 2024-01-01T00:01:00Z",
            "WARC-Truncated: length"
        )
        try write(revisit, original)
        try importing(["a.warc"])
        #expect(try body("http://b.example/") == "same")
        let record = try #require(try records().last)
        #expect(record.hasPrefix("http://b.example/\t203\t"))
        try write(Self.record("revisit", "http://c.example/", "", minute: 2, digest), to: "c.warc")
        try write(Self.record("response", "http://a.example/", Self.response("x"), minute: 1, digest), to: "d.warc")
        // The digest is wrong, which is reported; it still names the record.
        try importing(["c.warc", "d.warc"], status: 5)
        #expect(try body("http://c.example/") == "x")
        // What is excluded still lends its body.
        try write(revisit, original)
        try importing(["a.warc"], "--exclude", "http://a.example/*")
        #expect(try records().count == 1 && body("http://b.example/") == "same")
        try write(revisit)
        let result = try importing(["a.warc"], status: 6)
        #expect(result.errors.contains("1 response whose first capture is in none of the files"))
    }

    @Test func `a repeated response may refer to a record by its identifier, and to another repeated one`() throws {
        let reply = Self.response("", "Content-Type: text/css")
        try write(
            Self.record(
                "revisit",
                "http://a.example/3",
                reply,
                minute: 3,
                "WARC-Refers-To-Target-URI: http://a.example/2",
                "WARC-Refers-To-Date: 2024-01-01T00:02:00Z"
            ),
            Self.record("revisit", "http://a.example/2", reply, minute: 2, "WARC-Refers-To: <urn:uuid:1>"),
            Self.record("response", "http://a.example/1", Self.response("one"), "WARC-Record-ID: <urn:uuid:1>"),
            // Each refers to the other.
            Self.record("revisit", "http://a.example/4", reply, "WARC-Record-ID: <urn:4>", "WARC-Refers-To: <urn:5>"),
            Self.record("revisit", "http://a.example/5", reply, "WARC-Record-ID: <urn:5>", "WARC-Refers-To: <urn:4>")
        )
        let result = try importing(["a.warc"])
        #expect(try ["1", "2", "3"].map { try body("http://a.example/\($0)") } == ["one", "one", "one"])
        #expect(result.errors.contains("2 responses whose first capture is in none of the files"), "\(result.errors)")
    }

    @Test func `the final response counts behind interim ones`() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
        try write(
            Self.record(
                "response",
                "http://a.example/1",
                "HTTP/1.1 100 Continue\r\n\r\n\(interim)" + Self.response("1")
            ),
            Self.record("response", "http://a.example/2", interim)
        )
        let result = try importing(["a.warc"])
        #expect(try records().count == 1 && body("http://a.example/1") == "1")
        #expect(result.errors.contains("1 response with a status"), "\(result.errors)")
    }

    @Test func `segments of a response are joined, in any order and from any file`() throws {
        func first(_ number: Int, _ content: String) -> String {
            let url = "http://a.example/\(number)"
            return Self.record("response", url, content, "WARC-Segment-Number: 1", "WARC-Record-ID: <urn:\(number)>")
        }
        func next(_ number: Int, _ segment: Int, _ content: String, total: Int? = nil) -> String {
            let last = total.map { ["WARC-Segment-Total-Length: \($0)"] } ?? []
            return Self.record(
                "continuation",
                "http://a.example/\(number)",
                content,
                (["WARC-Segment-Number: \(segment)", "WARC-Segment-Origin-ID: <urn:\(number)>"] + last)
                    .joined(separator: "\r\n")
            )
        }
        try write(
            next(1, 3, "cc", total: 9),
            first(1, Self.response("a")),
            first(2, Self.response("x", "Content-Length: 1")),
            first(3, Self.response("half")),
            first(4, Self.response("3\r\nab", "Transfer-Encoding: chunked")),
            next(4, 2, "c\r\n0\r\n\r\n", total: 9),
            next(5, 2, "no beginning", total: 9),
            first(6, Self.response("a")),
            next(6, 3, "c", total: 9)
        )
        try write(next(1, 2, "bb"), to: "b.warc")
        let result = try importing(["a.warc", "b.warc"])
        #expect(try ["1", "2", "4"].map { try body("http://a.example/\($0)") } == ["abbcc", "x", "abc"])
        #expect(try records().count == 3)
        #expect(result.errors.contains("3 responses that the archiving program cut off"), "\(result.errors)")
    }

    @Test func `transfer codings are removed, if the body has them`() throws {
        let plain = "text of a page"
        try scratch.write(Array(plain.utf8), to: "t")
        let coded = try Program.run("gzip", ["-nc", scratch.path("t")]).output
        func response(_ fields: String, _ body: [UInt8], _ path: String) -> [UInt8] {
            let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\(fields)\r\n\r\n".utf8)
            let record = [
                "WARC/1.0", "WARC-Type: response", "WARC-Target-URI: http://a.example/\(path)",
                "WARC-Date: 2024-01-01T00:00:00Z", "Content-Length: \(head.count + body.count)", "", "",
            ].joined(separator: "\r\n")
            return Array(record.utf8) + head + body + Array("\r\n\r\n".utf8)
        }
        let chunked = Array("\(String(coded.count, radix: 16))\r\n".utf8) + coded + Array("\r\n0\r\n\r\n".utf8)
        let records = [
            response("Transfer-Encoding: gzip, chunked", chunked, "1"),
            response("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", chunked, "2"),
            response("Transfer-Encoding: x-gzip\r\nContent-Length: 3", coded, "3"),
            response("Transfer-Encoding: gzip, chunked", Array(plain.utf8), "4"),
            response("Transfer-Encoding: identity", Array(plain.utf8), "5"),
            response("Transfer-Encoding: gzip", coded.dropLast(9), "6"),
            response("Transfer-Encoding: compress", [1, 2, 3], "7"),
        ]
        try scratch.write(records.flatMap(\.self), to: "a.warc")
        let result = try importing(["a.warc"], status: 5)
        #expect(try (1...5).map { try body("http://a.example/\($0)") } == Array(repeating: plain, count: 5))
        #expect(try self.records().count == 5, "\(result.errors)")
    }

    @Test func `a repeated response needs no original if it is a redirect or empty`() throws {
        let same = "WARC-Payload-Digest: sha1:T6HX53C55JNMINZYOIMTTQJAGGGL74O7"
        let nothing = "WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
        try write(
            Self.record("revisit", "http://a.example/1", Self.response("", "Location: /2", status: "301 x")),
            Self.record("revisit", "http://a.example/2", Self.response("", "Content-Type: text/css"), nothing),
            Self.record("revisit", "http://a.example/3", "", nothing),
            // A redirect with the digest of a body is no original for others.
            Self.record("response", "http://a.example/4", Self.response("four"), same),
            Self.record("revisit", "http://a.example/5", Self.response("", "Location: /4", status: "301 x"), same),
            Self.record("revisit", "http://a.example/6", Self.response("", "Content-Type: text/css"), same)
        )
        try importing(["a.warc"])
        #expect(
            try records().map { $0.prefix(22).dropFirst(17) } == [
                "1\t301", "2\t200", "3\t200", "4\t200", "5\t301", "6\t200",
            ]
        )
        #expect(try head("http://a.example/2").contains("text/css") && body("http://a.example/2").isEmpty)
        #expect(try body("http://a.example/6") == "four")
    }

    @Test func `a response that says that nothing changed brings new fields`() throws {
        try write(
            Self.record(
                "response",
                "http://a.example/",
                Self.response("body", "ETag: \"1\"", "Content-Type: text/css")
            ),
            Self.record(
                "revisit",
                "http://a.example/",
                Self.response("", "ETag: \"2\"", "Content-Length: 0", status: "304 Not Modified"),
                minute: 2,
                "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified"
            )
        )
        try importing(["a.warc"])
        #expect(try body("http://a.example/") == "body")
        let head = try head("http://a.example/")
        #expect(head.contains("etag: \"2\"") && head.contains("text/css"), "\(head)")
    }

    @Test func `the request says whether a response has a body, and what its URL is`() throws {
        func exchange(_ method: String, _ id: Int, _ body: String = "") -> String {
            let url = "http://a.example/\(id)"
            let request = "\(method) /\(id) HTTP/1.1\r\nContent-Type: text/plain\r\n\r\n\(body)"
            return Self.record("response", url, Self.response("r\(id)"), "WARC-Record-ID: <urn:\(id)>")
                + Self.record("request", url, request, "WARC-Concurrent-To: <urn:\(id)>")
        }
        try write(
            exchange("GET", 1),
            exchange("HEAD", 2),
            exchange("POST", 3, "q"),
            exchange("OPTIONS", 4),
            exchange("CONNECT", 5),
            Self.record("response", "http://a.example/6", Self.response("alone"))
        )
        // The response to HEAD seems to lack its body.
        try scratch.write(
            try scratch.read("a.warc")
                + Array(
                    (Self.record(
                        "response",
                        "http://a.example/7",
                        Self.response("", "Content-Length: 9"),
                        "WARC-Record-ID: <urn:7>"
                    )
                        + Self.record(
                            "request",
                            "http://a.example/7",
                            "HEAD /7 HTTP/1.1\r\n\r\n",
                            "WARC-Concurrent-To: <urn:7>"
                        ))
                        .utf8
                ),
            to: "a.warc"
        )
        let result = try importing(["a.warc"])
        #expect(!result.errors.contains("taken nevertheless"), "\(result.errors)")
        #expect(try records().map { $0.prefix(18) } == ["http://a.example/1", "http://a.example/6"])
        try importing(["a.warc"], "--post")
        let urls = try records().compactMap { $0.split(separator: "\t").first.map(String.init) }
        #expect(
            urls == [
                "http://a.example/1", "http://a.example/3?__wb_method=POST&__wb_post_data=cQ==",
                "http://a.example/4?__wb_method=OPTIONS", "http://a.example/6",
            ]
        )
    }

    @Test func `codings that are stated and absent are noticed, and damaged ones left out`() throws {
        try write(
            Self.record("response", "http://a.example/1", Self.response("<p>", "Content-Encoding: gzip")),
            Self.record("response", "http://a.example/2", Self.response("<p>", "Transfer-Encoding: chunked")),
            Self.record(
                "response",
                "http://a.example/3",
                Self.response("3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n", "Transfer-Encoding: chunked")
            ),
            Self.record("response", "http://a.example/4", Self.response("<p>", "Content-Encoding: br")),
            Self.record("response", "http://a.example/5", Self.response("\u{1F}x", "Content-Encoding: br")),
            Self.record("response", "http://a.example/6", Self.response("<p>", "Content-Encoding: compress")),
            Self.record(
                "response",
                "http://a.example/7",
                Self.response("x", "X-Archive-Orig-ETag: \"7\"", "X-Archive-Orig-Content-Encoding: gzip")
            )
        )
        let result = try importing(["a.warc"], status: 5)
        #expect(result.errors.contains("taken nevertheless: 3 bodies in another coding"), "\(result.errors)")
        #expect(
            try ["1", "2", "3", "4", "7"].map { try body("http://a.example/\($0)") } == [
                "<p>", "<p>", "abc", "<p>", "x",
            ]
        )
        #expect(try records().count == 5)
        let head = try head("http://a.example/7")
        #expect(head.contains("etag: \"7\"") && !head.contains("x-archive"))
        try importing(["a.warc"], "--strict", "--overwrite", status: 10)
    }

    @Test func `a body that begins as its type isn't coded, and a very repetitive one may be`() throws {
        let script = #"""
            import gzip, sys
            def record(url, fields, body):
                body = b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n" + body
                return b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (url, len(body), body)
            sys.stdout.buffer.write(
                record(b"1", b"Content-Type: image/gif\r\nContent-Encoding: br", b"GIF89a\1\0")
                + record(b"2", b"Content-Type: font/woff2\r\nContent-Encoding: deflate", b"wOF2\0\1")
                + record(b"3", b"Content-Type: image/gif\r\nContent-Encoding: br", b"\0\1\2")
                + record(b"4", b"Content-Type: text/plain\r\nContent-Encoding: gzip", gzip.compress(bytes(4 << 20)))
            )
            """#
        let archive = try Program.run("python3", ["-c", script])
        try scratch.write(archive.output, to: "a.warc")
        let result = try importing(["a.warc"], status: 5)
        #expect(try records().map { $0.prefix(18).suffix(1) } == ["1", "2", "4"], "\(result.errors)")
        #expect(try run(["get", "http://a.example/4", "--package", "o.zip"]).output.count == 4 << 20)
    }

    @Test func `truncated, cut, secret and foreign parts don't get into the package`() throws {
        try write(
            Self.record("response", "http://a.example/t", Self.response("half"), "WARC-Truncated: length"),
            Self.record("response", "dns:a.example", "20240101000000\na.example. 1 IN A 127.0.0.1\n"),
            Self.record("resource", "urn:x", "y"),
            Self.record("resource", "http://a.example/r#fragment", "raw", "Content-Type: text/plain"),
            Self.record(
                "response",
                "http://u:p@a.example/s",
                Self.response("s", "Set-Cookie: session=hidden", "X-A: b")
            ),
            Self.record("response", "http://a.example/n", Self.response("", status: "204 No Content")),
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/c\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200"
        )
        let result = try importing(["a.warc"], "--report", "r.json", "--json", status: 5)
        #expect(try records().map { $0.prefix(18) } == ["http://a.example/r", "http://a.example/s"])
        #expect(try body("http://a.example/r") == "raw")
        let package = try Program.run("unzip", ["-p", scratch.path("o.zip")])
        #expect(!package.text.contains("hidden") && !package.text.contains("u:p@"))
        let report = String(decoding: try scratch.read("r.json"), as: UTF8.self)
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any])
        let counts = ["cut": 1, "scheme": 2, "status": 1, "truncated": 1]
        #expect(parsed["counts"] as? [String: Int] == counts && parsed["secrets"] as? Int == 2, "\(report)")
        #expect((parsed["notes"] as? [Any])?.count == 5)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        #expect(document["resources"] as? Int == 2 && document["isDamaged"] as? Bool == true)
    }

    @Test func `a member that is cut or damaged loses only its own records`() throws {
        let parts = ["a", "b", "c"].map { Self.record("response", "http://a.example/\($0)", Self.response($0)) }
        for (name, part) in zip(["1", "2", "3"], parts) {
            try scratch.write(Array(part.utf8), to: name)
            _ = try Program.run("gzip", ["-kn", scratch.path(name)])
        }
        let members = try ["1.gz", "2.gz", "3.gz"].map { try scratch.read($0) }
        var damaged = members[1]
        for index in 20..<60 { damaged[index] ^= 0x55 }
        try scratch.write(members[0] + damaged + members[2], to: "a.warc.gz")
        try importing(["a.warc.gz"], status: 5)
        #expect(try records().map { $0.prefix(18) } == ["http://a.example/a", "http://a.example/c"])
        try scratch.write(members[0] + members[1].dropLast(40), to: "a.warc.gz")
        // What is there has more.
        let before = try scratch.read("o.zip")
        #expect(try importing(["a.warc.gz"], status: 64).errors.contains("'--overwrite' to replace it"))
        #expect(try scratch.read("o.zip") == before)
        try importing(["a.warc.gz"], "--overwrite", status: 5)
        #expect(try records().count == 1)
        // Nothing comes out of the last member, or all of its records do.
        for count in [6, 14, members[1].count - 4] {
            try scratch.write(members[0] + members[1].prefix(count), to: "a.warc.gz")
            let result = try importing(["a.warc.gz"], status: 5)
            #expect(result.errors.contains("1 record that ends early"), "\(result.errors)")
        }
        // Zeros at the end are filling.
        try scratch.write(members[0] + [UInt8](repeating: 0, count: 512), to: "a.warc.gz")
        try importing(["a.warc.gz"])
    }

    // MARK: HARs

    private static func entry(
        _ url: String,
        _ response: String,
        method: String = "GET",
        _ request: String = ""
    ) -> String {
        """
        {"startedDateTime":"2024-01-01T00:00:00.5Z","request":{"method":"\(method)","url":"\(url)"\(request)},\
        "response":{\(response)}}
        """
    }

    private func write(har entries: [String], to name: String = "a.har") throws {
        try scratch.write(Array("{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}".utf8), to: name)
    }

    @Test func `bodies of a HAR have the bytes that the server sent`() throws {
        let latin =
            #""status":200,"headers":[{"name":"Content-Type","value":"text/html; charset=iso-8859-1"}],"content""#
        try write(har: [
            Self.entry("http://a.example/1", latin + #":{"text":"\u00e9"}"#),
            Self.entry("http://a.example/2", latin + #":{"text":"\u4e2d"}"#),
            Self.entry("http://a.example/3", #""status":200,"content":{"mimeType":"text/html","text":"\u00e9"}"#),
            Self.entry("http://a.example/4", #""status":200,"content":{"encoding":"base64","text":"AAE="}"#),
            Self.entry("http://a.example/5", #""status":200,"content":{"encoding":"base64","text":"plain!"}"#),
            Self.entry("http://a.example/6", #""status":200,"content":{"size":7}"#),
            Self.entry("http://a.example/7", #""status":200,"content":{"size":0}"#),
            Self.entry("http://a.example/71", #""status":200,"bodySize":20,"content":{"size":0}"#),
            Self.entry("http://a.example/72", #""status":200,"bodySize":20,"content":{"size":-1}"#),
            Self.entry("http://a.example/8", #""status":0,"content":{"size":0}"#),
            Self.entry("http://a.example/9", #""status":304,"content":{"size":0}"#),
            Self.entry(
                "http://a.example/91",
                #""status":200,"content":{"mimeType":"image/svg+xml","text":"<?xml version='1.0' encoding='latin1'?>\u00e9"}"#
            ),
            Self.entry(
                "http://a.example/92",
                #""status":200,"content":{"mimeType":"text/css","text":"@charset \"latin1\";\u00e9"}"#
            ),
            Self.entry("http://a.example/10", #""status":302,"redirectURL":"/1","content":{"size":-1}"#),
        ])
        try importing(["a.har"])
        let bodies = try (1...5).map { try run(["get", "http://a.example/\($0)", "--package", "o.zip"]).output }
        #expect(bodies[0] == [0xE9] && bodies[1] == Array("中".utf8) && bodies[2] == Array("é".utf8))
        for path in ["91", "92"] {
            #expect(try run(["get", "http://a.example/\(path)", "--package", "o.zip"]).output.last == 0xE9)
        }
        #expect(bodies[3] == [0, 1] && bodies[4] == Array("plain!".utf8))
        #expect(
            try head("http://a.example/2").contains("text/html; charset=utf-8")
                || head("http://a.example/2").contains("text/html;charset=utf-8")
        )
        let urls = try records().map { $0.split(separator: "\t").prefix(2).joined(separator: " ").dropFirst(17) }
        #expect(urls == ["1 200", "10 302", "2 200", "3 200", "4 200", "5 200", "7 200", "71 200", "91 200", "92 200"])
    }

    @Test func `the stated size decides whether a text is base 64`() throws {
        func entry(_ path: Int, _ text: String, _ size: Int) -> String {
            Self.entry(
                "http://a.example/\(path)",
                #""status":200,"content":{"encoding":"base64","size":\#(size),"text":"\#(text)"}"#
            )
        }
        try write(har: [
            entry(1, "dGVzdA", 4), entry(2, "test", 4), entry(3, "dGVzdHM=", 8), entry(4, "dGVz", 3), entry(5, "ab", 2),
            entry(6, "test", 0),
        ])
        try importing(["a.har"])
        let bodies = try (1...6).map { try run(["get", "http://a.example/\($0)", "--package", "o.zip"]).output }
        let texts = bodies.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.prefix(5) == ["test", "test", "tests", "tes", "ab"], "\(texts)")
        #expect(bodies[5] == [0xB5, 0xEB, 0x2D])
    }

    @Test func `a HAR may be compressed, or in UTF-16`() throws {
        try write(har: [Self.entry("http://a.example/", #""status":200,"content":{"text":"\u00e9 中 😀"}"#)])
        let script = """
            import gzip
            text = open("a.har", encoding="utf-8").read()
            open("b.har.gz", "wb").write(gzip.compress(text.encode()))
            open("c.har", "wb").write(text.encode("utf-16"))
            open("d.har", "wb").write(b"\\xfe\\xff" + text.encode("utf-16-be"))
            open("e.har", "wb").write(b"\\xef\\xbb\\xbf" + text.encode())
            """
        #expect(try Program.run("python3", ["-c", script], in: scratch.path).status == 0)
        #expect(try Program.run("python3", ["-m", "zipfile", "-c", "f.zip", "b.har.gz"], in: scratch.path).status == 0)
        for name in ["b.har.gz", "c.har", "d.har", "e.har", "f.zip"] {
            try importing([name], "--overwrite")
            #expect(try body("http://a.example/") == "é 中 😀", "\(name)")
        }
        for name in ["b.har.gz", "c.har"] {
            #expect(try run(["get", "http://a.example/", "--package", name]).text == "é 中 😀", "\(name)")
        }
        // What precedes the damage is taken.
        let bytes = try scratch.read("b.har.gz")
        try scratch.write(Array(bytes.dropLast(12)), to: "g.har.gz")
        try importing(["g.har.gz"], status: 10)
    }

    @Test func `a HAR's files are read beside it, and nowhere else`() throws {
        func file(_ name: String) -> String { #""status":200,"content":{"_file":"\#(name)"}"# }
        try scratch.write(Array("inside".utf8), to: "h/b.txt")
        try scratch.write(Array("outside".utf8), to: "secret.txt")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("h/link"), withDestinationPath: "../secret.txt")
        let names = ["b.txt", "../secret.txt", scratch.path("secret.txt"), "link", "none.txt", ".", ""]
        let entries = names.enumerated().map { Self.entry("http://a.example/\($0.offset)", file($0.element)) }
        try write(har: entries, to: "h/a.har")
        let result = try importing(["h/a.har"])
        #expect(try records().count == 1 && body("http://a.example/0") == "inside")
        #expect(result.errors.contains("not taken: 6 bodies that the archive doesn't have"), "\(result.errors)")
        try scratch.write(Array("by digest".utf8), to: "h/resources/abc")
        try write(
            har: [Self.entry("http://a.example/s", #""status":200,"content":{"size":9,"_sha1":"abc"}"#)],
            to: "h/s.har"
        )
        try importing(["h/s.har"])
        #expect(try body("http://a.example/s") == "by digest")
        // In a zip, the files are its members.
        let made = try Program.run(
            "python3",
            ["-m", "zipfile", "-c", "../a.har.zip", "a.har", "b.txt"],
            in: scratch.path("h")
        )
        #expect(made.status == 0)
        try importing(["a.har.zip"])
        #expect(try records().count == 1 && body("http://a.example/0") == "inside")
    }

    @Test func `a HAR gives responses to other methods only if they are wanted`() throws {
        let body = #","postData":{"mimeType":"application/x-www-form-urlencoded","text":"a=1"}"#
        try write(har: [
            Self.entry("http://a.example/p", #""status":200,"content":{"text":"x"}"#, method: "POST", body),
            Self.entry("http://a.example/h", #""status":200,"content":{"text":""}"#, method: "HEAD"),
            Self.entry("ws://a.example/", #""status":101"#),
            Self.entry("http://a.example/", #""status":200,"content":{"text":"x"}"#),
        ])
        try importing(["a.har"])
        #expect(try records().count == 1)
        try importing(["a.har"], "--post")
        #expect(try records().last?.hasPrefix("http://a.example/p?__wb_method=POST&a=1\t200") == true)
    }

    @Test func `a HAR that ends early keeps what precedes`() throws {
        let entry = Self.entry("http://a.example/", #""status":200,"content":{"text":"x"}"#)
        try scratch.write(Array("{\"log\":{\"entries\":[\(entry),{\"request\":".utf8), to: "a.har")
        try importing(["a.har"], status: 5)
        #expect(try records().count == 1)
        for text in ["{\"log\":", "{\"a\":1}", "[]", "{\"log\":{\"entries\":{}}}"] {
            try scratch.write(Array(text.utf8), to: "b.har")
            try importing(["b.har"], "--overwrite", status: 10)
        }
    }

    // MARK: Zips, folders, and standard input

    @Test func `zips within zips are read, though not without end`() throws {
        try write(Self.record("response", "http://a.example/", Self.response("x")), to: "z/archive/a.warc")
        func zip(_ name: String, _ members: String...) throws {
            let made = try Program.run("python3", ["-m", "zipfile", "-c", name] + members, in: scratch.path("z"))
            #expect(made.status == 0, "\(made.errors)")
        }
        try zip("1.wacz", "archive")
        try zip("2.wacz", "1.wacz")
        try zip("3.wacz", "2.wacz")
        try zip("4.wacz", "3.wacz")
        try importing(["z/3.wacz"])
        #expect(try body("http://a.example/") == "x")
        #expect(try importing(["z/4.wacz"], status: 10).errors.contains("more than 3 levels deep"))
        try scratch.write([], to: "z/empty")
        try zip("5.wacz", "empty")
        #expect(try importing(["z/5.wacz"], status: 10).errors.contains("no WARC, ARC, WACZ, HAR or ZIM in it"))
        // A package is no archive.
        let result = try run(["import", "o.zip", "-o", "p.zip"])
        #expect(result.status == 10 && result.errors.contains("is a package already"), "\(result.errors)")
    }

    @Test func `a file without records leaves the others of a zip or folder as they are`() throws {
        try write(Self.record("response", "http://a.example/1", Self.response("1")), to: "f/a.warc.open")
        try scratch.write([], to: "f/b.warc.gz")
        _ = try Program.run(
            "python3",
            ["-m", "zipfile", "-c", "z.wacz", "f/a.warc.open", "f/b.warc.gz"],
            in: scratch.path
        )
        for name in ["f", "z.wacz"] {
            let result = try importing([name], status: 5)
            #expect(try records().count == 1)
            #expect(result.errors.contains("b.warc.gz"), "\(result.errors)")
        }
        try importing(["f/b.warc.gz"], status: 10)
    }

    @Test func `a package whose first body is an HTTP message is no cache of HTTrack`() throws {
        try write(Self.record("resource", "http://a.example/1", "HTTP/1.1 200 OK"))
        try importing(["a.warc"])
        #expect(try run(["ls", "o.zip"]).text.contains("http://a.example/1"))
        #expect(try run(["lint", "o.zip", "--fail-on", "error"]).status == 0)
    }

    @Test func `a folder stands for the archives in it, and the pipe for one`() throws {
        try write(Self.record("response", "http://a.example/", Self.response("old")), to: "f/b/a.warc")
        try write(Self.record("response", "http://a.example/", Self.response("new")), to: "f/c.warc.open")
        try scratch.write(Array("other".utf8), to: "f/notes.txt")
        try importing(["f"])
        #expect(try body("http://a.example/") == "new")
        let piped = try Program.run(
            "sh",
            ["-c", "cat f/b/a.warc | \"$0\" import - -o - > piped.zip", Program.afcache],
            in: scratch.path
        )
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(try records("piped.zip").count == 1)
        try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: true)
        #expect(try importing(["empty"], status: 10).errors.contains("the folder has no WARC"))
        #expect(try importing(["missing.warc"], status: 11).errors.contains("missing.warc"))
    }

    @Test(arguments: [
        ("", "the file is empty"), ("hello", "neither a WARC nor"), ("WARC/1.0\r\nX: y\r\n\r\n", "no record"),
        ("\u{1F}", "neither a WARC nor"), ("PK\u{3}\u{4}", "cannot import"),
    ])
    func `what is no archive is refused`(text: String, words: String) throws {
        try scratch.write(Array(text.utf8), to: "x")
        let result = try importing(["x"], status: 10)
        #expect(result.errors.contains(words) && result.errors.contains("'x'"), "\(result.errors)")
        #expect(scratch.names == ["x"])
    }

    @Test func `commands for packages say that an archive can be imported`() throws {
        try write(Self.record("response", "http://a.example/", Self.response("x")))
        try write(har: [Self.entry("http://a.example/", #""status":200,"content":{"text":"x"}"#)])
        let made = try Program.run("python3", ["-m", "zipfile", "-c", "a.wacz", "a.warc"], in: scratch.path)
        #expect(made.status == 0)
        for file in ["a.warc", "a.har", "a.wacz"] {
            let result = try run(["info", file])
            #expect(result.status == 10)
            #expect(result.errors.hasSuffix(" -o NEW.zip' makes a package of it\n"), "\(result.errors)")
        }
        try scratch.write(Array("{}".utf8), to: "b.zip")
        #expect(try !run(["ls", "b.zip"]).errors.contains("import"))
    }

    @Test func `an archive is read as it is, and imported once`() throws {
        try write(Self.record("response", "http://a.example/", Self.response("x")))
        try write(har: [Self.entry("http://a.example/", #""status":200,"content":{"text":"x"}"#)])
        let made = try Program.run("python3", ["-m", "zipfile", "-c", "a.wacz", "a.warc"], in: scratch.path)
        #expect(made.status == 0)
        func read(_ arguments: String..., status: Int32 = 0) throws -> ProgramResult {
            let environment = ["XDG_CACHE_HOME": scratch.path("c")]
            let result = try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
            #expect(result.status == status, "\(arguments) \(result.errors)")
            return result
        }
        for file in ["a.warc", "a.har", "a.wacz"] {
            let first = try read("ls", file)
            #expect(first.text.contains("http://a.example/") && first.errors.hasPrefix("importing '\(file)' into '"))
            let second = try read("get", "http://a.example/", "--package", file)
            #expect(second.text == "x" && second.errors.hasPrefix("reading '\(file)' as it was imported"))
            _ = try read("lint", file, "--fail-on", "error")
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: scratch.path("c/afcache/imports"))
        #expect(kept.count == 3 && kept.allSatisfy { $0.hasSuffix(".zip") })
        #expect(try read("get", "http://a.example/", "--package=a.warc").text == "x")
        _ = try read("get", "http://a.example/", "--package", "a.warc", "-o", "a.warc", status: 64)
        try scratch.write(Array("WARC/1.0\r\n".utf8), to: "b.warc")
        #expect(try read("ls", "b.warc", status: 10).errors.contains("no record of a WARC"))
        try write(Self.record("response", "dns:a", "x"), to: "d.warc")
        #expect(try read("ls", "d.warc", status: 6).errors.contains("has no response that could be imported"))
    }

    @Test func `other files than packages and reports are kept`() throws {
        try write(Self.record("response", "http://a.example/", Self.response("x")))
        try scratch.write(Array("letter".utf8), to: "o.zip")
        try importing(["a.warc"], status: 11)
        #expect(try scratch.read("o.zip") == Array("letter".utf8))
        try importing(["a.warc"], "--overwrite")
        try scratch.write(Array("{}".utf8), to: "r.json")
        try importing(["a.warc"], "--report", "r.json", status: 11)
        #expect(try run(["import", "a.warc", "-o", "a.warc", "--overwrite"]).status == 64)
        #expect(try run(["import", "a.warc", "-o", "n.json", "--report", "n.json"]).status == 64)
    }
}
