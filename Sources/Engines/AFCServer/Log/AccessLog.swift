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

    /// The open file, and true if the last lines couldn't be written to it.
    private struct Output {
        var descriptor: Int32
        var hasFailed = false
    }

    private let path: String?
    private let format: AccessLogFormat
    private let onFailure: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let output: Mutex<Output>

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - path: The file to append to; nil for standard output.
    ///   - format: The form of the lines.
    ///   - onFailure: A closure called with the reason when lines are lost because they can't be written, once until it
    ///     works again; from any thread.
    /// - Throws: ``ServerError`` if the file can't be opened.
    public init(
        path: String?,
        format: AccessLogFormat,
        onFailure: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ServerError) {
        self.path = path
        self.format = format
        self.onFailure = onFailure
        guard let path else {
            output = Mutex(Output(descriptor: STDOUT_FILENO))
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
        output = Mutex(Output(descriptor: opened))
    }

    deinit {
        if path != nil { output.withLock { _ = close($0.descriptor) } }
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
        let failure: String? = output.withLock { output in
            var (bytes, dropped) = state.withLock { state in
                defer { state = State() }
                return (state.waiting, state.dropped)
            }
            reopenIfMoved(&output.descriptor)
            if dropped > 0 { bytes += Array("# \(dropped) lines were dropped\n".utf8) }
            // Serving doesn't stop because a log can't be written.
            let isWritten = bytes.withUnsafeBytes { Descriptor.append($0, to: output.descriptor) }
            let reason = isWritten ? nil : String(cString: strerror(errno))
            defer { output.hasFailed = !isWritten }
            return output.hasFailed ? nil : reason
        }
        if let failure { onFailure(failure) }
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
}

// Inside the type, `open` would mean its own member.

private func openLog(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o640)
}
