/// Decodes LZ4 frames (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md) that arrive in pieces.
///
/// Checksums aren't verified: archives have digests of their own.
package struct LZ4FrameDecoder {
    private enum State {
        case header
        case blockSize
        case block(size: Int, isCompressed: Bool)
        case blockChecksum
        case contentChecksum
        case finished
        case failed
    }

    private static let historySize = 64 << 10

    private var state = State.header
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var collected: [UInt8] = []
    private var output: [UInt8] = []
    private var given = 0
    private var history: [UInt8] = []
    private var isLinked = false
    private var hasBlockChecksums = false
    private var hasContentChecksum = false
    private var blockLimit = 0

    /// Creates a decoder of one frame.
    package init() {}

    /// True at the end of the frame, once all of its bytes were given.
    package var isFinished: Bool { if case .finished = state { given == output.count } else { false } }

    /// The number of provided bytes that aren't used yet.
    package var unused: Int { input.count }

    /// Provides data, which must stay in place until it is used up.
    package mutating func give(_ bytes: UnsafeRawBufferPointer) { input = bytes }

    /// Fills a buffer as far as the provided data allows.
    ///
    /// - Parameter buffer: The buffer.
    /// - Returns: The number of bytes in the buffer, or nil if the data is damaged.
    package mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var filled = 0
        while filled < buffer.count {
            if given < output.count {
                let count = min(buffer.count - filled, output.count - given)
                output.withUnsafeBytes { bytes in
                    buffer[filled..<filled + count].copyBytes(from: bytes[given..<given + count])
                }
                filled += count
                given += count
                continue
            }
            guard step() else { break }
        }
        if case .failed = state { return nil }
        return filled
    }

    /// Takes the next part of the frame; returns false if more data is needed, or there is none.
    private mutating func step() -> Bool {
        switch state {
        case .header:
            guard collect(7) else { return false }
            let flags = collected[4]
            let hasSize = flags & 0x08 != 0
            let hasDictionary = flags & 0x01 != 0
            guard collect(7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0)) else { return false }
            let code = collected[5] >> 4 & 7
            guard flags >> 6 == 1, !hasDictionary, code >= 4 else { return fail() }
            isLinked = flags & 0x20 == 0
            hasBlockChecksums = flags & 0x10 != 0
            hasContentChecksum = flags & 0x04 != 0
            blockLimit = 1 << (8 + 2 * Int(code))
            return next(.blockSize)
        case .blockSize:
            guard collect(4) else { return false }
            let size = collected.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard size != 0 else { return next(hasContentChecksum ? .contentChecksum : .finished) }
            let count = Int(size & 0x7FFF_FFFF)
            guard count <= blockLimit else { return fail() }
            return next(.block(size: count, isCompressed: size & 0x8000_0000 == 0))
        case .block(let size, let isCompressed):
            guard collect(size) else { return false }
            guard decode(isCompressed) else { return fail() }
            return next(hasBlockChecksums ? .blockChecksum : .blockSize)
        case .blockChecksum: return collect(4) ? next(.blockSize) : false
        case .contentChecksum: return collect(4) ? next(.finished) : false
        case .finished, .failed: return false
        }
    }

    private mutating func fail() -> Bool {
        state = .failed
        return false
    }

    private mutating func next(_ state: State) -> Bool {
        self.state = state
        collected.removeAll(keepingCapacity: true)
        return true
    }

    /// Takes bytes until there are this many; returns false if more are needed.
    private mutating func collect(_ count: Int) -> Bool {
        let taken = min(count - collected.count, input.count)
        if taken > 0 {
            collected.append(contentsOf: input[..<taken])
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst(taken))
        }
        return collected.count >= count
    }

    /// Decodes a block (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
    private mutating func decode(_ isCompressed: Bool) -> Bool {
        output.removeAll(keepingCapacity: true)
        if isLinked { output.append(contentsOf: history) }
        let start = output.count
        given = start
        if isCompressed { guard sequences(start + blockLimit) else { return false } } else { output += collected }
        if isLinked { history = Array(output.suffix(Self.historySize)) }
        return true
    }

    private mutating func sequences(_ limit: Int) -> Bool {
        var index = 0
        func length(_ nibble: UInt8) -> Int? {
            var total = Int(nibble)
            guard nibble == 15 else { return total }
            while true {
                guard index < collected.count else { return nil }
                let byte = collected[index]
                index += 1
                total += Int(byte)
                guard total <= limit else { return nil }
                if byte != 255 { return total }
            }
        }
        while index < collected.count {
            let token = collected[index]
            index += 1
            guard let literals = length(token >> 4), literals <= collected.count - index,
                literals <= limit - output.count
            else { return false }
            output += collected[index..<index + literals]
            index += literals
            if index == collected.count { return true }
            guard index + 2 <= collected.count else { return false }
            let distance = Int(collected[index]) | Int(collected[index + 1]) << 8
            index += 2
            guard let extra = length(token & 15) else { return false }
            let count = extra + 4
            guard distance > 0, distance <= output.count, count <= limit - output.count else { return false }
            var source = output.count - distance
            output.reserveCapacity(output.count + count)
            for _ in 0..<count {
                output.append(output[source])
                source += 1
            }
        }
        return true
    }
}
