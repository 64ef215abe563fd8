import AFCFiles
import AFCPlatform
import AFCProcess
import AFCServer
import UnixSignals

/// A program that runs in the foreground while afcache works for it.
enum ChildProgram {
    /// Runs a program to its end with this process's standard streams, in its process group, so that it can use the
    /// terminal.
    ///
    /// SIGTERM is passed on to it. The terminal sends SIGINT to both; without a terminal, SIGINT is passed on as well.
    ///
    /// - Parameters:
    ///   - words: The program's name or path, and its arguments.
    ///   - environment: The environment.
    ///   - network: The network for the program; nil for this process's.
    /// - Returns: The exit code; 128 and the number of the signal that ended it.
    /// - Throws: `FileError` if it can't be started.
    static func run(
        _ words: [String],
        environment: [String: String],
        in network: IsolatedNetwork? = nil
    ) async throws -> Int32 {
        // No signal may end this process once the program runs.
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let pid =
            try network?.start(words, environment: variables) ?? ChildProcess.start(words, environment: variables)
        let hasTerminal = isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1
        let passing = Task {
            for await signal in signals {
                if signal == .sigterm { kill(pid, SIGTERM) } else if !hasTerminal { kill(pid, SIGINT) }
            }
        }
        defer { passing.cancel() }
        return await OffPool.run { Descriptor.waitForExit(of: pid) }
    }

    /// Serves while the body runs, and returns the code that it returns.
    static func serve(
        _ responder: any Responding,
        _ configuration: Server.Configuration,
        _ body: @escaping @Sendable (Server.Address) async throws -> Int32
    ) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Int32?.self) { tasks in
            let (addresses, ready) = AsyncStream.makeStream(of: Server.Address.self)
            tasks.addTask {
                defer { ready.finish() }
                try await Server.runUntilCancelled(responder: responder, configuration: configuration) {
                    ready.yield($0)
                }
                return nil
            }
            tasks.addTask {
                for await address in addresses { return try await body(address) }
                return nil
            }
            defer { tasks.cancelAll() }
            while let code = try await tasks.next() { if let code { return code } }
            return 0
        }
    }

    /// Waits for SIGINT or SIGTERM, in place of a program; what was printed is visible meanwhile.
    static func waitForSignal() async -> Int32 {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        Console.flush()
        for await _ in signals { break }
        return 0
    }
}

/// The environment of this process.
enum ProcessEnvironment {
    /// All variables.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        #if canImport(Darwin)
        // Darwin's module leaves out the variable.
        guard var entry = _NSGetEnviron().pointee else { return [:] }
        #else
        var entry = environ
        #endif
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
