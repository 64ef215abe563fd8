/// Encodes text in legacy encodings, as the encoders of the Encoding Standard (§9 to §13) do.
struct LegacyEncoder {
    /// The current character set of ISO-2022-JP.
    private enum Shift { case ascii, roman, pairs }

    private let form: TextEncoding.Form
    private var shift = Shift.ascii

    /// Creates an encoder for a new text.
    init(_ form: TextEncoding.Form) { self.form = form }

    /// The result of encoding a character.
    enum Result: Equatable {
        case bytes([UInt8])
        /// The encoding lacks the character; the bytes switch to ASCII, in which its character reference is written.
        case lacking(reference: UInt32, before: [UInt8])
    }

    /// Encodes a character.
    mutating func encode(_ scalar: Unicode.Scalar) -> Result {
        if form == .iso2022JP { return iso2022JP(scalar.value) }
        if scalar.isASCII { return .bytes([UInt8(scalar.value)]) }
        guard let bytes = Self.bytes(of: scalar.value, form) else {
            return .lacking(reference: scalar.value, before: [])
        }
        return .bytes(bytes)
    }

    /// Returns the bytes that end the text.
    mutating func finish() -> [UInt8] { switching(to: .ascii) }

    private static func bytes(of codePoint: UInt32, _ form: TextEncoding.Form) -> [UInt8]? {
        switch form {
        case .singleByte(let set):
            return EncodingPointers.upperHalf(of: set)[codePoint].map { [UInt8($0 + 0x80)] }
        case .gbk: return gb18030(codePoint, isGBK: true)
        case .gb18030: return gb18030(codePoint, isGBK: false)
        case .big5:
            let takesLast = [0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345].contains(codePoint)
            return EncodingPointers.big5[codePoint, last: takesLast].map { EncodingIndex.big5Bytes(of: $0) }
        case .eucJP: return eucJP(codePoint)
        case .shiftJIS: return shiftJIS(codePoint)
        case .eucKR: return EncodingPointers.eucKR[codePoint].map { [UInt8($0 / 190 + 0x81), UInt8($0 % 190 + 0x41)] }
        case .iso2022JP, .utf8, .utf16LE, .utf16BE, .replacement:
            preconditionFailure("\(form) has no bytes for a character")
        }
    }

    // MARK: Chinese

    private static func gb18030(_ codePoint: UInt32, isGBK: Bool) -> [UInt8]? {
        if codePoint == 0xE5E5 { return nil }
        if isGBK, codePoint == 0x20AC { return [0x80] }
        if let pair = gb18030Private[codePoint] { return [UInt8(pair >> 8), UInt8(pair & 0xFF)] }
        if let pointer = EncodingPointers.gb18030[codePoint] {
            let trail = pointer % 190
            return [UInt8(pointer / 190 + 0x81), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
        }
        guard !isGBK else { return nil }
        let isBeyond = codePoint >= 0x10000
        guard
            let pointer = isBeyond ? Int(codePoint) - 0x10000 + 189_000 : EncodingPointers.gb18030Ranges[codePoint]
        else { return nil }
        return [
            UInt8(pointer / 12_600 + 0x81), UInt8(pointer / 1260 % 10 + 0x30), UInt8(pointer / 10 % 126 + 0x81),
            UInt8(pointer % 10 + 0x30),
        ]
    }

    /// Private characters that have pairs in GB 18030-2005.
    private static let gb18030Private: [UInt32: UInt16] = [
        0xE78D: 0xA6D9, 0xE78E: 0xA6DA, 0xE78F: 0xA6DB, 0xE790: 0xA6DC, 0xE791: 0xA6DD, 0xE792: 0xA6DE,
        0xE793: 0xA6DF, 0xE794: 0xA6EC, 0xE795: 0xA6ED, 0xE796: 0xA6F3, 0xE81E: 0xFE59, 0xE826: 0xFE61,
        0xE82B: 0xFE66, 0xE82C: 0xFE67, 0xE832: 0xFE6D, 0xE843: 0xFE7E, 0xE854: 0xFE90, 0xE864: 0xFEA0,
    ]

    // MARK: Japanese

    private static func isKatakana(_ codePoint: UInt32) -> Bool { (0xFF61...0xFF9F).contains(codePoint) }

    /// Replaces the minus sign with the wide hyphen.
    private static func widened(_ codePoint: UInt32) -> UInt32 { codePoint == 0x2212 ? 0xFF0D : codePoint }

    private static func eucJP(_ codePoint: UInt32) -> [UInt8]? {
        switch codePoint {
        case 0xA5: return [0x5C]
        case 0x203E: return [0x7E]
        case _ where isKatakana(codePoint): return [0x8E, UInt8(codePoint - 0xFF61 + 0xA1)]
        default:
            return EncodingPointers.jis0208[widened(codePoint)].map { [UInt8($0 / 94 + 0xA1), UInt8($0 % 94 + 0xA1)] }
        }
    }

    private static func shiftJIS(_ codePoint: UInt32) -> [UInt8]? {
        switch codePoint {
        case 0x80: return [0x80]
        case 0xA5: return [0x5C]
        case 0x203E: return [0x7E]
        case _ where isKatakana(codePoint): return [UInt8(codePoint - 0xFF61 + 0xA1)]
        default:
            guard let pointer = EncodingPointers.shiftJIS[widened(codePoint)] else { return nil }
            let (lead, trail) = (pointer / 188, pointer % 188)
            return [UInt8(lead + (lead < 0x1F ? 0x81 : 0xC1)), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
        }
    }

    private mutating func iso2022JP(_ codePoint: UInt32) -> Result {
        // These characters would be read as escape codes.
        if [0x0E, 0x0F, 0x1B].contains(codePoint) {
            return .lacking(reference: 0xFFFD, before: shift == .pairs ? switching(to: .ascii) : [])
        }
        if codePoint < 0x80 {
            let isRoman = shift == .roman && codePoint != 0x5C && codePoint != 0x7E
            return .bytes((isRoman ? [] : switching(to: .ascii)) + [UInt8(codePoint)])
        }
        if codePoint == 0xA5 || codePoint == 0x203E {
            return .bytes(switching(to: .roman) + [codePoint == 0xA5 ? 0x5C : 0x7E])
        }
        let wide = Self.isKatakana(codePoint) ? Self.wideKatakana[Int(codePoint - 0xFF61)] : Self.widened(codePoint)
        guard let pointer = EncodingPointers.jis0208[wide] else {
            return .lacking(reference: codePoint, before: shift == .pairs ? switching(to: .ascii) : [])
        }
        return .bytes(switching(to: .pairs) + [UInt8(pointer / 94 + 0x21), UInt8(pointer % 94 + 0x21)])
    }

    /// The wide katakana for the narrow ones from U+FF61 on.
    private static let wideKatakana: [UInt32] = """
        。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜
        """.unicodeScalars.map(\.value)

    private mutating func switching(to target: Shift) -> [UInt8] {
        guard shift != target else { return [] }
        shift = target
        switch target {
        case .ascii: return [0x1B, 0x28, 0x42]
        case .roman: return [0x1B, 0x28, 0x4A]
        case .pairs: return [0x1B, 0x24, 0x42]
        }
    }
}
