import Foundation
import TestSupport
import Testing

/// File systems and sandboxes that lack something.
struct FileSystemTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(Array("<p>page".utf8), to: "site/index.html")
        try scratch.write(Array("p {}".utf8), to: "site/a.css")
        let pack = ["pack", "--folder", "site", "--base-url", "http://d.example", "-o", "d.zip"]
        try #require(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
    }

    /// Builds a library in which a call fails, for `LD_PRELOAD`.
    private func library(_ call: String, number: String) throws -> [String: String] {
        let source = "#include <errno.h>\nint \(call) { errno = \(number); return -1; }\n"
        try scratch.write(Array(source.utf8), to: "lack.c")
        let compile = ["-shared", "-fPIC", "-o", scratch.path("lack.so"), scratch.path("lack.c")]
        try #require(try Program.run("gcc", compile).status == 0)
        return ["LD_PRELOAD": scratch.path("lack.so")]
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
    }

    #if os(Linux)
    @Test(arguments: ["ENOLCK", "ENOSYS", "EOPNOTSUPP"])
    func `without locks, the error says so, and that another place helps`(number: String) throws {
        let lacking = try library("flock(int f, int o)", number: number)
        for arguments in [["load", "d.zip", "--cache", "new"], ["cache", "gc", "--cache", "old"]] {
            if arguments[0] == "cache" { #expect(try run(["load", "d.zip", "--cache", "old"]).status == 0) }
            let result = try run(arguments, lacking)
            #expect(result.status == 11, "\(result.errors)")
            #expect(result.errors.contains("the file system has no locks: "), "\(result.errors)")
            #expect(result.errors.contains("; use a folder on another file system"), "\(result.errors)")
        }
    }

    @Test func `without a call that syncs a file system, each file is synced`() throws {
        let lacking = try library("syncfs(int f)", number: "ENOSYS")
        #expect(try run(["load", "d.zip", "--cache", "c"], lacking).status == 0)
        #expect(try run(["get", "http://d.example/", "--cache", "c"]).text == "<p>page")
        let failing = try library("syncfs(int f)", number: "EIO")
        #expect(try run(["load", "d.zip", "--cache", "d"], failing).status == 11)
    }
    #endif

    @Test func `a path that is too long for SQLite holds packages, and is named as the cause otherwise`() async throws {
        let path = scratch.path(Array(repeating: String(repeating: "d", count: 100), count: 5).joined(separator: "/"))
        #expect(try run(["load", "d.zip", "--cache", path]).status == 0)
        #expect(try run(["get", "http://d.example/", "--cache", path]).text == "<p>page")
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", "--origin", "http://d.example", "--cache", path]
        )
        _ = try await server.firstLine()
        _ = server.stop()
        let words = "the path is too long for SQLite, which takes 512 bytes"
        #expect(server.errors.contains(words), "\(server.errors)")
    }
}
