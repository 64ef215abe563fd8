import Foundation
import TestSupport
import Testing

/// Readers that may write nothing: they see what writers do, and leave nothing behind.
struct ReaderTests {
    @Test(.enabled(if: OrdinaryUser.isNeeded, "an ordinary user has no other user who may read only"))
    func `a server of another user sees each change, and needs no write permission`() async throws {
        let scratch = try Scratch()
        let store = scratch.path("store")
        let program = try OrdinaryUser.program(in: scratch)
        let prefix = OrdinaryUser.prefix
        func load(_ text: String) throws {
            _ = try SyncTests.package("d", text, in: scratch)
            let loaded = try Program.run(Program.afcache, ["load", scratch.path("d.zip"), "--cache", store])
            #expect(loaded.status == 0, "\(loaded.errors)")
        }
        func asOrdinary(_ arguments: [String]) throws -> ProgramResult {
            try Program.run(prefix[0], prefix.dropFirst() + [program] + arguments)
        }
        try load("one")
        let server = try RunningProgram(
            prefix[0],
            prefix.dropFirst() + [program, "serve", "--port", "0", "--cache", store]
        )
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        for text in ["one", "two", "three", "four"] {
            if text != "one" { try load(text) }
            // Where the number of changes doesn't tell, the server looks once a second.
            try server.wait(until: "the server serves version \(text)") {
                try Program.run("curl", ["-sS", "\(address)d.example/index.html"]).text == text
            }
            #expect(try asOrdinary(["get", "http://d.example/index.html", "--cache", store]).text == text)
        }
        for command in [
            ["ls"], ["cache", "ls"], ["cache", "info"], ["cache", "verify"], ["cache", "verify", "--quick"],
        ] {
            let read = try asOrdinary(command + ["--cache", store])
            #expect(read.status == 0, "\(command): \(read.text)\(read.errors)")
        }
        // Whoever can read a lock can hold it.
        for name in ["writer.lock", "reserve/0"] {
            let read = try Program.run(prefix[0], prefix.dropFirst() + ["test", "-r", store + "/" + name])
            #expect(read.status == 1, "\(name)")
        }
        let refused = try asOrdinary(["cache", "gc", "--cache", store])
        #expect(refused.status == 11, "\(refused.errors)")
        #expect(refused.errors.hasPrefix("error: "))
    }
}
