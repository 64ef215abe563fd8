import AFCPackageFormat
import AFCURL
import TestSupport
import Testing

/// Plain lines are read by a shortcut, and manifests in parts; neither may change an answer.
struct ManifestShortcutTests {
    struct Answer: Equatable {
        var items: [ManifestReader.Item] = []
        var entries: [ManifestEntry] = []
        var texts: [String] = []
        var problems: [PackageProblem] = []
        var baseURL: String?
        var texture = ManifestTexture()

        init(_ reader: ManifestReader, next: (inout ManifestReader) -> ManifestReader.Item?) {
            var reader = reader
            while let item = next(&reader) {
                items.append(item)
                entries.append(item.entry)
                texts.append(item.urlText)
            }
            problems = reader.problems
            baseURL = reader.baseURL
            texture = reader.texture
        }
    }

    static func answer(_ bytes: [UInt8], usesShortcuts: Bool) -> Answer {
        Answer(ManifestReader(bytes, usesShortcuts: usesShortcuts)) { $0.next() }
    }

    static func answerInParts(_ bytes: [UInt8]) -> Answer {
        Answer(ManifestReader()) { reader in
            reader.next { buffer, offset in
                let part = bytes[min(offset, bytes.count)..<min(offset + buffer.count, bytes.count)]
                buffer.copyBytes(from: part)
                return part.count
            }
        }
    }

    static let date = "Sat, 27 Mar 2004 18:43:30 GMT"
    static let later = "Sun, 28 Mar 2094 18:43:30 GMT"

    /// Fields of all kinds: what is usual, what is odd, what is wrong.
    static let urls = [
        "http://d.example/", "https://d.example/a/b.html?c=d&e", "http://d.example:8080/a", "http://d.example:80/",
        "http://d.example:08/a", "http://D.example/a", "http://d.example", "http://d.example/a b",
        "http://d.example/%41%2e", "http://d.example/%2e%2E/a", "http://d.example/./a", "http://d.example/a/..",
        "http://d.example/.well-known/x", "http://d.example/a#b", "http://d.example/?a'b", "http://d.example/a;b",
        "http://1.2.3.4/a", "http://0x7f.1/a", "http://[::1]/a", "http://u:p@d.example/", "http://d.example/ä",
        "http://xn--mnchen-3ya.example/", "http://münchen.example/", "http://d.example./", "http://-d.example_/",
        "ftp://d.example/a", "mailto:a", "docs.example/a", "", "NULL", "http:///a", "HTTP://d.example/",
        "http://d.example/a\\b", "http://d.example/" + String(repeating: "x", count: 8200), "http://d.example/{}|^`",
        "http://d.example/a ;b", "http://d.example/a; b", "\u{7F}", "http://d.example/\u{1}", "http://999.d/",
    ]
    static let dates = [
        date, later, "NULL", "", date.lowercased(), "Sun, 27 Mar 2004 18:43:30 GMT",
        "Sat, 27 Mar 2004 18:43:30 GMT+00:00",
        "Sat, 31 Feb 2004 18:43:30 GMT", "Wed, 31 Dec 2003 23:59:60 GMT", "Sat Mar 27 18:43:30 2004",
        "Saturday, 27-Mar-04 18:43:30 GMT", "2004-03-27T18:43:30Z", "1080413010", "tomorrow", "null", "NULL ",
        " \(date) ",
    ]
    static let types = [
        "text/html", "text/html; charset=utf-8", "text/html;charset=utf-8", "Text/HTML", "html", "NULL", "",
        "a/b; c=\"d e\"",
        "image/png", "text/css ", "a/b; c=\" ; \"", "application/octet-stream", "t/x",
    ]
    static let members = ["d.example/a", "NULL", "", " a", "a;b", "ä", "d.example/~index"]

    static let lines: [String] = {
        var lines = urls.map { "\($0) ; \(date) ; \(later) ; text/html" }
        for one in dates { for other in dates { lines.append("http://d.example/\(lines.count) ; \(one) ; \(other)") } }
        lines += types.map { "http://d.example/t ; \(date) ; NULL ; \($0)" }
        lines += members.map { "http://d.example/m ; \(date) ; NULL ; text/css ; \($0)" }
        lines += dates.map { "http://d.example/2 ; \($0)" }
        lines += [
            "", "  ", "\t", "baseURL = http://d.example", "key = value", "a", "a ; b ; c ; d ; e ; f", " ; ; ;", ";",
        ]
        lines += [
            "http://d.example/ ;\(date)", "http://d.example/\t;\t\(date)", " http://d.example/s ; NULL ", "a;b;c",
        ]
        lines += ["http://d.example/e ;", "http://d.example/e ; ", "http://d.example/e ; ; ", "http://d.example/e ; ;"]
        lines += [
            "http://d.example/e  ;  NULL  ;  NULL", "http://d.example/\r ; NULL", "http://d.example/e ; NULL ;\t",
        ]
        return lines
    }()

    @Test func `each kind of line has the same answer by the shortcut`() {
        for line in Self.lines {
            for end in ["", "\n", "\r\n", "\n\n", " \n", "\r", "\n\n\r\n\r\n\n\r\n", "\r\n\r\n\n\n\r\r\n"] {
                let bytes = Array((line + end).utf8)
                let expected = Self.answer(bytes, usesShortcuts: false)
                #expect(Self.answer(bytes, usesShortcuts: true) == expected, "\(line.debugDescription)")
                #expect(Self.answerInParts(bytes) == expected, "\(line.debugDescription)")
            }
        }
    }

    @Test(arguments: 0..<UInt64(Rounds.count(10)))
    func `randomly changed manifests have the same answer by the shortcut`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array(" ;;;\n\r\t\u{0}\u{7F}#?%2e./:@[]'\"\\ANULLz09é=".utf8)
        for _ in 0..<25 {
            var bytes = Array(
                (0..<12).map { _ in Self.lines.randomElement(using: &random) ?? "" }.joined(separator: "\n").utf8
            )
            for _ in 0..<Int.random(in: 0..<12, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(byte, at: place)
                case 1: bytes.remove(at: place)
                case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
                default: bytes[place] = byte
                }
            }
            let expected = Self.answer(bytes, usesShortcuts: false)
            #expect(Self.answer(bytes, usesShortcuts: true) == expected, "seed \(seed)")
            #expect(Self.answerInParts(bytes) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: [("", 0), ("\u{FEFF}", 1), ("\u{FEFF}baseURL = http://d.example\n", 1)])
    func `a manifest of several parts has the same answer as the whole`(start: String, problems: Int) {
        // Lines whose ends fall everywhere, among them some that no window holds, and at last URLs of the beginning.
        var text = start
        for number in 0..<9000 {
            let padding = String(repeating: "x", count: number % 97)
            text += "http://d.example/\(100_000 + number)\(padding) ; \(Self.date) ; NULL ; text/html\n"
            if number == 4000 { text += String(repeating: "y", count: 262_144 * 2 + 5) + "\r\n" }
            if number == 4500 { text += String(repeating: "\n", count: 300_000) }
            if number == 5000 { text += String(repeating: "y", count: 65_537) + "\n" }
        }
        text += "http://d.example/100000 ; \(Self.date) ; NULL ; text/html\n"
        text += "http://d.example/100001x ; \(Self.date) ; NULL ; text/css\n"
        text += "http://d.example/100001x ; \(Self.date) ; NULL ; text/html\n"
        text += "http://d.example/0 ; \(Self.date) ; NULL ; text/html"
        let bytes = Array(text.utf8)
        let whole = Self.answer(bytes, usesShortcuts: true)
        #expect(Self.answer(bytes, usesShortcuts: false) == whole)
        #expect(Self.answerInParts(bytes) == whole)
        #expect(whole.entries.count == 9001)
        let rules = [
            "manifest.crlf", "manifest.line-too-long", "manifest.line-too-long", "manifest.duplicate",
            "manifest.conflicting-duplicate", "manifest.duplicate", "manifest.unsorted", "manifest.no-last-line-end",
        ]
        #expect(whole.problems.dropFirst(problems).map(\.rule) == rules)
        #expect(whole.problems.dropFirst(problems + 1).first?.length == 262_144 * 2 + 5)
    }

    @Test func `many URLs in no order are each found again`() {
        var random = SeededGenerator(seed: 7)
        let urls = (0..<3000).map { "http://d.example/\($0)" }
        let order = (urls + urls).shuffled(using: &random)
        let answer = Self.answerInParts(Array(order.map { "\($0) ; NULL\n" }.joined().utf8))
        #expect(answer.entries.count == 3000)
        var first: [String: Int] = [:]
        var expected: [PackageProblem.Kind] = []
        for (index, url) in order.enumerated() {
            if let line = first[url] {
                expected.append(.duplicate(url: url, firstLine: line))
            } else {
                first[url] = index + 1
            }
        }
        #expect(answer.problems.map(\.kind).filter { if case .unsorted = $0 { false } else { true } } == expected)
    }

    @Test func `reading that fails is an error`() {
        struct Failure: Error {}
        var reader = ManifestReader()
        #expect(throws: Failure.self) {
            _ = try reader.next { (_, _) throws(Failure) -> Int in throw Failure() }
        }
    }
}

/// SplitMix64: the same numbers from the same seed, everywhere.
