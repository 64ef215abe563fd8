public import Foundation

/// A program that runs beside a test.
public final class RunningProgram: Sendable {
    /// Its process.
    public let pid: pid_t
    private let output: String
    private let scratch: Scratch

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: A path, or a name that is looked up in PATH.
    ///   - arguments: Its arguments.
    ///   - environment: Variables added to the test's own.
    /// - Throws: ``Program/NotRun`` where it can't be started.
    public init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        scratch = try Scratch()
        output = scratch.path("out")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, scratch.path("err"), O_WRONLY | O_CREAT, 0o600)
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + settings).forEach { free($0) } }
        // Tests may run under nohup, which ignores this signal; threads of a pool block all of them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGHUP)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var started: pid_t = 0
        let failure = posix_spawnp(&started, name, &actions, &attributes, &words, &settings)
        guard failure == 0 else { throw Program.NotRun(name: name, number: failure) }
        pid = started
    }

    /// What the program has printed so far.
    public var text: String { String(decoding: (try? scratch.read("out")) ?? [], as: UTF8.self) }

    /// What the program has written to standard error so far.
    public var errors: String { String(decoding: (try? scratch.read("err")) ?? [], as: UTF8.self) }

    /// The first line that the program prints, or nil where it ends without one.
    ///
    /// - Throws: ``WaitTimeout`` where it does neither in time.
    public func firstLine() async throws -> String? {
        var line: String?
        try await waitUntil("a program has printed a line") {
            // Asked before the text is read, so that a line of a program which has just ended isn't missed.
            let hasEnded = hasEnded
            let text = text
            line = text.firstIndex(of: "\n").map { String(text[..<$0]) }
            return line != nil || hasEnded
        }
        return line
    }

    /// Waits for something on the thread, so that busy other tests don't let the program run on meanwhile.
    ///
    /// - Parameters:
    ///   - event: What is waited for, as a clause.
    ///   - happened: The condition.
    /// - Throws: ``WaitTimeout`` where neither comes in time, and ``Ended`` where only the end comes.
    public func wait(until event: String, _ happened: () throws -> Bool) throws {
        try waitOnThread(until: event, pause: .milliseconds(20)) {
            let hasEnded = hasEnded
            if try happened() { return true }
            if hasEnded { throw Ended(event: event, errors: errors) }
            return false
        }
    }

    /// A program that ended before the event for which a test waits.
    public struct Ended: Error, CustomStringConvertible {
        /// The event, as a clause.
        public var event: String
        /// The program's standard error.
        public var errors: String

        /// A sentence for the test's log.
        public var description: String { "the program ended before \(event): \(errors)" }
    }

    /// Whether the program has ended; it can be waited for nevertheless.
    public var hasEnded: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
    }

    /// Sends a signal and waits for the end.
    ///
    /// - Parameter signal: The signal.
    /// - Returns: The exit code; negative for the signal that ended it.
    public func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(pid, signal)
        return wait()
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit code; negative for the signal that ended it.
    public func wait() -> Int32 {
        var ended: Int32 = 0
        while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
        let signal = ended & 0x7F
        return signal == 0 ? ended >> 8 & 0xFF : -signal
    }
}
