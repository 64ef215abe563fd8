import AFCFiles
import AFCPlatform
import AFCText
import UnixSignals

/// A program that runs in the foreground while afcache works for it.
struct ChildProgram {
    /// The reason that a program can't be started.
    struct NotStarted: Error {
        var name: String
        var number: Int32
    }

    private let pid: pid_t

    /// Starts a program with this process's standard streams, in its process group, so that it can use the terminal.
    ///
    /// - Parameters:
    ///   - words: The program's name or path, and its arguments.
    ///   - environment: The environment.
    /// - Throws: ``NotStarted``.
    init(_ words: [String], environment: [String: String]) throws(NotStarted) {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A new program inherits which signals are ignored and blocked, and this one handles some of its own.
        var standard = sigset_t()
        sigemptyset(&standard)
        posix_spawnattr_setsigmask(&attributes, &standard)
        for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&standard, signal) }
        posix_spawnattr_setsigdefault(&attributes, &standard)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var started: pid_t = 0
        let failure = posix_spawnp(&started, words[0], nil, &attributes, &arguments, &variables)
        guard failure == 0 else { throw NotStarted(name: words[0], number: failure) }
        pid = started
    }

    /// Waits until the program has ended, and passes SIGTERM on to it.
    ///
    /// The terminal sends SIGINT to both; without a terminal, SIGINT is passed on as well.
    ///
    /// - Returns: The exit code; 128 and the number of the signal that ended it.
    func wait() async -> Int32 {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
        let hasTerminal = isatty(STDIN_FILENO) == 1 || isatty(STDERR_FILENO) == 1
        let passing = Task { [pid] in
            for await signal in signals {
                if signal == .sigterm { kill(pid, SIGTERM) } else if !hasTerminal { kill(pid, SIGINT) }
            }
        }
        defer { passing.cancel() }
        return await OffPool.run { [pid] in Descriptor.waitForExit(of: pid) }
    }
}

/// The environment of this process.
enum ProcessEnvironment {
    /// All variables.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
