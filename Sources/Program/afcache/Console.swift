import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser
import Synchronization

/// Results go to standard output, everything else to standard error.
enum Console {
    /// The amount of messages beside results, warnings and errors.
    enum Level: UInt8, Comparable {
        /// Nothing.
        case quiet
        /// Progress and notes.
        case normal
        /// Details, too.
        case verbose

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private static let chosenLevel = Atomic<UInt8>(Level.normal.rawValue)

    /// The amount of messages; set once, before the command runs.
    static var level: Level {
        get { Level(rawValue: chosenLevel.load(ordering: .relaxed)) ?? .normal }
        set { chosenLevel.store(newValue.rawValue, ordering: .relaxed) }
    }

    private static let errorsAreTerminal = isatty(STDERR_FILENO) == 1

    /// Indicates whether standard error is a terminal, so that progress may be shown, and is wanted.
    static var showsProgress: Bool { errorsAreTerminal && level > .quiet }

    /// Whether results go to a terminal, so that people read them.
    static let resultIsTerminal = isatty(STDOUT_FILENO) == 1

    /// Indicates whether results are logged by GitHub's runner, which takes some lines for commands.
    static let resultIsWorkflowLog: Bool = {
        var status = stat()
        let isFile = fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        return getenv("GITHUB_ACTIONS") != nil && !isFile
    }()

    /// The columns of the terminal behind standard error; 80 where it doesn't say.
    static var width: Int { columns(of: STDERR_FILENO) }

    /// The columns of the terminal behind standard output; 80 where it doesn't say.
    static var resultWidth: Int { columns(of: STDOUT_FILENO) }

    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static let pending = Mutex<[UInt8]>([])
    private static let pendingLimit = 64 << 10

    /// Writes a line of the result; what can't be seen in it is escaped, since it may come from a stranger.
    static func print(_ line: String) { write((PrintableText.escaped(line, keeping: "\n\t") + "\n").utf8) }

    /// Writes a line of the result whose controls are the program's own.
    static func printVerbatim(_ line: String) { write((line + "\n").utf8) }

    /// Writes bytes of the result.
    static func write(_ bytes: some Collection<UInt8>) {
        pending.withLock { pending in
            pending.append(contentsOf: bytes)
            if pending.count >= pendingLimit { send(&pending, to: STDOUT_FILENO) }
        }
    }

    /// Makes what was written reach its reader.
    static func flush() { pending.withLock { send(&$0, to: STDOUT_FILENO) } }

    /// Writes a note to standard error, unless `--quiet` was given.
    static func note(_ line: String) {
        if level > .quiet { complain(line) }
    }

    /// Writes a detail to standard error where `--verbose` was given.
    static func detail(_ line: @autoclosure () -> String) {
        if level == .verbose { complain(line()) }
    }

    /// Writes a warning or an error to standard error; what can't be seen is escaped, since it may come from a stranger.
    static func complain(_ line: String) {
        var bytes = Array((PrintableText.escaped(line, keeping: "\n\t") + "\n").utf8)
        send(&bytes, to: STDERR_FILENO)
    }

    /// Shows how far the work is, on the last line of a terminal.
    static func progress(_ line: String) {
        guard showsProgress else { return }
        var bytes = Array(("\r\u{1B}[K" + line).utf8)
        send(&bytes, to: STDERR_FILENO)
    }

    /// Takes the line of progress away.
    static func endProgress() { progress("") }

    /// Occupies the standard streams that the program was started without.
    ///
    /// The first file that is opened would else take the place of one, and get what is written to it. A folder can be
    /// neither written nor read, so results that go nowhere remain an error.
    static func occupyStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            guard open("/", O_RDONLY) == descriptor else { systemExit(ExitStatus.inputOutput.rawValue) }
        }
    }

    /// Ends the program where a result can't be written: a pipe that nobody reads, or a full disk.
    private static func send(_ bytes: inout [UInt8], to descriptor: Int32) {
        let failure: Int32? = bytes.withUnsafeBytes { buffer in
            Descriptor.append(buffer, to: descriptor) ? nil : errno
        }
        bytes.removeAll(keepingCapacity: true)
        guard let failure, descriptor == STDOUT_FILENO else { return }
        // A reader that closed the pipe knows that it did; all others must know that the result is incomplete.
        if failure != EPIPE {
            complain("error: cannot write to standard output: \(String(cString: strerror(failure)))")
        }
        systemExit(ExitStatus.inputOutput.rawValue)
    }
}

/// The amount of messages beside the results: the same options, with the same meaning, for all commands.
struct VerbosityOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show only results, warnings and errors: no progress and no notes.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Also show details of each step.")
    var verbose = false

    func validate() throws {
        guard !quiet || !verbose else { throw ValidationError("use '--quiet' or '--verbose', not both") }
        // Parsing ends with this for each command that has the options, so none can accept and ignore them.
        Console.level = quiet ? .quiet : verbose ? .verbose : .normal
    }
}
