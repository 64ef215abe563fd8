import Foundation
import TestSupport
import Testing

/// The built program, and folders that hold other things than a cache.
struct StrangerTests {
    private static func sync(_ scratch: Scratch) throws -> String {
        try scratch.write(Array("version: 1\npackages: [{ from: d.zip }]\n".utf8), to: "sync.yaml")
    }

    @Test func `load and sync leave a folder that isn't a cache unchanged, and say so`() throws {
        let scratch = try Scratch()
        _ = try SyncTests.package("d", "text", in: scratch)
        let commands = [["load", scratch.path("d.zip")], ["sync", try Self.sync(scratch)]]
        for (name, stranger) in [("p1", "packages/app/x.js"), ("p2", "staging/x"), ("p3", "src/main.c")] {
            let code = Array("code".utf8)
            try scratch.write(code, to: "\(name)/\(stranger)")
            for command in commands {
                let result = try Program.run(Program.afcache, command + ["--cache", scratch.path(name)])
                #expect(result.status == 12)
                let reason = "the folder is not a cache and contains '"
                #expect(result.errors.hasPrefix("error: cannot use '\(scratch.path(name))': \(reason)"))
                #expect(result.errors.hasSuffix("'; use a cache, or a new or empty folder\n"))
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

    @Test func `a refused package leaves no new cache and no folder`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("no package".utf8), to: "d.zip")
        let commands = [["load", scratch.path("d.zip")], ["sync", try Self.sync(scratch)]]
        for (command, status) in zip(commands, [10, 5] as [Int32]) {
            let names = scratch.names
            let result = try Program.run(Program.afcache, command + ["--cache", scratch.path("store")])
            #expect(result.status == status, "\(result.errors)")
            #expect(scratch.names == names)
            // A folder that was there stays, empty.
            try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: false)
            _ = try Program.run(Program.afcache, command + ["--cache", scratch.path("empty")])
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("empty")).isEmpty)
            try FileManager.default.removeItem(atPath: scratch.path("empty"))
        }
        // A cache that was there stays, too.
        _ = try SyncTests.package("e", "text", in: scratch)
        let load = ["load", scratch.path("e.zip"), "--cache", scratch.path("store")]
        #expect(try Program.run(Program.afcache, load).status == 0)
        #expect(
            try Program.run(Program.afcache, ["cache", "remove", "e", "--cache", scratch.path("store")]).status == 0
        )
        #expect(try Program.run(Program.afcache, commands[0] + ["--cache", scratch.path("store")]).status == 10)
        #expect(try Program.run(Program.afcache, ["ls", "--cache", scratch.path("store")]).status == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can be another user"))
    func `a cache without read permission isn't reported as missing`() throws {
        let scratch = try Scratch()
        _ = try SyncTests.package("d", "text", in: scratch)
        let store = scratch.path("store")
        let load = ["load", scratch.path("d.zip"), "--cache", store]
        #expect(try Program.run(Program.afcache, load).status == 0)
        #expect(chmod(store, 0o700) == 0)
        let command = OrdinaryUser.prefix + [try OrdinaryUser.program(in: scratch), "ls", "--cache", store]
        let result = try Program.run(command[0], Array(command.dropFirst()))
        #expect(result.status == 11, "\(result.errors)")
        #expect(result.errors.contains("Permission denied"), "\(result.errors)")
    }

    @Test func `foreign files in a cache are reported, and no change removes them`() throws {
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
