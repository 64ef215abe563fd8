import AFCPackageFormat
import Testing

@testable import AFCLinter

/// Rules aren't asked about most lines; what they find is the same as if they were.
struct EntryFilterTests {
    static let rules = LintRules.own.compactMap { $0 as? any EntryRule.Type }

    static func findings(_ manifest: String, filters: Bool, _ settings: LintSettings) -> [Finding] {
        var levels = RuleLevels()
        for rule in Self.rules where !rule.isOn { levels.set(.info, for: rule.id) }
        var findings = FindingCollector(file: "m", levels: levels, merges: false)
        let context = LintContext(now: LinterTests.now, settings: settings)
        var filter = EntryFilter(Self.rules, context, filters: filters)
        var reader = ManifestReader(Array(manifest.utf8))
        while let item = reader.next() { filter.check(item, &findings) }
        return findings.sorted
    }

    /// What URLs, dates and types may have.
    static let pieces = [
        "http://d.example/", "https://d.example/", "ftp://d.example/", "http://127.0.0.1/", "http://localhost/",
        "http://a.localhost:8080/", "http://[::1]/", "http://d.example./", "http://D.example/", "http://192.0.2.1/",
        "http://d.test/", "http://1.d/", "http://mylocalhost/", "mailto:", "http://d.example:80/",
    ]
    static let paths = [
        "a.html", "a.css", "a.js", "a.png", "a.woff2", "a.bin", "a.HTM", "a.webmanifest", "a.svgz", "a", "b/", ".git/c",
        "a/.env", "a/.well-known/x", "a//b", "//", "%41", "%2541", "%20%C3%A4", "100%", "%7", "a?", "a??", "a?b",
        "?a=b",
        "a?utm_source=x", "a;jsessionid=1", "a?PHPSESSID=1&b", "a?token=a1b2c3d4e5f6g7h8i9j0k",
        "a?x=eyJaaaaaaaaaa.eyJbbbbbbbbbb.cccccccccccc", "a?utm_a;b=c", "a=b;sessid=c", "a?b=c=d&SIG=e1f2", "a?=eyJ",
        "a?password=1", "a;b=c?d", "a?b=http://e.example//c", "a?c=/.git", "x/a.b/c", "a.", ".html", "a..css",
        "a?sid=0123456789abcdef", "a;S=0123456789abcdef", "a?hsCtaTracking=1", "a?ScCid=1", "a?_GL=1", "a?Piwik_x=1",
        "a?wt_zmc=1", "a?fb_source=1", "a?s=1",
        "é.html", "a b.js", "a.html#b", "a%2ehtml", "%2e%2e/a.css",
    ]
    static let dates = [
        "NULL", "Sat, 27 Mar 2004 18:43:30 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 20 Dec 1990 00:00:00 GMT",
        "Wed, 19 Dec 1990 23:59:59 GMT", "Mon, 21 Sep 2026 13:33:20 GMT", "Mon, 21 Sep 2026 13:33:21 GMT",
        "Mon, 28 Sep 2026 13:33:20 GMT", "Mon, 28 Sep 2026 13:33:21 GMT", "Wed, 22 Sep 2027 13:33:20 GMT",
        "Wed, 22 Sep 2027 13:33:21 GMT", "Sun, 28 Mar 2094 18:43:30 GMT", "tomorrow", "2004-03-27T18:43:30Z",
    ]
    static let types = [
        "NULL", "text/html", "text/html; charset=utf-8", "text/html; charset=utf9", "text/css", "text/javascript",
        "image/png", "image/jpg", "font/woff2", "application/octet-stream", "binary/octet-stream", "text/plain",
        "application/x-javascript", "Text/HTML", "html", "a/b; c=\"d e\"", "application/json",
    ]

    static func line(_ random: inout Numbers) -> String {
        var fields = [
            pieces[random.next(below: pieces.count)] + paths[random.next(below: paths.count)],
            dates[random.next(below: dates.count)], dates[random.next(below: dates.count)],
            types[random.next(below: types.count)],
        ]
        if random.next(below: 4) == 0 { fields[0] = pieces[0] + paths[random.next(below: paths.count)] }
        if random.next(below: 8) == 0 { fields.append("d.example/a") }
        if random.next(below: 8) == 0 { fields.removeLast(random.next(below: 3)) }
        var line = Array(fields.joined(separator: " ; ").unicodeScalars)
        let alphabet = Array("./?%=;&:@#ltx25~é \t0".unicodeScalars)
        for _ in 0..<max(0, random.next(below: 6) - 2) where !line.isEmpty {
            let place = random.next(below: line.count)
            let character = alphabet[random.next(below: alphabet.count)]
            switch random.next(below: 3) {
            case 0: line.insert(character, at: place)
            case 1: line.remove(at: place)
            default: line[place] = character
            }
        }
        return String(String.UnicodeScalarView(line))
    }

    @Test func `filters don't hide the findings of any rule's examples`() {
        var found: Set<String> = []
        let rules = Self.rules.map { LintRules.Description($0) }
        for example in rules.flatMap({ [$0.bad, $0.good] }) {
            guard case .manifest(let text) = example else { continue }
            let expected = Self.findings(text, filters: false, LintSettings())
            #expect(Self.findings(text, filters: true, LintSettings()) == expected)
            found.formUnion(expected.map(\.rule))
        }
        let shown = rules.filter { if case .manifest = $0.bad { true } else { false } }
        #expect(found.isSuperset(of: shown.map(\.id)))
    }

    @Test(arguments: 0..<20)
    func `random lines give the same findings`(seed: Int) {
        var random = Numbers(seed: UInt64(seed))
        var settings = LintSettings()
        settings.longURL = 20 + random.next(below: 40)
        settings.expiresWithinDays = random.next(below: 14) - 2
        let text = (0..<500).map { _ in Self.line(&random) + "\n" }.joined()
        let expected = Self.findings(text, filters: false, settings)
        #expect(Self.findings(text, filters: true, settings) == expected)
        #expect(Set(expected.map(\.rule)).count >= 20)
    }

    @Test func `every position of eight bytes is checked`() {
        for length in 1..<24 {
            for end in ["%41", "?", "//", "/.git/", ";jsessionid=1", "?gclid=1", ".css"] {
                let url = "http://d.example/" + String(repeating: "x", count: length) + end
                let text = "\(url) ; NULL ; NULL ; text/html\nhttp://z.example/ ; NULL ; NULL ; text/html\n"
                let expected = Self.findings(text, filters: false, LintSettings())
                #expect(!expected.isEmpty)
                #expect(Self.findings(text, filters: true, LintSettings()) == expected)
            }
        }
    }

    @Test(arguments: [
        ("url.empty-query", 1, 19), ("date.last-modified-implausible", 23, 29), ("date.expired", 55, 29),
        ("type.obsolete", 87, 9),
    ])
    func `a finding is about its field`(rule: String, column: Int, length: Int) throws {
        let line =
            "http://d.example/a? ; Thu, 01 Jan 1970 00:00:00 GMT ; Sat, 27 Mar 2004 18:43:30 GMT ; image/jpg ; b"
        let findings = Self.findings(line, filters: true, LintSettings())
        let finding = try #require(findings.first { $0.rule == rule })
        #expect(finding.place == .manifest(line: 1, column: column))
        #expect(finding.length == length)
    }

    @Test func `a rule with a different sentence for each line keeps a thousand findings`() throws {
        // 1,500 lines that expired at as many times, the first three at one.
        let text = (0..<1500).map { number in
            let (hour, minute, second) = (max(2, number) / 3600, max(2, number) / 60 % 60, max(2, number) % 60)
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let time = "Sat, 27 Mar 2004 \(two(hour)):\(two(minute)):\(two(second)) GMT"
            return "http://d.example/\(10_000 + number) ; NULL ; \(time) ; text/html\n"
        }.joined()
        let findings = try LinterTests.lint(Array(text.utf8)).findings.filter { $0.rule == "date.expired" }
        #expect(findings.count == 1001)
        #expect(findings.first?.others == 2)
        #expect(findings.reduce(0) { $0 + 1 + $1.others } == 1500)
        #expect(findings.last?.place == .manifest(line: 1003, column: 33))
        #expect(findings.last?.others == 497)
    }
}

/// However much is wrong with a manifest, memory stays small.
struct ManyProblemsTests {
    @Test func `of the findings of loading, a thousand are kept`() throws {
        let text = (0..<2500).map { "http://d.example/\(10_000 + $0) ; NULL ; NULL ; html\($0)\n" }.joined()
        let findings = try LinterTests.lint(Array(text.utf8)).findings.filter { $0.rule == "type.invalid" }
        #expect(findings.count == 1001)
        #expect(findings.last?.place == .manifest(line: 1001, column: 40))
        #expect(findings.last?.others == 1499)
        #expect(findings.dropLast().allSatisfy { $0.others == 0 && $0.sentence.contains("'html") })
    }
}

/// Numbers that look like chance and are the same in each run.
struct Numbers {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}
