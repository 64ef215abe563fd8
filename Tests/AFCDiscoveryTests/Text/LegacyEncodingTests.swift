import AFCURL
import Testing

@testable import AFCDiscovery

/// The legacy encodings, compared with the Encoding Standard's indexes and with Chromium 156.
struct LegacyEncodingTests {
    private func text(_ bytes: [UInt8], _ label: String) throws -> String {
        let encoding = try #require(TextEncoding(label: label))
        return bytes.withUnsafeBufferPointer { bytes in
            TextDecoding.withUTF8(bytes, encoding) { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// FNV-1a over UTF-8, which a few lines in any language compute of the standard's index files.
    private func digest(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    @Test(arguments: [
        ("ibm866", 0x1FC2_571F_0480_6DCA),
        ("macintosh", 0xF863_2623_AB53_7BB5),
        ("iso-8859-2", 0x5880_24DC_95E3_E2B6),
        ("iso-8859-3", 0x135E_6197_4CA2_4517),
        ("iso-8859-4", 0x91E3_74CB_717C_9E0F),
        ("iso-8859-5", 0xB83A_DA89_4CDB_942F),
        ("iso-8859-6", 0x5479_4F86_B052_C862),
        ("iso-8859-7", 0x8A37_FB52_2272_B5E9),
        ("iso-8859-8", 0xDA8A_B993_F355_95DD),
        ("iso-8859-10", 0xF625_5D1C_555E_A19B),
        ("iso-8859-13", 0xC629_5F21_6259_D2E1),
        ("iso-8859-14", 0xDC6E_3A7B_6097_D8B5),
        ("iso-8859-15", 0x5DF0_B681_D68E_ED40),
        ("iso-8859-16", 0x67E7_1470_C2C3_C702),
        ("koi8-r", 0x0525_656E_2FBD_23BD),
        ("koi8-u", 0x042B_0ACD_8C13_4FC1),
        ("windows-874", 0x54FE_9749_B6D1_9313),
        ("windows-1250", 0x6CCE_F657_3D6D_9235),
        ("windows-1251", 0x9448_B7D0_66A7_53A5),
        ("windows-1252", 0x29CC_FE22_0DC0_C01A),
        ("windows-1253", 0xDED5_F7D2_4E4D_C710),
        ("windows-1254", 0x29E5_A164_D75B_4794),
        ("windows-1255", 0xBAA3_1A84_BEE9_449F),
        ("windows-1256", 0xE1F9_D919_0525_E0CB),
        ("windows-1257", 0x879C_25A3_BA7F_16CE),
        ("windows-1258", 0xFFED_1FCE_560D_4F03),
        ("x-mac-cyrillic", 0x18E0_67F8_C866_B605),
    ])
    func `a single-byte encoding has the index of the standard`(label: String, expected: UInt64)
        throws
    {
        #expect(digest(try text((128...255).map { UInt8($0) }, label)) == expected)
    }

    /// Each lead byte with each second byte from 0x3A on, a line for each; ASCII behind what is no pair stays.
    @Test(
        arguments: [
            ("gbk", [0x81...0xFE], 0x92DA_3243_B1C7_F3A6), ("gb18030", [0x81...0xFE], 0x92DA_3243_B1C7_F3A6),
            ("big5", [0x81...0xFE], 0x1AB0_FAF5_8BA8_6012), ("euc-kr", [0x81...0xFE], 0x22CE_AD24_680E_AAC6),
            ("shift_jis", [0x81...0x9F, 0xE0...0xFC], 0x7215_44B9_099A_2199),
            ("euc-jp", [0xA1...0xFE], 0x056B_77BD_9910_0D2E),
        ] as [(String, [ClosedRange<UInt8>], UInt64)]
    )
    func `a double-byte encoding has the index of the standard`(
        label: String,
        leads: [ClosedRange<UInt8>],
        expected: UInt64
    ) throws {
        var bytes: [UInt8] = []
        for lead in leads.joined() {
            for trail in UInt8(0x3A)...0xFE { bytes += [lead, trail, 0x0A] }
        }
        #expect(digest(try text(bytes, label)) == expected)
    }

    @Test func `EUC-JP has a second index after 0x8F`() throws {
        var bytes: [UInt8] = []
        for row in UInt8(0xA1)...0xFE {
            for cell in UInt8(0xA1)...0xFE { bytes += [0x8F, row, cell, 0x0A] }
        }
        #expect(digest(try text(bytes, "euc-jp")) == 0x31F2_F93B_FE4A_587B)
    }

    @Test func `gb18030 has four bytes for all of Unicode`() throws {
        var bytes: [UInt8] = []
        for pointer in 0..<39_420 {
            bytes += [UInt8(pointer / 12_600) + 0x81, UInt8(pointer / 1260 % 10) + 0x30]
            bytes += [UInt8(pointer / 10 % 126) + 0x81, UInt8(pointer % 10) + 0x30, 0x0A]
        }
        #expect(digest(try text(bytes, "gb18030")) == 0x8082_06E3_EB99_7900)
        #expect(try text([0x90, 0x30, 0x81, 0x30, 0xE3, 0x32, 0x9A, 0x35], "gbk") == "\u{10000}\u{10FFFF}")
        #expect(try text([0xE3, 0x32, 0x9A, 0x36, 0x84, 0x31, 0xA5, 0x30], "gbk") == "\u{FFFD}\u{FFFD}")
    }

    /// What Chromium's TextDecoder makes of broken text: a second byte that is ASCII may be markup, and stays.
    @Test(
        arguments: [
            ("shift_jis", [0x81, 0x22, 0x3E, 0x81], "\u{FFFD}\">\u{FFFD}"),
            ("shift_jis", [0x80, 0xA0, 0xFD, 0xB1, 0xF0, 0x40], "\u{80}\u{FFFD}\u{FFFD}ｱ\u{E000}"),
            ("shift_jis", [0x81, 0xFF, 0x41], "\u{FFFD}A"),
            (
                "euc-jp", [0x8E, 0xB1, 0x8E, 0xE0, 0x8E, 0x3C, 0x8F, 0xB0, 0x3C, 0x8F],
                "ｱ\u{FFFD}\u{FFFD}<\u{FFFD}<\u{FFFD}"
            ),
            ("euc-kr", [0x81, 0x20, 0xFF, 0xC9, 0xA1], "\u{FFFD} \u{FFFD}\u{FFFD}"),
            ("big5", [0x88, 0x62, 0x81, 0x3C, 0x80], "\u{CA}\u{304}\u{FFFD}<\u{FFFD}"),
            ("gbk", [0x80, 0xFF, 0x81, 0x3C, 0x81, 0x7F], "€\u{FFFD}\u{FFFD}<\u{FFFD}\u{7F}"),
            ("gb18030", [0x81, 0x30, 0x3C, 0x81, 0x30, 0x81, 0x3C], "\u{FFFD}0<\u{FFFD}0\u{FFFD}<"),
            ("gb18030", [0x81, 0x30, 0x81], "\u{FFFD}"), ("gb18030", [0x81, 0x30], "\u{FFFD}"),
            ("gb18030", [0x81], "\u{FFFD}"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x3C, 0x1B, 0x28, 0x42, 0x3C], "\u{FFFD}<"),
            ("iso-2022-jp", [0x1B, 0x28, 0x4A, 0x5C, 0x7E, 0x1B, 0x28, 0x49, 0x31, 0x7E], "¥\u{203E}ｱ\u{FFFD}"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x1B, 0x28, 0x42, 0x41], "\u{FFFD}A"),
            ("iso-2022-jp", [0x1B, 0x3C, 0x0E, 0x80, 0x1B, 0x24], "\u{FFFD}<\u{FFFD}\u{FFFD}\u{FFFD}$"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x0A, 0x3C, 0x20, 0x3C], "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ] as [(String, [UInt8], String)]
    )
    func `broken text is repaired as in browsers`(label: String, bytes: [UInt8], expected: String) throws {
        #expect(try text(bytes, label) == expected)
    }

    /// From `a.href` in Chromium, for documents in each encoding with the characters as references.
    @Test(arguments: [
        ("shift_jis", "表あ①ｱ¥−髙", "%95\\%82%A0%87@%B1\\%81|%FB%FC"),
        ("euc-jp", "表あ①ｱ¥−髙丂", "%C9%BD%A4%A2%AD%A1%8E%B1\\%A1%DD%FC%E2%26%2319970%3B"),
        ("iso-2022-jp", "表aあ¥ｱ−~", "%1B$BI=%1B(Ba%1B$B$%22%1B(J\\%1B$B%%22!]%1B(B~"),
        ("gbk", "中文€𠀀", "%D6%D0%CE%C4%80%26%23131072%3B"),
        ("gb18030", "中文€𠀀ﾞ", "%D6%D0%CE%C4%A2%E3%952%826%841%9B8"),
        ("big5", "中文十╞嘅", "%A4%A4%A4%E5%A4Q%F9%E9%FBH"),
        ("euc-kr", "한국똠뷁", "%C7%D1%B1%B9%8Cc%94%EE"),
        ("windows-1251", "привет€", "%EF%F0%E8%E2%E5%F2%88"),
        ("windows-1252", "é€ж", "%E9%80%26%231078%3B"),
        ("windows-1250", "čšž", "%E8%9A%9E"),
        ("windows-1253", "ελ", "%E5%EB"),
        ("windows-1254", "ğış", "%F0%FD%FE"),
        ("windows-1255", "שלום", "%F9%EC%E5%ED"),
        ("windows-1256", "مرحبا", "%E3%D1%CD%C8%C7"),
        ("windows-1257", "āņ", "%E2%F2"),
        ("windows-1258", "ăđ₫", "%E3%F0%FE"),
        ("windows-874", "ไทย", "%E4%B7%C2"),
        ("koi8-r", "привет", "%D0%D2%C9%D7%C5%D4"),
        ("koi8-u", "їўЎ", "%A7%AE%BE"),
        ("iso-8859-2", "ąłż", "%B1%B3%BF"),
        ("iso-8859-3", "ħĝ", "%B1%F8"),
        ("iso-8859-4", "āķ", "%E0%F3"),
        ("iso-8859-5", "привет", "%DF%E0%D8%D2%D5%E2"),
        ("iso-8859-6", "مرحبا", "%E5%D1%CD%C8%C7"),
        ("iso-8859-7", "ελ€", "%E5%EB%A4"),
        ("iso-8859-8", "שלום", "%F9%EC%E5%ED"),
        ("iso-8859-8-i", "שלום", "%F9%EC%E5%ED"),
        ("iso-8859-10", "āŋ", "%E0%BF"),
        ("iso-8859-13", "āņ", "%E2%F2"),
        ("iso-8859-14", "ŵŷ", "%F0%FE"),
        ("iso-8859-15", "é€Ÿ", "%E9%A4%BE"),
        ("iso-8859-16", "șț€", "%BA%FE%A4"),
        ("ibm866", "привет", "%AF%E0%A8%A2%A5%E2"),
        ("macintosh", "é∆", "%8E%C6"),
        ("x-mac-cyrillic", "привет€", "%EF%F0%E8%E2%E5%F2%FF"),
        ("x-user-defined", "\u{F7FF}", "%FF"),
        ("utf-16le", "é", "%C3%A9"),
        ("replacement", "é", "%C3%A9"),
    ])
    func `a path is in UTF-8, a query in the encoding of its document`(label: String, text: String, query: String)
        throws
    {
        let references = text.unicodeScalars.map { "&#\($0.value);" }.joined()
        let markup = "<a href='p\(references)?q=\(references)\t &#x1F4A9;#\(references) '>"
        let bytes = label == "utf-16le" ? markup.utf8.flatMap { [$0, 0] } : Array(markup.utf8)
        let url = try WebURL("http://docs.example/")
        let found = ReferenceExtractor.references(in: bytes, mediaType: "text/html", charset: label, url: url)
        guard label != "replacement" else {
            #expect(found.references.isEmpty)
            return
        }
        let path = PercentEncodeSet.component.encode(text)
        let emoji = ["gb18030": "%949%DA3", "utf-16le": "%F0%9F%92%A9"][label] ?? "%26%23128169%3B"
        #expect(found.references.map(\.url.description) == ["http://docs.example/p\(path)?q=\(query)%20\(emoji)"])
    }
}
