import AFCFiles
import AFCPlatform

/// Reads lines from a descriptor, each up to a limit; the rest of a longer one is skipped, not kept.
struct LineReader {
    /// What was read.
    enum Line: Equatable {
        /// A line without its end.
        case bytes([UInt8])
        /// A line that was too long.
        case tooLong
        /// The end, or the descriptor to stop at became readable.
        case end

        /// The number of bytes that it keeps.
        var size: Int { if case .bytes(let bytes) = self { bytes.count } else { 0 } }
    }

    private let descriptor: Int32
    private let stop: Int32
    private let limit: Int
    private var pending: [UInt8] = []
    private var position = 0
    private var isEnded = false
    private var isSkipping = false

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read from.
    ///   - stop: A descriptor that ends the reading once it is readable.
    ///   - limit: The most bytes of a line.
    init(_ descriptor: Int32, stop: Int32, limit: Int) {
        (self.descriptor, self.stop, self.limit) = (descriptor, stop, limit)
    }

    /// Returns the next line; blocks.
    mutating func next() -> Line {
        while true {
            if let end = pending[position...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[position..<end]
                position = end + 1
                let wasSkipping = isSkipping
                isSkipping = false
                return wasSkipping || line.count > limit ? .tooLong : .bytes(Array(line))
            }
            pending.removeFirst(position)
            position = 0
            if pending.count > limit {
                isSkipping = true
                pending = []
            }
            guard !isEnded, read() else {
                defer { (pending, isSkipping, isEnded) = ([], false, true) }
                if isSkipping { return .tooLong }
                return pending.isEmpty ? .end : .bytes(pending)
            }
        }
    }

    /// Reads some bytes; false at the end.
    private mutating func read() -> Bool {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, nfds_t(watched.count), -1) < 0 { guard errno == EINTR else { return false } }
        guard watched[1].revents == 0 else {
            pending = []
            isSkipping = false
            return false
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(0, Descriptor.readNext(descriptor, into: UnsafeMutableRawBufferPointer(buffer)) ?? 0)
        }
        pending += bytes
        return !bytes.isEmpty
    }
}
