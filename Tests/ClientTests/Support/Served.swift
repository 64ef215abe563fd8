import Foundation
import TestSupport
import Testing

/// The built program as a server, with a store of its own.
struct Served: Sendable {
    /// The port it listens at, on 127.0.0.1.
    let port: UInt16
    /// Its process.
    let pid: Int32
    /// The folder with the store, the authority and whatever a test puts there.
    let scratch: Scratch

    /// Returns what it has written to standard error so far.
    let errors: @Sendable () -> String

    /// `http://127.0.0.1:PORT`.
    var base: String { "http://127.0.0.1:\(port)" }

    /// Who runs it.
    enum User: Sendable {
        /// Whoever runs the tests.
        case own
        /// A user without privileges, whatever the tests have.
        case ordinary
    }

    /// Starts it, and stops it when the body has run.
    ///
    /// - Parameters:
    ///   - arguments: What `serve` is given besides the store and the port.
    ///   - scratch: Where the store is, as `store`; a new, empty one where there is none.
    ///   - user: Who runs it.
    ///   - body: What is done meanwhile.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws, or why the server doesn't start.
    static func run<Result>(
        _ arguments: [String],
        in scratch: Scratch,
        as user: User = .own,
        _ body: (Served) async throws -> Result
    ) async throws -> Result {
        let prefix = user == .ordinary ? OrdinaryUser.prefix : []
        let built = user == .ordinary ? try OrdinaryUser.program(in: scratch) : Program.afcache
        let command = prefix + [built, "serve", "--cache", scratch.path("store"), "--port", "0"] + arguments
        let program = try RunningProgram(command[0], Array(command.dropFirst()))
        let result: Result
        do {
            let line = try #require(
                try await program.firstLine(),
                "'serve \(arguments)' doesn't start: \(program.errors)"
            )
            let port = try #require(line.dropLast().split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
            result = try await body(Served(port: port, pid: program.pid, scratch: scratch, errors: { program.errors }))
        } catch {
            _ = program.stop(SIGKILL)
            throw error
        }
        let status = try await Blocking.run { program.stop() }
        #expect(status == 0, "the server ends as it should")
        return result
    }

    /// A gateway before an origin.
    static func gateway<Result>(
        _ origin: PythonOrigin,
        _ arguments: String...,
        body: (Served) async throws -> Result
    ) async throws -> Result {
        // What a gateway answers for without the option is in the tests of its hosts.
        try await run(["--origin", "http://\(origin.authority)", "--allow-host", "*"] + arguments, in: Scratch(), body)
    }

    /// A proxy that leads to this machine, too.
    static func proxy<Result>(_ arguments: String..., body: (Served) async throws -> Result) async throws -> Result {
        try await run(["--forward-proxy", "--allow-private"] + arguments, in: Scratch(), body)
    }

    /// Runs another command of the program, which must succeed.
    @discardableResult
    static func command(_ arguments: String...) async throws -> String {
        let result = try await Programs.run(Program.afcache, arguments)
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return result.text
    }

    /// Makes an authority in `ca`.
    static func makeAuthority(_ scratch: Scratch, hosts: String...) async throws -> String {
        let names = hosts.flatMap { ["--host", $0] }
        let result = try await Programs.run(
            Program.afcache,
            ["ca", "create", "--ca", scratch.path("ca"), "--common-name", "test", "--valid-for", "10d"] + names
        )
        try #require(result.status == 0, "\(result.errors)")
        return scratch.path("ca/certificate.pem")
    }

    /// Packs the files of `in` and loads them.
    static func load(_ scratch: Scratch, baseURL: String, _ arguments: String...) async throws {
        let packed = try await Programs.run(
            Program.afcache,
            // The packages of several sites are loaded one after the other.
            ["pack", "--folder", scratch.path("in"), "--base-url", baseURL, "--overwrite"]
                + ["-o", scratch.path("package.zip")] + arguments
        )
        try #require(packed.status == 0, "\(packed.errors)")
        try await command("load", scratch.path("package.zip"), "--cache", scratch.path("store"))
    }
}
