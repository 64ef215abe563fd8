import Testing

@testable import AFCDiscovery

struct TextDecodingTests {
    private func html(_ bytes: [UInt8], _ charset: String? = nil) -> TextDecoding.Guess {
        bytes.withUnsafeBufferPointer { TextDecoding.htmlEncoding(of: $0, charset: charset) }
    }

    private func text(_ bytes: [UInt8], _ encoding: TextEncoding) -> String {
        bytes.withUnsafeBufferPointer { TextDecoding.withUTF8($0, encoding) { String(decoding: $0, as: UTF8.self) } }
    }

    @Test(arguments: [
        ("utf8", "utf-8"), (" UTF-8\n", "utf-8"), ("latin1", "windows-1252"), ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"), ("utf-16", "utf-16le"), ("unicodefffe", "utf-16be"), ("sjis", "shift_jis"),
        ("gb2312", "gbk"), ("koi8-r", "koi8-r"), ("iso-8859-9", "windows-1254"), ("logical", "iso-8859-8-i"),
        ("hz-gb-2312", "replacement"),
    ])
    func `labels name encodings`(label: String, name: String) {
        #expect(TextEncoding(label: label)?.name == name)
    }

    @Test(arguments: ["", "utf-7", "utf 8", "binary", "utf-32", "x"])
    func `other labels name no encoding`(label: String) {
        #expect(TextEncoding(label: label) == nil)
    }

    @Test func `the order is mark, header, meta, default`() {
        let meta = Array("<meta charset=koi8-r>".utf8)
        #expect(html([0xEF, 0xBB, 0xBF] + meta, "latin1").encoding == .utf8)
        #expect(html([0xFE, 0xFF] + meta, "utf-8").encoding == .utf16BE)
        #expect(html([0xFF, 0xFE] + meta, "utf-8").encoding == .utf16LE)
        #expect(html(meta, "utf-8").encoding == .utf8)
        #expect(html(meta, "nonsense").encoding.name == "koi8-r")
        #expect(html(meta).isCertain)
        #expect(html(Array("<p>".utf8)) == .init(encoding: .windows1252, isCertain: false))
        #expect(html([0x3C, 0, 0x3F, 0, 0x78, 0]).encoding == .utf16LE)
        #expect(html(Array("<?xml version='1.0' encoding='koi8-u'?><html>".utf8)).encoding.name == "koi8-u")
        #expect(html(Array("<meta charset=utf-16>".utf8)).encoding == .utf8)
        #expect(html(Array((String(repeating: " ", count: 1010) + "<meta charset=koi8-r>").utf8)).isCertain == false)
    }

    /// The suite expects what a whole parse finds; what lies beyond the prescan is found by the extractor's second try.
    @Test(arguments: ["tests1", "tests2"])
    func `the html5lib encoding suite passes`(file: String) throws {
        var count = 0
        for test in try EncodingSuite.cases(in: file) {
            let guess = html(test.bytes)
            var name = guess.encoding.name
            if !guess.isCertain {
                let late = test.bytes.withUnsafeBufferPointer { HTMLReferences(utf8: $0).metaCharset }
                name = late.flatMap { TextEncoding(metaLabel: $0) }?.name ?? name
            }
            #expect(name == test.encoding, "\(String(decoding: test.bytes, as: UTF8.self).debugDescription)")
            count += 1
        }
        #expect(count > 20)
    }

    @Test func `windows-1252 has the euro sign, and control characters at unassigned bytes`() {
        // From the Encoding Standard's index: 0x80 is the euro sign, 0x81 a control, 0x9F is Ÿ.
        #expect(text([0x41, 0x80, 0x81, 0x9F, 0xA0, 0xE9, 0xFF], .windows1252) == "A\u{20AC}\u{81}\u{178}\u{A0}éÿ")
    }

    @Test func `UTF-16 is decoded, with U+FFFD for invalid sequences`() {
        #expect(text([0x41, 0, 0x3D, 0xD8, 0x00, 0xDE], .utf16LE) == "A😀")
        #expect(text([0, 0x41, 0xD8, 0x3D, 0xDE, 0x00], .utf16BE) == "A😀")
        #expect(text([0xFF, 0xFE, 0x41, 0], .utf16LE) == "A")
        #expect(text([0x00, 0xD8, 0x41, 0, 0x42], .utf16LE) == "\u{FFFD}A\u{FFFD}")
        #expect(text([], .utf16LE).isEmpty)
    }

    @Test func `decoding UTF-8 removes the byte order mark and nothing else`() {
        #expect(text([0xEF, 0xBB, 0xBF, 0x41], .utf8) == "A")
        #expect(text([0x41, 0xFF], .utf8) == "A\u{FFFD}")
    }

    @Test func `markup in the Japanese parts of ISO-2022-JP is no markup`() throws {
        let encoding = try #require(TextEncoding(label: "iso-2022-jp"))
        let bytes: [UInt8] = [0x3C, 0x1B, 0x24, 0x42, 0x3C, 0x3E, 0x1B, 0x28, 0x42, 0x3E]
        #expect(text(bytes, encoding) == "<湿>")
    }

    @Test(arguments: [
        ("@charset \"koi8-r\";", nil, "koi8-r"), ("@charset 'koi8-r';", nil, "utf-8"),
        ("@charset \"koi8-r\" ;", nil, "utf-8"),
        ("@charset \"utf-16\";", nil, "utf-8"), ("@charset \"koi8-r\";", "latin1", "windows-1252"),
        ("a{}", nil, "utf-8"),
    ])
    func `a style sheet says its encoding in its first bytes`(text: String, charset: String?, name: String) {
        let found = Array(text.utf8).withUnsafeBufferPointer { TextDecoding.cssEncoding(of: $0, charset: charset) }
        #expect(found.name == name)
    }

    @Test func `XML is UTF-8 unless it says otherwise`() {
        func name(_ text: String, _ charset: String?) -> String {
            Array(text.utf8).withUnsafeBufferPointer { TextDecoding.xmlEncoding(of: $0, charset: charset) }.encoding
                .name
        }
        #expect(name("<svg/>", nil) == "utf-8")
        #expect(name("<?xml version=\"1.0\" encoding = 'iso-8859-1'?><svg/>", nil) == "windows-1252")
        #expect(name("<?xml version=\"1.0\" encoding='iso-8859-1'?><svg/>", "utf-8") == "utf-8")
    }
}
