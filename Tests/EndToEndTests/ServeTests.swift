import Foundation
import TestSupport
import Testing

/// The server's use of memory, with the built program.
struct ServeTests {
    @Test(arguments: [([], true), (["--memory", "16MB"], true), (["--memory", "0"], false)] as [([String], Bool)])
    func `responses are repeated from memory as far as the option allows`(_ options: [String], _ isRepeated: Bool)
        async throws
    {
        let scratch = try Scratch()
        try scratch.write(Array("page".utf8), to: "in/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        #expect(try Program.run(Program.afcache, ["load", "p.zip", "--cache", "store"], in: scratch.path).status == 0)
        let arguments = ["serve", "--port", "0", "--cache", scratch.path("store")] + options
        let server = try RunningProgram(Program.afcache, arguments)
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        func hits() throws -> Int? {
            let metrics = try Program.run("curl", ["-sS", "\(address).afcache/metrics"]).text
            let line = metrics.split(separator: "\n").first { $0.hasPrefix("afcache_memory_hits_total ") }
            return line?.split(separator: " ").last.flatMap { Int($0) }
        }
        func request() throws {
            #expect(try Program.run("curl", ["-sS", "\(address)d.example/index.html"]).text == "page")
        }
        for _ in 0..<3 { try request() }
        guard isRepeated else {
            #expect(try hits() == 0)
            return
        }
        // A clock that is set back between two requests makes the server look the response up once more.
        for _ in 0..<10 where try hits() ?? 0 < 2 { try request() }
        #expect(try hits() ?? 0 >= 2)
    }

    @Test func `a package is served from its zip, and nothing is written beside it`() async throws {
        let scratch = try Scratch()
        let text = String(repeating: "a page that can be compressed ", count: 200)
        try scratch.write(Array(text.utf8), to: "in/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", scratch.path("p.zip")],
            environment: ["XDG_CACHE_HOME": scratch.path("kept")]
        )
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        let url = "\(address)d.example/index.html"
        #expect(try Program.run("curl", ["-sS", url]).text == text)
        let coded = try Program.run("curl", ["-sS", "--compressed", "-D", scratch.path("head"), url])
        #expect(coded.text == text)
        let head = String(decoding: try scratch.read("head"), as: UTF8.self).lowercased()
        #expect(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"))
        #expect(scratch.names == ["head", "in", "p.zip"])
    }

    /// Supervisors send the signal twice, and a terminal that is closed sends SIGHUP.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a running response ends after a signal, even if that comes twice`(signal: Int32) async throws {
        let scratch = try Scratch()
        let size = 24 << 20
        try scratch.write([UInt8](repeating: 0x61, count: size), to: "in/large.txt")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", "--mount-cache", "none", scratch.path("p.zip")]
        )
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        let url = "\(address)d.example/large.txt"
        let client = try RunningProgram("curl", ["-sS", "--limit-rate", "30M", "-o", scratch.path("large"), url])
        try client.wait(until: "a part has arrived") {
            try scratch.names.contains("large") && !scratch.read("large").isEmpty
        }
        kill(server.pid, signal)
        usleep(5000)
        #expect(server.stop(signal) == 0)
        #expect(client.wait() == 0, "\(client.errors)")
        let isWhole = try scratch.read("large").count == size
        #expect(isWhole)
    }

    @Test(arguments: [24, 40, 64]) func `too few files are an error at the start`(files: Int) throws {
        let scratch = try Scratch()
        try scratch.write(Array("a page".utf8), to: "in/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let words = "ulimit -n \(files) && exec \"$0\" serve p.zip --port 0 --mount-cache none"
        let result = try Program.run("bash", ["-c", words, Program.afcache], in: scratch.path)
        #expect(result.status == 11)
        // Below a limit no command runs, and a server needs more.
        let beginning = files < 48 ? "this process" : "cannot serve: this process"
        #expect(result.errors.hasPrefix("error: \(beginning) may open only \(files) files, and a "), "\(result.errors)")
        #expect(result.errors.hasSuffix("; allow more, for example with 'ulimit -n 1024'\n"), "\(result.errors)")
    }

    @Test func `a package is served with the mount index that was made for it`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("a page".utf8), to: "in/index.html")
        try scratch.write(Array("another".utf8), to: "other/index.html")
        for name in ["in", "other"] {
            let pack = ["pack", "--folder", name, "--base-url", "http://\(name).example", "-o", "\(name).zip"]
            #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        }
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(Program.afcache, arguments, in: scratch.path)
        }
        #expect(try run("mount-index", "in.zip", "-o", "in.index").text == "wrote 'in.index'\n")
        #expect(try run("mount-index", "in.zip", "-o", "in.zip").status == 64)
        let again = try run("mount-index", "other.zip", "-o", "in.index")
        #expect(again.status == 64 && again.errors.contains("'--overwrite'"), "\(again.errors)")
        let wrong = try run("serve", "other.zip", "--mount-index", "in.index", "--port", "0")
        #expect(
            wrong.errors == "error: '--mount-index': 'in.index': this is the index of another package, or of another "
                + "version of it; make it again; 'afcache mount-index PACKAGE -o in.index --overwrite' does\n"
        )
        #expect(wrong.status == 12)
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", scratch.path("in.zip"), "--mount-index", scratch.path("in.index")],
            environment: ["XDG_CACHE_HOME": scratch.path("kept")]
        )
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        #expect(try Program.run("curl", ["-sS", "\(address)in.example/index.html"]).text == "a page")
    }

    @Test(
        arguments: [
            (["none.zip"], 66, "none.zip"), (["text.zip"], 65, "zip"),
            (["p.zip", "--cache", "store"], 64, "'--cache' can't be combined with packages"),
            (["p.zip", "--origin", "http://127.0.0.1:1"], 64, "need a cache"),
            (["--mount-cache", "m", "--cache", "store"], 64, "'--mount-cache' needs a package"),
            (["--mount-index", "m", "--cache", "store"], 64, "'--mount-index' needs a package"),
        ] as [([String], Int32, String)]
    )
    func `what can't be served is refused with a sentence`(_ arguments: [String], _ status: Int32, _ sentence: String)
        throws
    {
        let scratch = try Scratch()
        try scratch.write(Array("not a zip".utf8), to: "text.zip")
        let result = try Program.run(Program.afcache, ["serve"] + arguments, in: scratch.path)
        #expect(result.errors.contains(sentence), "\(result.errors)")
        #expect(result.errors.hasPrefix("error: ") && result.status != 0)
        if status == 64 { #expect(result.status == status) }
    }
}
