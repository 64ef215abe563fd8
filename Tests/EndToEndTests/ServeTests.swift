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
}
