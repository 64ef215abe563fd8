import AFCCaching
import AFCPackageFormat
import AFCURL
import HTTPTypes
import Testing

/// Records in the shape that this program writes are read on a short way; it must not differ from the long one.
struct RecordReadingTests {
    /// What the records of a package give, by reading each line for itself.
    struct Reference: Equatable {
        var records: [String: String] = [:]
        var problems: [PackageProblem] = []

        init(_ lines: [[UInt8]], urls: [String]) {
            for (index, line) in lines.enumerated() where !line.isEmpty {
                let place = PackageProblem.Place.record(line: index + 1)
                func report(_ kind: PackageProblem.Kind) { problems.append(PackageProblem(kind, at: place)) }
                guard line.count <= 65_536 else {
                    report(.recordMalformed(reason: "is longer than 65536 bytes"))
                    continue
                }
                switch RecordReadingTests.record(line) {
                case .failure(.notJSON(let offset)): report(.recordMalformed(reason: "is not JSON at byte \(offset)"))
                case .failure(.badValue(let key)): report(.recordMalformed(reason: "has no valid '\(key)'"))
                case .success(let record):
                    let url = record.url.description
                    if records[url] != nil {
                        report(.duplicateRecord(url: url))
                    } else if urls.contains(url) || record.isRedirect {
                        records[url] = RecordReadingTests.text(record)
                    } else {
                        report(.recordWithoutEntry(url: url))
                    }
                }
            }
        }

        init(_ index: PackageIndex) {
            for resource in index.resources {
                guard let record = resource.record else { continue }
                records[resource.url.description] = record.url == resource.url ? RecordReadingTests.text(record) : "?"
            }
            problems = index.problems.filter { if case .record = $0.place { true } else { false } }
        }
    }

    static func record(_ line: [UInt8]) -> Result<ResourceRecord, ResourceRecord.Malformation> {
        line.withUnsafeBufferPointer { buffer in
            Result { () throws(ResourceRecord.Malformation) in try ResourceRecord(line: buffer) }
        }
    }

    static func text(_ record: ResourceRecord) -> String {
        var bytes: [UInt8] = []
        record.write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func index(_ lines: [[UInt8]], urls: [String], loop: PackageIndex.Loop? = nil) -> PackageIndex {
        let manifest = Array(urls.map { "\($0) ; NULL ; NULL ; NULL\n" }.joined().utf8)
        let records = Array(lines.joined(separator: [0x0A]))
        guard let loop else { return PackageIndex(members: [], manifest: manifest, info: nil, records: records) }
        let members = ListedMembers([])
        var index = PackageIndex(members: members, manifest: MemberText(manifest), info: nil)
        index.complete(members: members, records: MemberText(records), loop)
        return index
    }

    static let digest = String(repeating: "0123456789abcdef", count: 4)
    static let plain =
        #"{"url":"http://d.example/a","status":200,"fields":[["content-type","text/css"],["etag","\"5\\f\""]],"#
        + #""fetched":"2026-11-21T06:14:11Z","size":5200,"sha256":"\#(digest)"}"#

    @Test(arguments: [
        plain.replacing("/a", with: "/b"),
        #"{"url":"http://d.example/b","status":301,"fields":[["location","/c"]],"requestFields":[["accept","*/*"]]}"#,
        #"{"url":"http://d.example/b","status":203,"fields":[],"coding":"br","size":0}"#,
        #"{"url":"http://d.example/c","status":404,"fields":[["x","a\tb"],["x","é"],["X","b"]],"more":[1,{"a":null}]}"#,
    ])
    func `a line changed in any byte reads the same as when it is alone`(line: String) {
        let original = Array(line.utf8)
        let urls = ["http://d.example/a", "http://d.example/b"]
        func check(_ changed: [UInt8]) {
            let lines = [Array(Self.plain.utf8), changed]
            let (found, expected) = (Reference(Self.index(lines, urls: urls)), Reference(lines, urls: urls))
            #expect(found == expected, "\(String(decoding: changed, as: UTF8.self))")
        }
        check(original)
        for place in original.indices {
            for byte in Array("\"\\,:]}0 Aa".utf8) + [0x00, 0x7F, 0xC3] where byte != original[place] {
                var changed = original
                changed[place] = byte
                check(changed)
            }
            check(Array(original[..<place]))
            check(Array(original[..<place] + original[(place + 1)...]))
            check(Array(original[...place] + original[place...]))
        }
    }

    @Test(arguments: [
        ("http://d.example/b", "200"), ("http://d.example/%62", "200"), ("HTTP://D.EXAMPLE:80/b#x", "200"),
        ("http://d.example/b", "0200"), ("http://d.example/b", "2e2"), ("http://d.example/b", "200.0"),
        ("http://d.example/b", "206"), ("http://d.example/b", "99999999999999999999"), ("http://d.example/b?", "-200"),
        ("http://d.example/" + String(repeating: "b", count: 8200), "200"), ("//d.example/b", "200"), ("", "200"),
    ])
    func `URL and status are read equally strictly by both ways`(url: String, status: String) {
        let lines = [Array(Self.plain.utf8), Array(#"{"url":"\#(url)","status":\#(status),"fields":[]}"#.utf8)]
        let urls = ["http://d.example/a", "http://d.example/b"]
        #expect(Reference(Self.index(lines, urls: urls)) == Reference(lines, urls: urls))
    }

    @Test func `pieces read in any order give the same result as consecutive lines`() {
        let urls = (0..<2000).map { "http://d.example/\(10_000 + $0)" }
        var lines: [[UInt8]] = []
        for (number, url) in urls.enumerated() {
            let line = Self.plain.replacing("http://d.example/a", with: url).replacing("5200", with: "\(number)")
            lines.append(Array(line.utf8))
            switch number % 97 {
            case 3: lines.append([])
            case 5: lines.append(Array("{".utf8))
            case 7: lines.append(Array(#"{"url":"\#(url)x","status":302,"fields":[["location","/"]]}"#.utf8))
            case 8: lines.append(Array(#"{"url":"\#(urls[number - 1])x","status":200,"fields":[]}"#.utf8))
            case 11: lines.append(Array(line.utf8))
            case 13: lines.append(Array(#"{"url":"http://lost.example/","status":200,"fields":[]}"#.utf8))
            case 17: lines.swapAt(lines.count - 1, lines.count / 2)
            case 19: lines.append([UInt8](repeating: 0x20, count: 65_537))
            default: continue
            }
        }
        let expected = Reference(lines, urls: urls)
        #expect(expected.records.count == 2021)
        #expect(expected.problems.count == 105)
        #expect(Reference(Self.index(lines, urls: urls)) == expected)
        let backwards = Self.index(lines, urls: urls) { count, body in
            for number in (0..<count).reversed() { body(number) }
        }
        #expect(Reference(backwards) == expected)
    }

    @Test(arguments: [
        "\u{FEFF}http://d.example/a ; NULL ; NULL ; text/css\nhttp://d.example/b ; NULL ; NULL ; text/css",
        "http://d.example/b ; NULL ; NULL ; text/css\r\n\r\nhttp://d.example/a ; NULL ; NULL\r\n",
        "# comment\nbaseURL = http://d.example/\n\n  http://D.example/%7ea#top ; NULL ; NULL ; Text/HTML ; x/y  \n",
        "http://d.example/a ; 2023-11-14 22:13:20 ; Tue, 14 Nov 2023 22:13:21 GMT ; text/html;charset=utf-8\n",
        "http://d.example/\u{E9} ; NULL ; NULL ; text/css ; \u{E9}/x\nhttp://d.example/a;b ; NULL ; NULL\nnonsense\n",
    ])
    func `an entry whose line is read again is the same`(manifest: String) {
        let bytes = Array(manifest.utf8)
        var reader = ManifestReader(bytes)
        var entries: [Int: ManifestEntry] = [:]
        while let item = reader.next() { entries[item.line] = item.entry }
        let index = PackageIndex(members: [], manifest: bytes, info: nil)
        #expect(!entries.isEmpty)
        #expect(Dictionary(uniqueKeysWithValues: index.resources.map { ($0.line, $0.entry) }) == entries)
        #expect(index.resources.map(\.url) == entries.values.map(\.url).sorted())
    }

    @Test func `records that don't fit into one block are read completely`() {
        let count = 1200
        let urls = (0..<count).map { "http://d.example/\(10_000 + $0)" }
        let padding = String(repeating: "x", count: 4_000)
        var lines = urls.enumerated().map { number, url in
            Array(
                #"{"url":"\#(url)","status":200,"fields":[["x-number","\#(number)"],["x-padding","\#(padding)"]]}"#.utf8
            )
        }
        // Lines that aren't records, one of them longer than a block, and a redirect after them.
        lines.insert([UInt8](repeating: 0x20, count: 5 << 20), at: 600)
        lines.append(Array(#"{"url":"http://d.example/0","status":301,"fields":[["location","/10000"]]}"#.utf8))
        let index = Self.index(lines, urls: urls)
        #expect(index.problems.filter { $0.rule != "member.missing" }.map(\.place) == [.record(line: 601)])
        #expect(index.resources.count == count + 1)
        #expect(index.resources.first?.record?.isRedirect == true)
        let numbers = index.resources.dropFirst().map { $0.record?.fields[HTTPField.Name("x-number") ?? .date] }
        #expect(numbers == (0..<count).map { "\($0)" })
        #expect(index.resources[count].url.description == urls[count - 1])
    }

    @Test func `records with the same fields are each compared with their own entry`() {
        let manifest = """
            http://d.example/a ; Tue, 14 Nov 2023 22:13:20 GMT ; NULL ; text/css
            http://d.example/b ; Tue, 14 Nov 2023 22:13:20 GMT ; NULL ; text/html
            http://d.example/c ; Tue, 14 Nov 2023 22:13:21 GMT ; NULL ; text/css
            http://d.example/d ; NULL ; Tue, 14 Nov 2023 22:13:21 GMT ; NULL

            """
        let fields =
            #"[["content-type","text/css"],["last-modified","Tue, 14 Nov 2023 22:13:20 GMT"],["cache-control","max-age=1"]]"#
        let records = ["a", "b", "c", "d"].map { name in
            let fetched = name == "d" ? "2023-11-14T22:13:21Z" : "2023-11-14T22:13:20Z"
            return #"{"url":"http://d.example/\#(name)","status":200,"fields":\#(fields),"fetched":"\#(fetched)"}"#
        }
        let index = PackageIndex(
            members: [],
            manifest: Array(manifest.utf8),
            info: nil,
            records: Array(records.joined(separator: "\n").utf8)
        )
        let found = index.problems.filter { $0.rule != "member.missing" }
        #expect(
            found.map(\.kind) == [
                .recordDisagrees(url: "http://d.example/b", field: "mimetype"),
                .recordDisagrees(url: "http://d.example/c", field: "last-modified"),
                .recordDisagrees(url: "http://d.example/d", field: "expires"),
            ]
        )
    }

    @Test func `a URL that occurs again after the order was broken is found`() {
        let manifest = """
            http://d.example/a ; NULL ; NULL ; text/css
            http://d.example/b ; NULL ; NULL ; text/css
            http://d.example/b ; NULL ; NULL ; text/html
            http://d.example/a0 ; NULL ; NULL ; text/css
            http://d.example/a ; NULL ; NULL ; text/css
            http://d.example/c ; NULL ; NULL ; text/css

            """
        var reader = ManifestReader(Array(manifest.utf8))
        var lines: [Int] = []
        while let item = reader.next() { lines.append(item.line) }
        #expect(lines == [1, 2, 4, 6])
        #expect(
            reader.problems.map(\.kind) == [
                .conflictingDuplicate(url: "http://d.example/b", firstLine: 2),
                .unsorted(previous: "http://d.example/b"), .duplicate(url: "http://d.example/a", firstLine: 1),
            ]
        )
    }

    @Test(
        arguments: [
            ("http://d.example/a//b", "d.example/a//b", nil), ("http://d.example/a//b", "d.example/a/b", 0),
            ("http://d.example:81/a", "d.example:81/a", nil), ("http://d.example:81/a", "d.example/a", 0),
            ("http://d.example/a?b", "d.example/a", 0), ("http://d.example/a?b", "d.example/a?b", 0),
            ("https://d.example/a%20b", "d.example/a%20b", 0), ("http://d.example/", "d.example/", 0),
        ] as [(String, String, Int?)]
    )
    func `a body is found under the rule's name only`(url: String, member: String, index: Int?) {
        let manifest = Array("\(url) ; NULL ; NULL ; NULL\n".utf8)
        let found = PackageIndex(members: [.init(name: member, size: 1)], manifest: manifest, info: nil)
        #expect(found.resources.first?.member == index)
    }
}
