/// An index of the Encoding Standard (§5), which maps pointers to code points and back.
///
/// The indexes come from the C library's tables, with corrections where these differ from the standard. If the C
/// library lacks a table, the index is empty, and every non-ASCII character becomes U+FFFD.
struct EncodingIndex: Sendable {
    /// The code point of each pointer; 0 for none.
    let codePoints: [UInt32]

    /// The code point of a pointer, or nil if it has none.
    subscript(_ pointer: Int) -> UInt32? {
        guard pointer < codePoints.count, codePoints[pointer] != 0 else { return nil }
        return codePoints[pointer]
    }

    /// Reads an index from a table of the C library.
    ///
    /// - Parameters:
    ///   - name: The C library's name of the table.
    ///   - count: The number of pointers.
    ///   - corrections: The standard's code points for single pointers.
    ///   - bytes: Returns the bytes of a pointer.
    private init(_ name: String, count: Int, corrections: [Int: UInt32] = [:], _ bytes: (Int) -> [UInt8]) {
        guard let table = ConversionTable(name) else {
            codePoints = []
            return
        }
        var codePoints = (0..<count).map { table.codePoint(of: bytes($0)) }
        for (pointer, codePoint) in corrections { codePoints[pointer] = codePoint }
        self.codePoints = codePoints
    }

    private init(_ codePoints: [UInt32]) { self.codePoints = codePoints }

    // MARK: Chinese

    /// The pairs of gb18030: pointer 0 is 0x81 0x40, with 190 per row.
    static let gb18030 = EncodingIndex(
        "GB18030",
        count: 23_940,
        // Characters that GB 18030-2005 moved out of the private use area stay there; 0xA3 0xA0 is a space on the web.
        corrections: [
            6555: 0x3000, 23_767: 0xE816, 23_768: 0xE817, 23_769: 0xE818, 23_794: 0xE831, 23_804: 0xE83B,
            23_830: 0xE855,
        ]
    ) { pointer in
        let trail = pointer % 190
        return [UInt8(pointer / 190 + 0x81), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
    }

    /// The four-byte sequences of gb18030 within the Basic Multilingual Plane; others are computed.
    static let gb18030Ranges = EncodingIndex(
        "GB18030",
        count: 39_420,
        corrections: gb18030RangesCorrections
    ) { pointer in
        [
            UInt8(pointer / 12_600 + 0x81), UInt8(pointer / 1260 % 10 + 0x30), UInt8(pointer / 10 % 126 + 0x81),
            UInt8(pointer % 10 + 0x30),
        ]
    }

    /// Characters with four bytes in the standard, for which the C library has pairs.
    private static let gb18030RangesCorrections: [Int: UInt32] = {
        var corrections: [Int: UInt32] = [:]
        for offset in 0..<8 { corrections[19_057 + offset] = 0x9FB4 + UInt32(offset) }
        for offset in 0..<10 { corrections[39_076 + offset] = 0xFE10 + UInt32(offset) }
        return corrections
    }()

    /// Big5 with the Hong Kong characters: pointer 0 is 0x81 0x40, with 157 per row.
    static let big5 = EncodingIndex("BIG5-HKSCS", count: 19_782, corrections: big5Corrections) { pointer in
        big5Bytes(of: pointer)
    }

    static func big5Bytes(of pointer: Int) -> [UInt8] {
        let trail = pointer % 157
        return [UInt8(pointer / 157 + 0x81), UInt8(trail + (trail < 0x3F ? 0x40 : 0x62))]
    }

    /// Characters that the web writes differently from Hong Kong, and duplicates from before 2008.
    private static let big5Corrections: [Int: UInt32] = {
        var corrections: [Int: UInt32] = [:]
        for word in big5Words.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            guard let bytes = Int(word.prefix(4), radix: 16), let scalar = word.unicodeScalars.last else { continue }
            let trail = bytes & 0xFF
            corrections[(bytes >> 8 - 0x81) * 157 + trail - (trail < 0x7F ? 0x40 : 0x62)] = scalar.value
        }
        return corrections
    }()

    private static let big5Words = """
        8E69箸 8E6F簆 8E7E糎 8EAB緒 8EB4縝 8ECD者 8ED0耨 8F57菁 8F69蒨 8F6E萏 8FCB覦 8FCC覩 8FFE起 906D都 907A銹 90DC靜
        90F1響 91BF鼖 9244蔃 92AF兙 92B0兛 92B1兝 92B2兞 92C8鍮 92D1瑹 9447浧 94CA禛 95D9邗 9644靝 96ED瀞 96FC嬨 9B76爁
        9B78矗 9B7B纇 9BC6駖 9BDE釔 9BEC惞 9BF6澶 9C42輶 9C53侻 9C62營 9C68鄄 9C6B鷰 9C77菏 9CBC尐 9CBD秣 9CD0婧 9D57輋
        9D5A筑 9DC4拐 9EA9恢 9EEF痹 9EFD汊 9F60鬮 9F66鼗 9FCB僭 9FD8弌 A063蠏 A077拎 A0D5瑨 A0DF煢 A0E4牐 A145‧ A14E﹑
        A15A╴ A1C2¯ A1C3￣ A1C5ˍ A1E3～ A1F2⊕ A1F3⊙ A1FE／ A240＼ A241∕ A242﹨ A244￥ A246￠ A247￡ A2CC十 A2CE卅
        A3C0␀ A3C1␁ A3C2␂ A3C3␃ A3C4␄ A3C5␅ A3C6␆ A3C7␇ A3C8␈ A3C9␉ A3CA␊ A3CB␋ A3CC␌ A3CD␍ A3CE␎ A3CF␏
        A3D0␐ A3D1␑ A3D2␒ A3D3␓ A3D4␔ A3D5␕ A3D6␖ A3D7␗ A3D8␘ A3D9␙ A3DA␚ A3DB␛ A3DC␜ A3DD␝ A3DE␞ A3DF␟
        A3E0␡ A3E1€ C6CF廴 C6D3无 C6D5癶 C6D7隶 C6DE〃 C6DF仝 FA5F倩 FA66偽 FABD包 FAC5卄 FAD5卿 FB48嘅 FBB8婷 FBF3幵
        FBF9廐 FC4F彘 FC6C悤 FCB9撐 FCE2晴 FCF1杞 FDB7沜 FDB8渝 FDBB港 FDF1煮 FE52猪 FE6F瑜 FEAA瓩 FEDD砉
        """

    // MARK: Japanese and Korean

    /// JIS X 0208 with the characters of NEC and IBM, and the private ones of Windows from pointer 8836 to 10,715.
    ///
    /// The pointers are those of Shift_JIS: pointer 0 is 0x81 0x40, with 188 per row.
    static let jis0208 = EncodingIndex("CP932", count: 11_280) { pointer in
        let (lead, trail) = (pointer / 188, pointer % 188)
        return [UInt8(lead + (lead < 0x1F ? 0x81 : 0xC1)), UInt8(trail + (trail < 0x3F ? 0x40 : 0x41))]
    }

    /// JIS X 0212: pointer 0 is 0x8F 0xA1 0xA1, with 94 per row.
    static let jis0212 = EncodingIndex("EUC-JP", count: 8836) { pointer in
        [0x8F, UInt8(pointer / 94 + 0xA1), UInt8(pointer % 94 + 0xA1)]
    }

    /// Korean with the characters of Windows: pointer 0 is 0x81 0x41, with 190 per row.
    static let eucKR = EncodingIndex("UHC", count: 23_940) { pointer in
        [UInt8(pointer / 190 + 0x81), UInt8(pointer % 190 + 0x41)]
    }

    // MARK: One byte a character

    /// Returns the upper half of a single-byte encoding; pointer 0 is 0x80.
    static func upperHalf(of set: TextEncoding.SingleByte) -> EncodingIndex {
        guard let index = upperHalves[set] else { preconditionFailure("no index for \(set)") }
        return index
    }

    private static let upperHalves = Dictionary(
        uniqueKeysWithValues: TextEncoding.SingleByte.allCases.map { ($0, upperHalf(reading: $0)) }
    )

    private static func upperHalf(reading set: TextEncoding.SingleByte) -> EncodingIndex {
        switch set {
        case .windows1252:
            return EncodingIndex((0..<128).map { $0 < 32 ? UInt32(Windows1252.upper[$0]) : UInt32($0 + 0x80) })
        case .userDefined:
            return EncodingIndex((0..<128).map { UInt32($0 + 0xF780) })
        default: break
        }
        var codePoints = EncodingIndex(set.table, count: 128) { [UInt8($0 + 0x80)] }.codePoints
        guard !codePoints.isEmpty else { return EncodingIndex(codePoints) }
        if set.isWindows {
            // Bytes that Windows leaves undefined here are controls on the web.
            for pointer in 0..<32 where codePoints[pointer] == 0 { codePoints[pointer] = UInt32(pointer + 0x80) }
        }
        for (byte, codePoint) in set.corrections { codePoints[Int(byte) - 0x80] = codePoint }
        return EncodingIndex(codePoints)
    }
}

/// A map from code points to the pointers of an index.
struct EncodingPointers: Sendable {
    /// The code points with their pointers, sorted by code point.
    private let entries: [UInt64]

    /// Inverts an index; the lowest of several pointers counts.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - isUsed: Returns true for pointers that the encoder may use.
    init(_ index: EncodingIndex, where isUsed: (Int) -> Bool = { _ in true }) {
        var entries: [UInt64] = []
        for (pointer, codePoint) in index.codePoints.enumerated() where codePoint != 0 && isUsed(pointer) {
            entries.append(UInt64(codePoint) << 32 | UInt64(pointer))
        }
        self.entries = entries.sorted()
    }

    /// The pointer of a code point, or nil if the index lacks it.
    ///
    /// - Parameters:
    ///   - codePoint: The code point.
    ///   - takesLast: Whether to use the highest of several pointers.
    subscript(_ codePoint: UInt32, last takesLast: Bool = false) -> Int? {
        let wanted = UInt64(codePoint) + (takesLast ? 1 : 0)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle] < wanted << 32 { low = middle + 1 } else { high = middle }
        }
        if takesLast { low -= 1 }
        guard entries.indices.contains(low), entries[low] >> 32 == UInt64(codePoint) else { return nil }
        return Int(entries[low] & 0xFFFF_FFFF)
    }

    static let gb18030 = EncodingPointers(.gb18030)
    static let gb18030Ranges = EncodingPointers(.gb18030Ranges)
    /// Big5 without the Hong Kong characters, which servers may not understand.
    static let big5 = EncodingPointers(.big5) { $0 >= (0xA1 - 0x81) * 157 }
    /// The part of JIS X 0208 that EUC-JP and ISO-2022-JP can encode.
    static let jis0208 = EncodingPointers(.jis0208) { $0 < 8836 }
    /// JIS X 0208 without NEC's copies of IBM's characters, and without the private characters of Windows.
    static let shiftJIS = EncodingPointers(.jis0208) { $0 < 8272 || $0 >= 10_716 }
    static let eucKR = EncodingPointers(.eucKR)

    static func upperHalf(of set: TextEncoding.SingleByte) -> EncodingPointers {
        guard let pointers = upperHalves[set] else { preconditionFailure("no index for \(set)") }
        return pointers
    }

    private static let upperHalves = Dictionary(
        uniqueKeysWithValues: TextEncoding.SingleByte.allCases.map { ($0, EncodingPointers(.upperHalf(of: $0))) }
    )
}
