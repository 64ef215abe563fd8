import Foundation
import TestSupport
import Testing

/// The built program, and folders that hold other things than a cache.
struct StrangerTests {
    private static func sync(_ scratch: Scratch) throws -> String {
        try scratch.write(Array("version: 1\npackages: [{ from: d.zip }]\n".utf8), to: "sync.yaml")
    }

    @Test func `load and sync keep what lies in a folder that is no cache, and say so`() throws {
        let scratch = try Scratch()
        _ = try SyncTests.package("d", "text", in: scratch)
        let commands = [["load", scratch.path("d.zip")], ["sync", try Self.sync(scratch)]]
        for (name, stranger) in [("p1", "packages/app/x.js"), ("p2", "staging/x"), ("p3", "src/main.c")] {
            let code = Array("code".utf8)
            try scratch.write(code, to: "\(name)/\(stranger)")
            for command in commands {
                let result = try Program.run(Program.afcache, command + ["--cache", scratch.path(name)])
                #expect(result.status == 12)
                #expect(result.errors.hasPrefix("error: cannot use '\(scratch.path(name))': the folder holds '"))
                #expect(result.errors.hasSuffix("and no cache; name a new or an empty folder\n"))
                #expect(try scratch.read("\(name)/\(stranger)") == code)
            }
        }
    }

    @Test func `an empty path of the cache is wrong usage, and isn't the present folder`() throws {
        let scratch = try Scratch()
        _ = try SyncTests.package("d", "text", in: scratch)
        let sync = try Self.sync(scratch)
        try scratch.write([1], to: "here/staging/x")
        let commands = [
            ["load", scratch.path("d.zip")], ["sync", sync], ["ls"], ["get", "http://d.example/"], ["serve"],
            ["cache", "gc"], ["cache", "repair"], ["cache", "verify"], ["cache", "remove", "d"],
        ]
        for command in commands {
            let result = try Program.run(Program.afcache, command + ["--cache", ""], in: scratch.path("here"))
            #expect(result.status == 64, "\(command): \(result.errors)")
            #expect(result.errors.contains("the path of the cache is empty"), "\(command): \(result.errors)")
            #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path("here")).count == 2)
        }
    }

    @Test func `what lies in a cache beside it is reported, and no change removes it`() throws {
        let scratch = try Scratch()
        _ = try SyncTests.package("d", "text", in: scratch)
        let store = scratch.path("store")
        let strangers = ["notes", "packages/app/x.js", "staging/x"]
        func run(_ arguments: String...) throws -> ProgramResult {
            try Program.run(Program.afcache, arguments + ["--cache", store])
        }
        #expect(try run("load", scratch.path("d.zip")).status == 0)
        for stranger in strangers { try scratch.write([1], to: "store/" + stranger) }
        for _ in 0..<2 { #expect(try run("load", scratch.path("d.zip")).status == 0) }
        #expect(try run("cache", "gc", "--previous").status == 0)
        let verified = try run("cache", "verify")
        #expect(verified.status == 1)
        #expect(verified.text.split(separator: "\n").count == 3)
        #expect(try run("cache", "repair").text.hasSuffix("0 repaired, 3 remain\n"))
        for stranger in strangers { #expect(try scratch.read("store/" + stranger) == [1]) }
        #expect(try SyncTests.body("d", store) == "text")
    }
}
