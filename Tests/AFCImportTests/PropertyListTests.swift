import HTTPTypes
import Testing

@testable import AFCArchive

/// Property lists; the bytes of the binary ones are those of Python's plistlib, and those that lie are made by hand.
struct PropertyListTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).map { place in
            let start = hex.index(hex.startIndex, offsetBy: place)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
        }
    }

    private static let dumped =
        "62706c6973743030d3010203040c0d516151625164a705060708090a0b100113fffffffffffffffe11012c0923"
        + "40040000000000006100e94200ff5f1010787878787878787878787878787878783341c5a11c00000000080f11"
        + "13151d1f282b2c35383b4e0000000000000101000000000000000e00000000000000000000000000000057"

    private static let values =
        "YnBsaXN0MDDRAQJRYaIDBFExUTIICw0QEgAAAAAAAAEBAAAAAAAAAAUAAAAAAAAAAAAAAAAAAAAU"
        + ""

    /// A list of objects, with a table of one byte for each and references of one byte.
    private static func list(_ objects: [UInt8]..., top: UInt8 = 0, count: UInt8? = nil) -> [UInt8] {
        var (file, table): ([UInt8], [UInt8]) = (Array("bplist00".utf8), [])
        for object in objects {
            table.append(UInt8(file.count))
            file += object
        }
        let start = UInt8(file.count)
        func number(_ value: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, value] }
        return file + table + [0, 0, 0, 0, 0, 0, 1, 1] + number(count ?? UInt8(objects.count)) + number(top)
            + number(start)
    }

    @Test func `a list of another program has its values`() throws {
        // plistlib.dumps({"a": [1, -2, 300, True, 2.5, "é", b"\\x00\\xff"], "b": "x" * 16, "d": datetime(2024, 1, 1)}, fmt=FMT_BINARY)
        let list = try BinaryPropertyList.read(Self.bytes(Self.dumped))
        #expect(list["a"]?[0] == .integer(1) && list["a"]?[1] == .integer(-2) && list["a"]?[2] == .integer(300))
        #expect(list["a"]?[3] == .bool(true) && list["a"]?[4]?.number == 2.5 && list["a"]?[5]?.string == "é")
        #expect(list["b"]?.string == String(repeating: "x", count: 16))
        #expect(list["d"] == .date(725_760_000))
        guard case .data(.range(let offset, let count)) = list["a"]?[6] else { throw PropertyList.Malformation.damaged }
        #expect(Array(Self.bytes(Self.dumped)[Int(offset)..<Int(offset + count)]) == [0, 0xFF])
    }

    private static let broken: [([UInt8], PropertyList.Malformation)] = [
        ([], .noList), (Array("bplist00".utf8), .noList), (Array(list([0x09]).dropLast()), .noList),
        (list([0x09], top: 1), .noList), (list([0x09], count: 200), .noList), (list([0x09], count: 0), .noList),
        // Cycles, of one and of two.
        (list([0xA1, 0]), .tooLarge), (list([0xA1, 1], [0xD1, 2, 0], [0x51, 0x61]), .tooLarge),
        // Each level refers to the next one fifteen times.
        (
            list(
                [0xAE] + Array(repeating: 1, count: 14),
                [0xAE] + Array(repeating: 2, count: 14),
                [0xAE] + Array(repeating: 3, count: 14),
                [0xAE] + Array(repeating: 4, count: 14),
                [0xAE] + Array(repeating: 5, count: 14),
                [0xAE] + Array(repeating: 6, count: 14),
                [0x09]
            ), .tooLarge
        ),
        // References, sizes and names that lie.
        (list([0xA1, 9]), .damaged), (list([0x4F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]), .damaged),
        (list([0x4F, 0x13, 0xFF, 255, 255, 255, 255, 255, 255, 255]), .damaged), (list([0x4E, 1]), .damaged),
        (list([0x6E, 1]), .damaged), (list([0xD1, 0, 0]), .tooLarge), (list([0xD1, 1, 1], [0x09]), .damaged),
        (list([0x15]), .damaged), (list([0x24, 0, 0]), .damaged), (list([0xE0]), .damaged),
        (list([0xA2, 1]), .damaged),
        (list([0x8F] + Array(repeating: 255, count: 16)), .damaged), (list([0x4F, 0x51, 1]), .damaged),
    ]

    @Test(arguments: broken)
    func `a list that lies is refused`(bytes: [UInt8], failure: PropertyList.Malformation) {
        #expect(throws: failure) { try BinaryPropertyList.read(bytes) }
    }

    @Test func `any byte of a list may be wrong`() {
        let whole = Self.bytes(Self.dumped)
        for place in whole.indices {
            for change in [0x01, 0x0F, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[place] ^= change
                _ = try? BinaryPropertyList.read(bytes)
                _ = try? BinaryPropertyList.read(Array(bytes[..<place]))
            }
        }
    }

    // MARK: XML

    private static func xml(_ text: String) throws(PropertyList.Malformation) -> PropertyList {
        try XMLPropertyList.read(Array(text.utf8))
    }

    @Test func `a list in XML has its values`() throws {
        let list = try Self.xml(
            """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><!-- c --><key>a&amp;</key><array><integer> -2 </integer><true/><false></false>
            <real>2.5</real><string>&lt;&#233;&#xE9;<![CDATA[<&]]></string><data>
            AP8=
            </data><string/></array><key>a&amp;</key><string>second</string><key>d</key><date>2024-01-01T00:00:00Z</date></dict></plist>
            """
        )
        #expect(list["a&"]?[0] == .integer(-2) && list["a&"]?[1] == .bool(true) && list["a&"]?[2] == .bool(false))
        #expect(list["a&"]?[3] == .real(2.5) && list["a&"]?[4]?.string == "<éé<&" && list["a&"]?[6]?.string == "")
        #expect(list["a&"]?[5] == .data(.bytes([0, 0xFF])) && list["d"] == .date(725_760_000))
    }

    @Test(
        arguments: [
            ("", .noList), ("<html>", .noList), ("<plist/>", .noList), ("<plist><string>a</string>", .noList),
            ("<dict><key>a</key></dict>", .damaged), ("<dict><string>a</string></dict>", .damaged),
            ("<array><x/></array>", .damaged),
            ("<array>", .damaged), ("<array><string>a</array>", .damaged), ("<array><data>a</data></array>", .damaged),
            ("<array><integer>x</integer></array>", .damaged), ("<array><string>&x;</string></array>", .damaged),
            ("<!DOCTYPE plist [<!ENTITY a 'b'>]><array/>", .damaged), ("<array>text</array>", .damaged),
            ("<array", .damaged),
            (String(repeating: "<array>", count: 100_000), .tooLarge),
            ("<array>" + String(repeating: "<true/>", count: 1_000_001) + "</array>", .tooLarge),
        ] as [(String, PropertyList.Malformation)]
    )
    func `what isn't a list in XML is refused`(text: String, failure: PropertyList.Malformation) {
        #expect(throws: failure) { try Self.xml(text) }
    }

    // MARK: Responses

    @Test func `an archived response of a cache has status, fields and time`() throws {
        // {"a": ["1", "2"]}, as plistlib writes it, in base 64.
        let all = PropertyList.dictionary([
            "A": .text("1, 2"), "Content-Type": .text("text/html"), "Bad name": .text("x"), "N": .integer(7),
            "__hhaa__": .text(Self.values),
        ])
        let url = PropertyList.dictionary(["_CFURLString": .text("http://a.example/")])
        let array: [PropertyList] = [
            url, .real(725_760_000.5), .integer(0), .integer(203), all, .integer(1), .text("text/html"),
        ]
        let response = try #require(ArchivedURLResponse(cached: .dictionary(["Array": .array(array)])))
        #expect(response.url == "http://a.example/" && response.status == 203 && response.mediaType == "text/html")
        #expect(response.time == ArchiveDate("2024-01-01"))
        #expect(
            response.fields.map { "\($0.name.rawName): \($0.value)" } == [
                "A: 1", "A: 2", "Content-Type: text/html", "N: 7.0",
            ]
        )
        #expect(ArchivedURLResponse(cached: .array([])) == nil)
        #expect(ArchivedURLResponse(cached: .dictionary(["Array": .array([])]))?.status == nil)
    }

    @Test func `an archived request has the method behind which its fields are`() throws {
        let url = PropertyList.dictionary(["_CFURLString": .text("http://a.example/")])
        let fields = PropertyList.dictionary(["Accept": .text("*/*")])
        let array: [PropertyList] = [.bool(false), url, .real(60), .null, .text("POST"), fields]
        let request = try #require(ArchivedURLRequest(cached: .dictionary(["Array": .array(array)])))
        #expect(request.url == "http://a.example/" && request.method == "POST" && request.fields[.accept] == "*/*")
    }

    @Test func `a response in a keyed archive is found by its objects`() throws {
        let objects: [PropertyList] = [
            .text("$null"),
            .dictionary([
                "$0": .integer(1), "$1": .reference(2), "$2": .real(725_760_000), "$3": .integer(404),
                "$4": .reference(3),
                "$5": .integer(345), "$6": .reference(6), "$class": .reference(99),
            ]),
            .dictionary(["NS.base": .reference(0), "NS.relative": .reference(7)]),
            .dictionary(["NS.keys": .array([.reference(4)]), "NS.objects": .array([.reference(5)])]),
            .text("Etag"), .text("\"1\""), .text("text/css"), .text("http://a.example/s.css"),
        ]
        let archive = PropertyList.dictionary([
            "$objects": .array(objects), "$top": .dictionary(["WebResourceResponse": .reference(1)]),
        ])
        let response = try #require(ArchivedURLResponse(keyed: archive))
        #expect(response.status == 404 && response.url == "http://a.example/s.css" && response.mediaType == "text/css")
        #expect(response.fields.map(\.value) == ["\"1\""] && response.time == ArchiveDate("2024-01-01"))
        #expect(
            ArchivedURLResponse(
                keyed: .dictionary(["$objects": .array([]), "$top": .dictionary(["a": .reference(9)])])
            ) == nil
        )
    }
}
