internal import AFCFiles
internal import AFCText
internal import AFCZip
internal import Synchronization

/// Inflates a large member while it is read, in little memory.
///
/// Reading at a position before the last one begins again at the start.
final class Inflation: Sendable {
    private struct State: ~Copyable, Sendable {
        var inflater: Inflater
        // Only this value, which has one owner at a time, uses what it points to.
        nonisolated(unsafe) let input: UnsafeMutableRawBufferPointer
        /// The bytes of the data that were read, and the bytes of the body that were made.
        var read: Int64 = 0
        var made: Int64 = 0

        init() throws(ZipError) {
            inflater = try Inflater()
            input = .allocate(byteCount: Inflation.bufferSize, alignment: 16)
        }

        deinit { input.deallocate() }
    }

    private static let bufferSize = 64 << 10

    private let file: OpenFile
    private let offset: Int64
    private let count: Int64
    private let state = Mutex<State?>(nil)

    /// Creates the inflation of a part of a file; nothing is read yet.
    init(of file: OpenFile, offset: Int64, count: Int64) {
        (self.file, self.offset, self.count) = (file, offset, count)
    }

    /// Returns the number of bytes that must be made, and discarded, before those at a position.
    func distance(to position: Int64) -> Int64 {
        state.withLock { state in
            let made = state?.made ?? 0
            return position < made ? position : position - made
        }
    }

    /// Makes bytes before a position, and discards them, so that reading there takes less time; blocks.
    ///
    /// - Parameters:
    ///   - position: The position in the body.
    ///   - limit: The most bytes to make.
    /// - Returns: False if the data is damaged or ends too early.
    /// - Throws: ``CacheError`` if it can't be read, or there is not enough memory.
    func advance(toward position: Int64, atMost limit: Int64) throws(CacheError) -> Bool {
        let made = state.withLock { $0?.made ?? 0 }
        let end = min(position, (position < made ? 0 : made) + limit)
        return try read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: end)
    }

    /// Fills a buffer with the bytes of the body from a position on; blocks.
    ///
    /// - Parameters:
    ///   - buffer: The buffer; the body has as many bytes from the position on as it has room for.
    ///   - position: The position in the body.
    /// - Returns: False if the data is damaged or ends too early.
    /// - Throws: ``CacheError`` if it can't be read, or there is not enough memory.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(CacheError) -> Bool {
        try state.withLock { state throws(CacheError) in
            var current: State
            if let known = state.take() { current = known } else { current = try Self.begin() }
            if position < current.made {
                current.inflater.reset()
                (current.read, current.made) = (0, 0)
            }
            let isFilled = try fill(buffer, at: position, &current)
            state = isFilled ? consume current : nil
            return isFilled
        }
    }

    private static func begin() throws(CacheError) -> State {
        do throws(ZipError) {
            return try State()
        } catch {
            throw CacheError(.inputOutput, subject: "inflation", message: error.message)
        }
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        at position: Int64,
        _ state: inout State
    ) throws(CacheError) -> Bool {
        // What comes before the position is made, too, and discarded.
        let scrap = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(Self.bufferSize), max(1, position - state.made))),
            alignment: 16
        )
        defer { scrap.deallocate() }
        while state.made < position {
            let wanted = Int(min(Int64(scrap.count), position - state.made))
            guard let made = try make(UnsafeMutableRawBufferPointer(rebasing: scrap[..<wanted]), &state) else {
                return false
            }
            state.made += Int64(made)
        }
        var done = 0
        while done < buffer.count {
            guard let made = try make(UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), &state) else {
                return false
            }
            done += made
            state.made += Int64(made)
        }
        return true
    }

    /// Makes at least one byte; nil if there are no more.
    private func make(_ output: UnsafeMutableRawBufferPointer, _ state: inout State) throws(CacheError) -> Int? {
        while !state.inflater.isFinished {
            if state.inflater.unused == 0, state.read < count {
                let wanted = Int(min(Int64(state.input.count), count - state.read))
                let piece = UnsafeMutableRawBufferPointer(rebasing: state.input[..<wanted])
                let offset = offset + state.read
                let read = try onDisk { () throws(FileError) in try file.read(into: piece, at: offset) }
                guard read == wanted else { return nil }
                state.read += Int64(wanted)
                state.inflater.give(piece)
            }
            guard let made = state.inflater.fill(output) else { return nil }
            if made > 0 { return made }
            guard state.inflater.isFinished || (state.inflater.unused == 0 && state.read < count) else { return nil }
        }
        return nil
    }
}
