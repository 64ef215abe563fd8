import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser
import Synchronization

/// Results go to standard output, everything else to standard error.
enum Console {
    /// The messages that are shown in addition to results, warnings and errors.
    enum Level: UInt8, Comparable {
        /// Nothing.
        case quiet
        /// Progress and notes.
        case normal
        /// Progress, notes and details.
        case verbose

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private static let chosenLevel = Atomic<UInt8>(Level.normal.rawValue)

    /// The messages that are shown; set once, before the command runs.
    static var level: Level {
        get { Level(rawValue: chosenLevel.load(ordering: .relaxed)) ?? .normal }
        set { chosenLevel.store(newValue.rawValue, ordering: .relaxed) }
    }

    private static let errorsAreTerminal = isatty(STDERR_FILENO) == 1

    /// True if progress is shown: `--quiet` wasn't given.
    static var showsProgress: Bool { level > .quiet }

    /// True if the last line of the terminal is one of progress.
    private static let hasProgressLine = Atomic(false)

    private static let started = ContinuousClock.now
    private static let pace = Mutex(ProgressPace())

    /// True if results go to a terminal.
    static let resultIsTerminal = isatty(STDOUT_FILENO) == 1

    /// True if GitHub's runner logs the results; it takes some lines for commands.
    static let resultIsWorkflowLog: Bool = {
        var status = stat()
        let isFile = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return getenv("GITHUB_ACTIONS") != nil && !isFile
    }()

    /// The columns of the terminal behind standard error; 80 if they aren't known.
    static var width: Int { columns(of: STDERR_FILENO) }

    /// The columns of the terminal behind standard output; 80 if they aren't known.
    static var resultWidth: Int { columns(of: STDOUT_FILENO) }

    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Where messages and results of the current task go instead of the standard streams.
    @TaskLocal static var log: ConsoleLog?

    private static let pending = Mutex<[UInt8]>([])
    private static let pendingLimit = 64 << 10

    /// Writes a line of the result; invisible characters are escaped, since they may come from an untrusted source.
    static func print(_ line: String) { write((PrintableText.escaped(line, keeping: "\n\t") + "\n").utf8) }

    /// Writes a line of the result whose control characters are the program's own.
    static func printVerbatim(_ line: String) { write((line + "\n").utf8) }

    /// Writes bytes of the result.
    static func write(_ bytes: some Collection<UInt8>) {
        if let log { return log.append(bytes) }
        pending.withLock { pending in
            pending.append(contentsOf: bytes)
            if pending.count >= pendingLimit { send(&pending, to: STDOUT_FILENO) }
        }
    }

    /// Sends pending results to standard output.
    static func flush() { pending.withLock { send(&$0, to: STDOUT_FILENO) } }

    /// Writes a note to standard error, unless `--quiet` was given.
    static func note(_ line: String) {
        if level > .quiet { complain(line) }
    }

    /// Writes a detail to standard error if `--verbose` was given.
    static func detail(_ line: @autoclosure () -> String) {
        if level == .verbose { complain(line()) }
    }

    /// Writes a warning or an error to standard error; invisible characters are escaped.
    static func complain(_ line: String) {
        var bytes = Array((PrintableText.escaped(line, keeping: "\n\t") + "\n").utf8)
        if let log { return log.append(bytes) }
        if hasProgressLine.exchange(false, ordering: .relaxed) { bytes = Array("\r\u{1B}[K".utf8) + bytes }
        send(&bytes, to: STDERR_FILENO)
    }

    /// Shows the progress of the work: on the last line of the terminal, or in a line a minute where there is none, so that
    /// a log shows that something happens.
    static func progress(_ line: String) {
        guard showsProgress, log == nil else { return }
        guard errorsAreTerminal else {
            if !line.isEmpty, pace.withLock({ $0.isDue(at: started.duration(to: .now)) }) { complain(line) }
            return
        }
        hasProgressLine.store(!line.isEmpty, ordering: .relaxed)
        var bytes = Array(("\r\u{1B}[K" + line).utf8)
        send(&bytes, to: STDERR_FILENO)
    }

    /// Removes the progress line.
    static func endProgress() { progress("") }

    /// Occupies the standard streams that the program was started without.
    ///
    /// Otherwise the first file that is opened would take the number of one, and receive what is written to it. A folder
    /// can't be written or read, so writing results that have no destination remains an error.
    static func occupyStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one. Neither can be used: what isn't open can't be read or
            // written.
            let opened =
                descriptor == STDIN_FILENO ? open("/dev/null", O_WRONLY) : open("/", O_RDONLY)
            guard opened == descriptor else { systemExit(ExitStatus.inputOutput.rawValue) }
        }
    }

    /// Writes bytes, and ends the program if a result can't be written: a closed pipe, or a full disk.
    private static func send(_ bytes: inout [UInt8], to descriptor: Int32) {
        let failure: Int32? = bytes.withUnsafeBytes { buffer in
            Descriptor.append(buffer, to: descriptor) ? nil : errno
        }
        bytes.removeAll(keepingCapacity: true)
        guard let failure, descriptor == STDOUT_FILENO else { return }
        // A reader that closed the pipe needs no error; all others must know that the result is incomplete.
        if failure == EPIPE { endByClosedPipe() }
        complain("error: cannot write to standard output: \(String(cString: strerror(failure)))")
        systemExit(ExitStatus.inputOutput.rawValue)
    }

    /// Ends the program as the system ends one whose reader has closed the pipe.
    ///
    /// The program itself ignores the signal, so that it can remove its temporary files first.
    static func endByClosedPipe() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        systemExit(128 + SIGPIPE)
    }
}

/// What commands print that run within another one.
final class ConsoleLog: Sendable {
    private static let limit = 1 << 20
    private let collected = Mutex<[UInt8]>([])

    /// The text so far; of more than 1 MiB, the beginning.
    var bytes: [UInt8] { collected.withLock { $0 } }

    /// Returns the last line with a beginning, without that beginning; nil if there is none.
    func last(_ beginning: String) -> String? {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.last { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
    }

    /// Appends printed bytes.
    func append(_ bytes: some Collection<UInt8>) {
        collected.withLock { if $0.count < Self.limit { $0.append(contentsOf: bytes.prefix(Self.limit - $0.count)) } }
    }
}

/// The options `--quiet` and `--verbose`, which mean the same for all commands.
struct VerbosityOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only results, warnings and errors, without progress and notes.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also show details of each step.")
    var verbose = false

    func validate() throws {
        guard !quiet || !verbose else { throw ValidationError("use '--quiet' or '--verbose', not both") }
        // Parsing ends here for each command that has the options, so no command can accept and ignore them.
        Console.level = quiet ? .quiet : verbose ? .verbose : .normal
    }
}

/// When a line of progress is due where there is no terminal.
struct ProgressPace {
    private static let interval = Duration.seconds(60)
    private var last = Duration.zero

    /// Asks whether a line is due.
    ///
    /// - Parameter time: The time since the work began.
    /// - Returns: True once a minute.
    mutating func isDue(at time: Duration) -> Bool {
        guard time - last >= Self.interval else { return false }
        last = time
        return true
    }
}
