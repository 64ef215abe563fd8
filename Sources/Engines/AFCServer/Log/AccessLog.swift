internal import AFCBlocking
internal import AFCFiles
import AFCPlatform
public import AFCText
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A log file with one line per answer, written a few times a second off the event loops.
///
/// If the file is renamed, as log rotation does, later lines go to a new file of the old name. If the disk is too slow,
/// lines are dropped rather than kept in memory without bound, and the log says how many.
public final class AccessLog: Sendable {
    /// The most bytes that wait to be written.
    private static let limit = 16 * 1024 * 1024

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let path: String?
    private let format: AccessLogFormat
    private let state = Mutex(State())
    private let descriptor: Mutex<Int32>

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - path: The file to append to; nil for standard output.
    ///   - format: The form of the lines.
    /// - Throws: ``ServerError`` if the file can't be opened.
    public init(path: String?, format: AccessLogFormat) throws(ServerError) {
        self.path = path
        self.format = format
        guard let path else {
            descriptor = Mutex(STDOUT_FILENO)
            return
        }
        let opened = openLog(path)
        guard opened >= 0 else {
            // Some systems report EMLINK instead.
            let isLink = errno == ELOOP || errno == EMLINK
            let message =
                isLink
                ? "it is a symbolic link, which another user may have created; name the file that it points to, "
                    + "or '-' for standard output"
                : String(cString: strerror(errno))
            throw ServerError(.cannotLog, subject: path, message: message)
        }
        descriptor = Mutex(opened)
    }

    deinit {
        if path != nil { descriptor.withLock { _ = close($0) } }
    }

    /// Adds a line; never blocks for long.
    ///
    /// - Parameter record: The answer to log.
    public func write(_ record: AccessRecord) {
        let line = record.line(format)
        let mustSchedule = state.withLock { state in
            guard state.waiting.count < Self.limit else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line.utf8)
            state.waiting.append(0x0A)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .milliseconds(200)) { [self] in
            // The log lives until its lines are written.
            Blocking.submit { self.flush() }
        }
    }

    /// Writes the waiting lines; blocks.
    public func flush() {
        descriptor.withLock { descriptor in
            let (bytes, dropped) = state.withLock { state in
                defer { state = State() }
                return (state.waiting, state.dropped)
            }
            reopenIfMoved(&descriptor)
            Self.write(bytes, to: descriptor)
            if dropped > 0 { Self.write(Array("# \(dropped) lines were dropped\n".utf8), to: descriptor) }
        }
    }

    private func reopenIfMoved(_ descriptor: inout Int32) {
        guard let path else { return }
        var (now, own) = (stat(), stat())
        guard fstat(descriptor, &own) == 0 else { return }
        if lstat(path, &now) == 0, now.st_ino == own.st_ino, now.st_dev == own.st_dev { return }
        let opened = openLog(path)
        guard opened >= 0 else { return }
        close(descriptor)
        descriptor = opened
    }

    /// Writes bytes, and ignores failures, since serving must not stop because a log can't be written.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { _ = Descriptor.append($0, to: descriptor) }
    }
}

// Inside the type, `open` would mean its own member.

private func openLog(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o640)
}
