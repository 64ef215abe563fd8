import Foundation
import Synchronization
import TestSupport
import Testing

/// The origin of `Programs/origin.py`: it answers with what a request's query says, and writes down what it is asked.
final class PythonOrigin: Sendable {
    /// A request as it came.
    struct Request: Decodable {
        /// Request line and fields.
        var head: String
        /// The body.
        var body: String
        /// What was wrong with it.
        var trouble: String?

        /// The request line.
        var line: String { head.components(separatedBy: "\r\n").first ?? "" }
        /// The values of a field.
        func values(_ name: String) -> [String] {
            head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    let port: UInt16
    private let program: RunningProgram
    private let scratch: Scratch
    private let isStopped = Mutex(false)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - identity: With what it speaks TLS; nil for plain HTTP.
    ///   - folder: Whose files it has besides; they are fresh for an hour.
    /// - Throws: Where it doesn't start.
    init(_ identity: Identity? = nil, folder: String = "-") async throws {
        scratch = try Scratch()
        var arguments = [Programs.path("origin.py"), scratch.path("log"), folder]
        if let identity { arguments += [identity.certificate, identity.key] }
        program = try Programs.start("python3", arguments)
        let line = try await program.firstLine()
        guard let port = line.flatMap({ UInt16($0) }) else {
            _ = program.stop(SIGKILL)
            throw Missing("the origin doesn't start; 'scripts/setup --tests' installs python3")
        }
        self.port = port
    }

    /// Not by SIGTERM: the threads of Swift's pool hold signals back, and what they start inherits that.
    func stop() {
        isStopped.withLock { isStopped in
            if !isStopped { _ = program.stop(SIGKILL) }
            isStopped = true
        }
    }

    /// Every request so far.
    var requests: [Request] {
        get throws {
            guard scratch.names.contains("log") else { return [] }
            return try String(decoding: scratch.read("log"), as: UTF8.self).split(separator: "\n").map {
                try JSONDecoder().decode(Request.self, from: Data($0.utf8))
            }
        }
    }

    /// How many requests came so far.
    var count: Int { get throws { try requests.count } }

    /// `127.0.0.1:PORT`.
    var authority: String { "127.0.0.1:\(port)" }

    /// Runs an origin while the body runs.
    static func run<Result>(
        _ identity: Identity? = nil,
        _ body: (PythonOrigin) async throws -> Result
    ) async throws -> Result {
        let origin = try await PythonOrigin(identity)
        defer { origin.stop() }
        return try await body(origin)
    }
}

/// Something that the tests need isn't there.
struct Missing: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// The programs beside these tests.
enum Programs {
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Programs/"
            + name
    }

    /// Runs a program off the cooperative pool, which has no threads to lose.
    static func run(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> ProgramResult {
        try await Blocking.run {
            do {
                return try Program.run(name, arguments, environment: environment)
            } catch let error as Program.NotRun where error.number == ENOENT {
                throw Missing("there is no '\(name)'; 'scripts/setup --tests' installs it")
            }
        }
    }

    /// Starts a program that runs beside the test.
    static func start(_ name: String, _ arguments: [String]) throws -> RunningProgram {
        do {
            return try RunningProgram(name, arguments)
        } catch let error as Program.NotRun where error.number == ENOENT {
            throw Missing("there is no '\(name)'; 'scripts/setup --tests' installs it")
        }
    }

    /// Runs a Python program of this folder, which says on standard error what is wrong, and fails then.
    static func python(_ name: String, _ arguments: String...) async throws -> ProgramResult {
        try await run("python3", [path(name)] + arguments)
    }
}

/// Calls that block, on threads of their own.
enum Blocking {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try body() }) }
            thread.start()
        }
    }
}
