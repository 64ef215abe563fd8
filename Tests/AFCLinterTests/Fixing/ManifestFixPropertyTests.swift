import AFCLinter
import AFCPackageFormat
import AFCURL
import TestSupport
import Testing

/// Manifests with many defects at once, made by a generator with a fixed seed.
struct ManifestFixPropertyTests {

    static let urls = [
        "http://d.example/", "http://D.example/a", "http://d.example/a", "HTTP://d.example:80/b?q#f",
        "http://d.example/a b",
        "http://d.example/a%20b", "https://d.example/ä", "http://d.example/x/../c", "http://d.example/c#1",
        "d.example/no",
        "http://d.example/c;d", "http://d.example/e ;f", "http://d.example/e\t;\tSat, 27 Mar 2004 18:43:30 GMT",
        "http://d.example/e; NULL", "http://u@d.example/", "http://d.example//g", "file:///h",
    ]
    static let dates = [
        "NULL", "", "Sat, 27 Mar 2004 18:43:30 GMT", "Mon, 27 Mar 2004 18:43:30 GMT",
        "Sat, 27 Mar 2004 18:43:30 GMT+00:00",
        "tomorrow", "1080413010", "2004-03-27T18:43:30Z", "Saturday, 27-Mar-04 18:43:30 GMT",
        "9999-12-31T23:59:59-12:00",
        "Sat, 1 May 2004 8:00:00 GMT", "; NULL",
    ]
    static let types = ["NULL", "", "text/html", "TEXT/html;charset=UTF-8", "text", "text/html; a=\" ;\"", "a/b;"]
    static let names = ["NULL", "", "d.example/a", "D.example/a", " d.example/a", "x;y"]
    static let lines = [
        "", " ", "\t", "baseURL = http://d.example/", "baseURL =  x ", "k = v", "\u{FEFF}k = v", "no entry",
        "a ; b ; c ; d ; e ; f", "\r",
        "=", " = ", "\u{FEFF}http://d.example/a ; NULL",
    ]
    static let members = [
        "d.example/a", "D.example/a", "d.example/a b", "d.example/a%20b", "d.example/b?q#f", "d.example/c",
        "d.example/c#1",
        "d.example/ä", "d.example/e ;f", "d.example/x/../c", "d.example//g", "d.example/g",
    ]

    static func manifest(_ source: inout SeededGenerator) -> [UInt8] {
        func any(_ words: [String]) -> String { words.randomElement(using: &source) ?? "" }
        var bytes: [UInt8] = Int.random(in: 0..<4, using: &source) == 0 ? [0xEF, 0xBB, 0xBF] : []
        for _ in 0..<Int.random(in: 0..<12, using: &source) {
            var line = any(lines)
            if Int.random(in: 0..<6, using: &source) > 0 {
                let fields = [any(urls), any(dates), any(dates), any(types), any(names)]
                let delimiter = any([" ; ", " ; ", " ; ", "  ; ", " ;  ", "\t ; "])
                line =
                    fields.prefix(Int.random(in: 2...5, using: &source)).joined(separator: delimiter)
                    + any(["", "", " "])
            }
            bytes += Array(line.utf8) + Array(any(["\n", "\n", "\r\n", "\r\r\n"]).utf8)
        }
        if Bool.random(using: &source), bytes.last == 0x0A { bytes.removeLast() }
        // Once in a while, bytes that belong nowhere.
        for _ in 0..<max(0, Int.random(in: -6...2, using: &source)) {
            let byte = [0x00, 0x0A, 0x0D, 0x20, 0x3B, 0x7F, 0xC3, 0xE4, 0xFF].randomElement(using: &source) ?? 0
            bytes.insert(UInt8(byte), at: Int.random(in: 0...bytes.count, using: &source))
        }
        return bytes
    }

    /// What loading makes of a manifest: each URL with its fields and the member with its body, and the rules broken.
    static func read(_ bytes: [UInt8], members: Set<String>) -> (entries: [WebURL: ManifestEntry], errors: [String]) {
        var reader = ManifestReader(bytes)
        var entries: [WebURL: ManifestEntry] = [:]
        while let item = reader.next() {
            var entry = item.entry
            let names = entry.member.map { [$0] } ?? MemberRule.candidates(text: item.urlText, url: entry.url)
            entry.member = names.first(where: members.contains)
            entries[entry.url] = entry
        }
        return (entries, reader.problems.filter { $0.severity == .error }.map(\.rule).sorted() + [reader.baseURL ?? ""])
    }

    static let mendable: Set<String> = [
        "manifest.byte-order-mark", "manifest.crlf", "manifest.no-last-line-end", "manifest.unsorted",
        "manifest.duplicate",
        "url.not-normal", "url.fragment", "date.not-imf-fixdate", "type.not-normal",
    ]

    @Test(arguments: [1, 2, 3, 4])
    func `a fixed manifest has the same meaning, and nothing left to fix`(seed: UInt64) throws {
        var source = SeededGenerator(seed: seed)
        let readers = OtherReaders()
        for round in 0..<150 {
            let bytes = Self.manifest(&source)
            let members = Set(Self.members.filter { _ in Bool.random(using: &source) })
            let fix: ManifestFix
            do {
                fix = try ManifestFix(bytes, path: "m", isMember: members.contains)
            } catch {
                Issue.record("\(error) of \(String(decoding: bytes, as: UTF8.self).debugDescription), \(members)")
                continue
            }
            let (before, after) = (Self.read(bytes, members: members), Self.read(fix.bytes, members: members))
            #expect(before.entries == after.entries, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            #expect(before.errors == after.errors, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            let again = try ManifestFix(fix.bytes, path: "m", isMember: members.contains)
            #expect(again.bytes == fix.bytes, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            #expect(fix.isNeeded == (fix.bytes != bytes))
            if fix.isNeeded { #expect(fix.count > 0, "\(String(decoding: bytes, as: UTF8.self).debugDescription)") }
            readers.add(bytes, fix.bytes, name: "seed \(seed), round \(round)")
        }
        try readers.expectNoDifferences()
    }

    @Test func `after fixing, no fixable rule finds anything in manifests without errors`() throws {
        var source = SeededGenerator(seed: 5)
        var sound = 0
        while sound < 25 {
            let bytes = Self.manifest(&source)
            // A header with a mark of its own keeps one where it comes first.
            let hasOddHeader = String(decoding: bytes.dropFirst(3), as: UTF8.self).contains("\u{FEFF}")
            guard Self.read(bytes, members: []).errors == [""], !hasOddHeader else { continue }
            let fix = try ManifestFix(bytes, path: "m") { _ in false }
            var reader = ManifestReader(fix.bytes)
            while reader.next() != nil {}
            // Lines that a person has to look at stay, and so does the order of all; a repetition that others read does, too.
            let kept: Set<String> = ["manifest.odd-delimiter", "manifest.unknown-header", "manifest.duplicate"]
            let rules = Set(reader.problems.map(\.rule))
            guard fix.withheld == 0, kept.isDisjoint(with: rules) else { continue }
            #expect(Self.mendable.isDisjoint(with: rules))
            sound += 1
        }
    }
}
