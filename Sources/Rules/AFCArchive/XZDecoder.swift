/// Decodes the xz format (https://tukaani.org/xz/xz-file-format.txt) with LZMA2 alone, as ZIM files have it.
///
/// Checksums aren't verified: archives have digests of their own. Bytes behind the first stream are ignored.
package struct XZDecoder {
    /// The reason why bytes can't be decoded.
    package enum Malformation: Error, Equatable {
        /// They aren't in the format, or damaged.
        case damaged
        /// They have another filter than LZMA2, or a larger dictionary than ``dictionaryLimit``.
        case unsupported
    }

    private enum State {
        case streamHeader
        case blockSize
        case blockHeader
        case control
        case chunkHeader
        case stored
        case chunk
        case padding
        case check
        case finished
    }

    /// The largest dictionary: that of the strongest preset of xz.
    package static var dictionaryLimit: Int { 64 << 20 }
    private static let mark: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]

    private var state = State.streamHeader
    /// The bytes of the part at hand.
    private var collected: [UInt8] = []
    private var wanted = 12
    private var checkSize = 0
    /// The bytes of the block's chunks so far.
    private var blockBytes = 0
    private var storedReset = false
    private var decoder = LZMA2Decoder()

    /// Creates a decoder.
    package init() {}

    /// True at the end of the stream.
    package var isFinished: Bool { if case .finished = state { true } else { false } }

    /// Decodes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes.
    ///   - body: Takes decoded bytes, up to 2 MiB at once, and returns true to get more.
    /// - Throws: ``Malformation``, or the error of the closure.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Bool)
        throws
    {
        var rest = bytes
        while !isFinished, !rest.isEmpty || wanted == 0 {
            let count = min(wanted - collected.count, rest.count)
            collected.append(contentsOf: rest[..<count])
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            guard collected.count == wanted else { return }
            let part = collected
            collected.removeAll(keepingCapacity: true)
            if let fresh = try take(part) {
                guard try decoder.withLatest(fresh, body) else { return }
            }
        }
    }

    /// Takes a whole part, and returns the number of bytes that it added to the window.
    private mutating func take(_ part: [UInt8]) throws(Malformation) -> Int? {
        switch state {
        case .streamHeader:
            guard part.starts(with: Self.mark), part[6] == 0, part[7] < 16 else { throw .damaged }
            checkSize = part[7] == 0 ? 0 : 4 << ((Int(part[7]) - 1) / 3)
            next(.blockSize, 1)
        case .blockSize:
            // The index follows the last block.
            if part[0] == 0 { next(.finished, 0) } else { next(.blockHeader, Int(part[0]) * 4 + 3) }
        case .blockHeader:
            try begin(block: part)
            next(.control, 1)
        case .control:
            blockBytes += 1
            switch part[0] {
            case 0: next(.padding, (4 - blockBytes % 4) % 4)
            case 1, 2:
                storedReset = part[0] == 1
                next(.chunkHeader, 2)
            case 3..<0x80: throw .damaged
            default:
                decoder.control = part[0]
                next(.chunkHeader, part[0] >= 0xC0 ? 5 : 4)
            }
        case .chunkHeader:
            blockBytes += part.count
            if part.count == 2 {
                next(.stored, (Int(part[0]) << 8 | Int(part[1])) + 1)
            } else {
                try decoder.begin(head: part)
                next(.chunk, (Int(part[2]) << 8 | Int(part[3])) + 1)
            }
        case .stored:
            blockBytes += part.count
            try decoder.store(part, isReset: storedReset)
            next(.control, 1)
            return part.count
        case .chunk:
            blockBytes += part.count
            next(.control, 1)
            return try decoder.decode(part)
        case .padding: next(.check, checkSize)
        case .check: next(.blockSize, 1)
        case .finished: break
        }
        return nil
    }

    private mutating func next(_ state: State, _ count: Int) { (self.state, wanted) = (state, count) }

    /// Reads the head of a block, without its first byte.
    private mutating func begin(block head: [UInt8]) throws(Malformation) {
        var position = 1
        func number() throws(Malformation) -> UInt64 {
            var (value, shift): (UInt64, UInt64) = (0, 0)
            while position < head.count - 4, shift < 63 {
                let byte = head[position]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte & 0x80 == 0 { return value }
                shift += 7
            }
            throw .damaged
        }
        let flags = head[0]
        guard flags & 0x3F == 0 else { throw flags & 0x3C == 0 ? .unsupported : .damaged }
        if flags & 0x40 != 0 { _ = try number() }
        if flags & 0x80 != 0 { _ = try number() }
        guard try number() == 0x21 else { throw .unsupported }
        guard try number() == 1, position < head.count - 4, head[position] <= 40 else { throw .damaged }
        let bits = Int(head[position])
        let size = bits == 40 ? UInt64(UInt32.max) : UInt64(2 | bits & 1) << UInt64(bits / 2 + 11)
        guard size <= UInt64(Self.dictionaryLimit) else { throw .unsupported }
        decoder.begin(dictionary: Int(size))
        blockBytes = 0
    }
}

/// Decodes the chunks of LZMA2 (the xz format's §5.3.1; the LZMA specification of the LZMA SDK).
private struct LZMA2Decoder {
    /// The places of the probabilities of each kind.
    private enum Place {
        static let (isMatch, isRepeated, isFirst, isSecond, isThird, isLong) = (0, 192, 204, 216, 228, 240)
        static let (slot, special, align, length, repeatedLength, literal) = (432, 688, 803, 819, 1333, 1847)
        static let count = literal + 0x300 << 4
    }

    /// The bytes that are kept beyond the dictionary, so that few are moved.
    private static let slack = 8 << 20

    /// The control byte of the chunk at hand.
    var control: UInt8 = 0
    private var dictionary = 0
    private var window: [UInt8] = []
    private var start = 0
    private var needsReset = true
    private var needsProperties = true
    private var literalBits = 0
    private var literalMask = 0
    private var positionMask = 0
    private var probabilities: [UInt16] = []
    private var state = 0
    private var distances = (0, 0, 0, 0)
    private var outputSize = 0
    private var input: [UInt8] = []
    private var position = 0
    private var range: UInt32 = 0
    private var code: UInt32 = 0

    mutating func begin(dictionary size: Int) {
        dictionary = size
        (needsReset, needsProperties) = (true, true)
    }

    /// Gives the bytes that were decoded last.
    func withLatest(_ count: Int, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws -> Bool {
        try window.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0.suffix(count))) }
    }

    mutating func store(_ bytes: [UInt8], isReset: Bool) throws(XZDecoder.Malformation) {
        if isReset { resetWindow() }
        guard !needsReset else { throw .damaged }
        shrinkWindow()
        window += bytes
    }

    private mutating func resetWindow() {
        window.removeAll(keepingCapacity: true)
        (start, needsReset) = (0, false)
    }

    private mutating func shrinkWindow() {
        guard window.count > dictionary + Self.slack else { return }
        start += window.count - dictionary
        window.removeSubrange(..<(window.count - dictionary))
    }

    /// Takes the sizes and properties of a chunk.
    mutating func begin(head: [UInt8]) throws(XZDecoder.Malformation) {
        outputSize = (Int(control & 0x1F) << 16 | Int(head[0]) << 8 | Int(head[1])) + 1
        if control >= 0xE0 { resetWindow() }
        guard !needsReset else { throw .damaged }
        shrinkWindow()
        if head.count > 4 {
            let properties = Int(head[4])
            guard properties < 225 else { throw .damaged }
            literalBits = properties % 9
            let positions = properties / 9 % 5
            guard literalBits + positions <= 4 else { throw .damaged }
            (literalMask, positionMask) = (1 << positions - 1, 1 << (properties / 45) - 1)
            needsProperties = false
        }
        guard !needsProperties else { throw .damaged }
        if control >= 0xA0 {
            probabilities = [UInt16](repeating: 1024, count: Place.count)
            (state, distances) = (0, (0, 0, 0, 0))
        }
        guard !probabilities.isEmpty else { throw .damaged }
    }

    // MARK: The range decoder

    private mutating func normalize() {
        guard range < 1 << 24 else { return }
        // A chunk that ends early is noticed at its end.
        code = code << 8 | UInt32(position < input.count ? input[position] : 0)
        range <<= 8
        position += 1
    }

    private mutating func bit(_ index: Int) -> Int {
        normalize()
        let probability = UInt32(probabilities[index])
        let bound = (range >> 11) &* probability
        if code < bound {
            range = bound
            probabilities[index] = UInt16(probability + (2048 - probability) >> 5)
            return 0
        }
        range -= bound
        code -= bound
        probabilities[index] = UInt16(probability - probability >> 5)
        return 1
    }

    private mutating func bits(_ count: Int, at place: Int) -> Int {
        var value = 1
        for _ in 0..<count { value = value << 1 | bit(place + value) }
        return value - 1 << count
    }

    private mutating func reversedBits(_ count: Int, at place: Int) -> Int {
        var (value, result) = (1, 0)
        for index in 0..<count {
            let bit = bit(place + value)
            value = value << 1 | bit
            result |= bit << index
        }
        return result
    }

    private mutating func directBits(_ count: Int) -> Int {
        var result = 0
        for _ in 0..<count {
            normalize()
            range >>= 1
            let isSet = code >= range
            if isSet { code -= range }
            result = result << 1 | (isSet ? 1 : 0)
        }
        return result
    }

    private mutating func length(_ place: Int, _ position: Int) -> Int {
        if bit(place) == 0 { return bits(3, at: place + 2 + position << 3) }
        if bit(place + 1) == 0 { return 8 + bits(3, at: place + 130 + position << 3) }
        return 16 + bits(8, at: place + 258)
    }

    // MARK: Chunks

    /// Decodes a chunk, and returns the number of bytes.
    mutating func decode(_ bytes: [UInt8]) throws(XZDecoder.Malformation) -> Int {
        guard bytes.count >= 5, bytes[0] == 0 else { throw .damaged }
        (input, position, range) = (bytes, 5, .max)
        code = bytes[1...4].reduce(0) { $0 << 8 | UInt32($1) }
        let end = window.count + outputSize
        while window.count < end {
            let place = (start + window.count) & positionMask
            guard bit(Place.isMatch + state << 4 + place) == 1 else {
                try literal()
                continue
            }
            var count = 1
            if bit(Place.isRepeated + state) == 0 {
                count = length(Place.length, place) + 2
                state = state < 7 ? 7 : 10
                distances = (distance(min(count - 2, 3)), distances.0, distances.1, distances.2)
            } else if isRepetitionLong(place) {
                count = length(Place.repeatedLength, place) + 2
                state = state < 7 ? 8 : 11
            } else {
                state = state < 7 ? 9 : 11
            }
            guard distances.0 < min(window.count, dictionary), count <= end - window.count else { throw .damaged }
            copy(count)
        }
        normalize()
        guard code == 0, position == input.count else { throw .damaged }
        return outputSize
    }

    /// Chooses the repeated distance; returns false if only one byte is repeated.
    private mutating func isRepetitionLong(_ place: Int) -> Bool {
        guard bit(Place.isFirst + state) == 1 else { return bit(Place.isLong + state << 4 + place) == 1 }
        if bit(Place.isSecond + state) == 0 {
            distances = (distances.1, distances.0, distances.2, distances.3)
        } else if bit(Place.isThird + state) == 0 {
            distances = (distances.2, distances.0, distances.1, distances.3)
        } else {
            distances = (distances.3, distances.0, distances.1, distances.2)
        }
        return true
    }

    private mutating func literal() throws(XZDecoder.Malformation) {
        let context = (start + window.count) & literalMask
        let before = Int(window.last ?? 0)
        let place = Place.literal + 0x300 * (context << literalBits + before >> (8 - literalBits))
        var symbol = 1
        if state >= 7 {
            guard distances.0 < window.count else { throw .damaged }
            var match = Int(window[window.count - distances.0 - 1])
            while symbol < 0x100 {
                let expected = match >> 7 & 1
                match <<= 1
                let found = bit(place + (1 + expected) << 8 + symbol)
                symbol = symbol << 1 | found
                if found != expected { break }
            }
        }
        while symbol < 0x100 { symbol = symbol << 1 | bit(place + symbol) }
        window.append(UInt8(truncatingIfNeeded: symbol))
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6
    }

    private mutating func distance(_ lengthState: Int) -> Int {
        let slot = bits(6, at: Place.slot + lengthState << 6)
        guard slot >= 4 else { return slot }
        let count = slot >> 1 - 1
        let high = (2 | slot & 1) << count
        guard slot >= 14 else { return high + reversedBits(count, at: Place.special + high - slot) }
        let middle = directBits(count - 4) << 4
        return high + middle + reversedBits(4, at: Place.align)
    }

    private mutating func copy(_ count: Int) {
        let first = window.count - distances.0 - 1
        // A slice would be a second owner of the window, which appending then copies.
        for index in first..<first + count { window.append(window[index]) }
    }
}
