/// Converts text in legacy encodings to UTF-8, as the decoders of the Encoding Standard (§9 to §13) do.
///
/// Malformed bytes become U+FFFD. An ASCII byte after the first half of a character is always kept, because it may be
/// markup.
struct LegacyDecoder {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var text: [UInt8] = []
    /// Where ASCII is in the text and in the bytes, and how much; nil if nobody asks.
    private var runs: [(text: Int, source: Int, count: Int)]?

    /// Returns the text in UTF-8.
    static func decode(_ bytes: UnsafeBufferPointer<UInt8>, _ form: TextEncoding.Form) -> [UInt8] {
        var decoder = LegacyDecoder(bytes: bytes)
        decoder.run(form)
        return decoder.text
    }

    /// Returns the text in UTF-8, and where ASCII is in the text and in the bytes.
    static func decodeWithRuns(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ form: TextEncoding.Form
    ) -> (text: [UInt8], runs: [(text: Int, source: Int, count: Int)]) {
        var decoder = LegacyDecoder(bytes: bytes)
        decoder.runs = []
        decoder.run(form)
        return (decoder.text, decoder.runs ?? [])
    }

    private mutating func run(_ form: TextEncoding.Form) {
        text.reserveCapacity(bytes.count + bytes.count / 2)
        switch form {
        case .singleByte(let set): singleByte(.upperHalf(of: set))
        case .gbk, .gb18030: gb18030()
        case .big5: big5()
        case .eucJP: eucJP()
        case .iso2022JP: iso2022JP()
        case .shiftJIS: shiftJIS()
        case .eucKR: eucKR()
        case .utf8, .utf16LE, .utf16BE, .replacement: preconditionFailure("\(form) is not a legacy encoding")
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The next byte, not yet consumed.
    @inline(__always)
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Copies ASCII bytes, and then consumes and returns the first other byte, or nil at the end.
    @inline(__always)
    private mutating func leadByte() -> UInt8? {
        let start = position
        while position < bytes.count, bytes[position] < 0x80 { position &+= 1 }
        runs?.append((text.count, start, position - start))
        if position > start { text += UnsafeBufferPointer(rebasing: bytes[start..<position]) }
        guard position < bytes.count else { return nil }
        position &+= 1
        return bytes[position &- 1]
    }

    @inline(__always)
    private mutating func append(_ codePoint: UInt32?) {
        guard let codePoint, let scalar = Unicode.Scalar(codePoint) else {
            text += [0xEF, 0xBF, 0xBD]
            return
        }
        text += UTF8.encode(scalar).unsafelyUnwrapped
    }

    /// Ends a pair; if the pair is invalid, a second byte that is ASCII is kept.
    private mutating func appendPair(_ codePoint: UInt32?) {
        if codePoint == nil, let trail = next, trail < 0x80 {
            append(nil)
            return
        }
        position = min(position + 1, bytes.count)
        append(codePoint)
    }

    // MARK: One byte a character

    private mutating func singleByte(_ index: EncodingIndex) {
        while let byte = leadByte() { append(index[Int(byte) - 0x80]) }
    }

    // MARK: Pairs

    private mutating func big5() {
        while let lead = leadByte() {
            guard (0x81...0xFE).contains(lead) else {
                append(nil)
                continue
            }
            guard let trail = next, (0x40...0x7E).contains(trail) || (0xA1...0xFE).contains(trail) else {
                appendPair(nil)
                continue
            }
            let pointer = (Int(lead) - 0x81) * 157 + Int(trail) - (trail < 0x7F ? 0x40 : 0x62)
            if let (letter, mark) = Self.big5Letters[pointer] {
                position += 1
                append(letter)
                append(mark)
            } else {
                appendPair(EncodingIndex.big5[pointer])
            }
        }
    }

    /// Letters that Unicode represents with a combining mark.
    private static let big5Letters: [Int: (UInt32, UInt32)] = [
        1133: (0xCA, 0x304), 1135: (0xCA, 0x30C), 1164: (0xEA, 0x304), 1166: (0xEA, 0x30C),
    ]

    private mutating func eucKR() {
        while let lead = leadByte() {
            guard (0x81...0xFE).contains(lead) else {
                append(nil)
                continue
            }
            guard let trail = next, (0x41...0xFE).contains(trail) else {
                appendPair(nil)
                continue
            }
            appendPair(EncodingIndex.eucKR[(Int(lead) - 0x81) * 190 + Int(trail) - 0x41])
        }
    }

    private mutating func shiftJIS() {
        while let lead = leadByte() {
            switch lead {
            case 0x80: append(0x80)
            case 0xA1...0xDF: append(0xFF61 - 0xA1 + UInt32(lead))
            case 0x81...0x9F, 0xE0...0xFC:
                guard let trail = next, (0x40...0x7E).contains(trail) || (0x80...0xFC).contains(trail) else {
                    appendPair(nil)
                    continue
                }
                let row = (Int(lead) - (lead < 0xA0 ? 0x81 : 0xC1)) * 188
                appendPair(EncodingIndex.jis0208[row + Int(trail) - (trail < 0x7F ? 0x40 : 0x41)])
            default: append(nil)
            }
        }
    }

    private mutating func eucJP() {
        while let lead = leadByte() {
            guard lead == 0x8E || lead == 0x8F || (0xA1...0xFE).contains(lead) else {
                append(nil)
                continue
            }
            guard let second = next, (0xA1...0xFE).contains(second) else {
                appendPair(nil)
                continue
            }
            switch lead {
            case 0x8E: appendPair(second <= 0xDF ? 0xFF61 - 0xA1 + UInt32(second) : nil)
            case 0x8F:
                position += 1
                guard let third = next, (0xA1...0xFE).contains(third) else {
                    appendPair(nil)
                    continue
                }
                appendPair(EncodingIndex.jis0212[(Int(second) - 0xA1) * 94 + Int(third) - 0xA1])
            default:
                let pointer = (Int(lead) - 0xA1) * 94 + Int(second) - 0xA1
                appendPair(pointer < 8836 ? EncodingIndex.jis0208[pointer] : nil)
            }
        }
    }

    // MARK: Up to four bytes

    private mutating func gb18030() {
        while let first = leadByte() {
            if first == 0x80 {
                append(0x20AC)
                continue
            }
            guard first != 0xFF else {
                append(nil)
                continue
            }
            guard let second = next else {
                append(nil)
                continue
            }
            if second.isDigit {
                fourBytes(first, second)
            } else if (0x40...0x7E).contains(second) || (0x80...0xFE).contains(second) {
                let pointer = (Int(first) - 0x81) * 190 + Int(second) - (second < 0x7F ? 0x40 : 0x41)
                appendPair(EncodingIndex.gb18030[pointer])
            } else {
                appendPair(nil)
            }
        }
    }

    /// Reads a four-byte character whose first byte has been consumed.
    ///
    /// If the character is invalid, reading continues after that byte.
    private mutating func fourBytes(_ first: UInt8, _ second: UInt8) {
        let isWhole = bytes.count - position >= 3
        guard isWhole, (0x81...0xFE).contains(bytes[position + 1]), bytes[position + 2].isDigit else {
            append(nil)
            // At the end of the text, the remaining bytes count as part of the character.
            let isCut =
                position + 1 == bytes.count
                || position + 2 == bytes.count && (0x81...0xFE).contains(bytes[position + 1])
            if isCut { position = bytes.count }
            return
        }
        let (third, fourth) = (bytes[position + 1], bytes[position + 2])
        position += 3
        let high = (Int(first) - 0x81) * 12_600 + (Int(second) - 0x30) * 1260
        let pointer = high + (Int(third) - 0x81) * 10 + Int(fourth) - 0x30
        switch pointer {
        case ..<39_420: append(EncodingIndex.gb18030Ranges[pointer])
        case 189_000...1_237_575: append(UInt32(pointer - 189_000 + 0x10000))
        default: append(nil)
        }
    }

    // MARK: Escape sequences

    /// The character set of an ISO-2022-JP text, which escape sequences switch.
    private enum Shift { case ascii, roman, katakana, pairs }

    private mutating func iso2022JP() {
        var shift = Shift.ascii
        // Two consecutive sequences are an error.
        var isBehindSequence = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 0x1B {
                if let target = sequence() {
                    position += 2
                    shift = target
                    if isBehindSequence { append(nil) }
                    isBehindSequence = true
                } else {
                    append(nil)
                    isBehindSequence = false
                }
                continue
            }
            isBehindSequence = false
            switch shift {
            case .ascii, .roman:
                let isText = byte < 0x80 && byte != 0x0E && byte != 0x0F
                let isYen = shift == .roman && byte == 0x5C
                let isOverline = shift == .roman && byte == 0x7E
                append(isYen ? 0xA5 : isOverline ? 0x203E : isText ? UInt32(byte) : nil)
            case .katakana: append((0x21...0x5F).contains(byte) ? 0xFF61 - 0x21 + UInt32(byte) : nil)
            case .pairs:
                guard (0x21...0x7E).contains(byte) else {
                    append(nil)
                    continue
                }
                guard let trail = next, trail != 0x1B else {
                    append(nil)
                    continue
                }
                position += 1
                let pointer = (Int(byte) - 0x21) * 94 + Int(trail) - 0x21
                append((0x21...0x7E).contains(trail) ? EncodingIndex.jis0208[pointer] : nil)
            }
        }
    }

    /// Returns the character set of the escape sequence just consumed, or nil if it isn't one.
    private func sequence() -> Shift? {
        guard position + 1 < bytes.count else { return nil }
        switch (bytes[position], bytes[position + 1]) {
        case (0x28, 0x42): return .ascii
        case (0x28, 0x4A): return .roman
        case (0x28, 0x49): return .katakana
        case (0x24, 0x40), (0x24, 0x42): return .pairs
        default: return nil
        }
    }
}
