import AFCCache
import AFCCrawlRules
import AFCFiles
internal import AFCPackager
import AFCPlatform
import AFCText
import Synchronization

/// A file that receives a crawl's events while it runs, one JSON object per line.
final class EventFile: Sendable {
    private struct State: Sendable {
        var pending: [UInt8] = []
        var error: Int32?
    }

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Opens the file; a file with events is emptied, a device or pipe is written to.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - overwrites: True if a file of another kind may be emptied too.
    /// - Throws: `CacheError`.
    init(path: String, overwrites: Bool) throws {
        self.path = path
        if !overwrites {
            try ReplacedFile.require(path, is: "a file of events") { $0.starts(with: #"{"event":"#.utf8) }
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    deinit { close(descriptor) }

    /// Takes an event; called from several tasks.
    ///
    /// Lines are written when the crawl reports its progress, five times a second.
    func note(_ event: CrawlEvent) {
        guard let line = event.json else { return }
        state.withLock { state in
            state.pending.append(contentsOf: (line + "\n").utf8)
            switch event {
            case .queue, .ended, .started, .packing: send(&state)
            default: if state.pending.count >= 64 << 10 { send(&state) }
            }
        }
    }

    /// Ends the file.
    ///
    /// - Throws: `CacheError` if an event could not be written.
    func finish() throws {
        let error = state.withLock { state in
            send(&state)
            return state.error
        }
        if let error { throw Self.failure(path, error) }
    }

    private func send(_ state: inout State) {
        defer { state.pending.removeAll(keepingCapacity: true) }
        guard state.error == nil else { return }
        state.error = state.pending.withUnsafeBytes { buffer in
            Descriptor.append(buffer, to: descriptor) ? nil : errno
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> CacheError {
        CacheError(.inputOutput, subject: path, message: String(cString: strerror(code)))
    }
}
