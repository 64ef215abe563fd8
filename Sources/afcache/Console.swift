import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Results go to standard output, everything else to standard error.
enum Console {
    /// Whether standard error is a terminal, so that progress may be shown.
    static let showsProgress = isatty(STDERR_FILENO) == 1

    /// Whether results go to a terminal, so that people read them.
    static let resultIsTerminal = isatty(STDOUT_FILENO) == 1

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

    /// Writes a line of the result.
    static func print(_ line: String) { write((line + "\n").utf8) }

    /// Writes bytes of the result.
    static func write(_ bytes: some Collection<UInt8>) {
        pending.withLock { pending in
            pending.append(contentsOf: bytes)
            if pending.count >= pendingLimit { send(&pending, to: STDOUT_FILENO) }
        }
    }

    /// Makes what was written reach its reader.
    static func flush() { pending.withLock { send(&$0, to: STDOUT_FILENO) } }

    /// Writes a line that is no result.
    static func complain(_ line: String) {
        var bytes = Array((line + "\n").utf8)
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

    /// Ends the program where a result can't be written: a pipe that nobody reads, or a full disk.
    private static func send(_ bytes: inout [UInt8], to descriptor: Int32) {
        let isWritten = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = systemWrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        bytes.removeAll(keepingCapacity: true)
        if !isWritten, descriptor == STDOUT_FILENO { systemExit(ExitStatus.inputOutput.rawValue) }
    }
}
