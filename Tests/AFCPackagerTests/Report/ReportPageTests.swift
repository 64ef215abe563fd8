import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

struct ReportPageTests {
    /// Python's parser says of the page in a file which elements it has, which attributes, whether they close, and its text.
    private static let reader = """
        import sys, json
        from html.parser import HTMLParser
        class Reader(HTMLParser):
            def __init__(self):
                super().__init__(convert_charrefs=True)
                self.tags, self.attributes, self.open, self.text, self.problems = set(), [], [], [], []
                self.policies = []
            def handle_starttag(self, tag, attributes):
                self.tags.add(tag)
                self.attributes += [[tag, name, value] for name, value in attributes]
                named = dict(attributes)
                if named.get("http-equiv") == "Content-Security-Policy": self.policies.append(named["content"])
                if tag not in ("meta",): self.open.append(tag)
            def handle_endtag(self, tag):
                if not self.open or self.open.pop() != tag: self.problems.append(tag)
            def handle_data(self, data):
                if not self.open or self.open[-1] != "style": self.text.append(data)
        reader = Reader()
        reader.feed(open(sys.argv[1], encoding="utf-8").read())
        reader.close()
        assert not reader.open and not reader.problems, (reader.open, reader.problems)
        names = {name for _, name, _ in reader.attributes}
        print(" ".join(sorted(reader.tags)))
        print(" ".join(sorted(names)))
        print(" ".join(sorted({v for t, n, v in reader.attributes if n == "href"})))
        print(" ".join(reader.policies))
        print(" ".join("".join(reader.text).split()))
        """

    private func read(_ report: CrawlReport) async throws -> [String] {
        try await withScratchFolder { folder in
            try write(String(decoding: report.html(), as: UTF8.self), to: folder + "/report.html")
            try write(Self.reader, to: folder + "/reader.py")
            let output = try run("python3", folder + "/reader.py", folder + "/report.html")
            return String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
        }
    }

    @Test func `a hostile site's content is text on the page, and loads nothing`() async throws {
        let lines = try await read(try SampleReport.hostile())
        #expect(
            lines[0]
                == "a b body dd details div dl dt h1 h2 head header html i li main meta ol p section small span style summary "
                + "table tbody td th thead title tr ul"
        )
        #expect(lines[1] == "charset class content href http-equiv lang name open rel scope style")
        #expect(
            lines[2]
                == "http://docs.example/ http://docs.example/a http://docs.example/c http://docs.example/large http://docs.example/new "
                + "http://docs.example/o'clock?%3Cscript%3E http://docs.example/old http://docs.example/r "
                + "http://gone.example/ http://other.example/"
        )
        #expect(lines[3] == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
        for sentence in [
            "status 404 <img src=x onerror=alert(1)>\\u{1b}[31m\\u{202e}\"'&", "javascript:alert('<script>\"</a>')",
            "text/<b onclick=x>", "<b>docs</b>.zip", "complete, except for 2 URLs",
            "the host name could not be resolved",
            "resumed once",
        ] {
            #expect(lines[4].contains(sentence), "\(sentence)")
        }
    }

    @Test func `a report of nothing is a complete page`() async throws {
        var report = CrawlReport()
        report.ending = .error("cannot write '<x>'")
        let lines = try await read(report)
        #expect(lines[4].hasPrefix("Crawl of nothing: failed: cannot write '<x>'"))
        #expect(!lines[4].contains("Failures"))
    }

    @Test func `the page lists 2,000 of many failures, and counts the rest`() async throws {
        var recorder = CrawlRecorder()
        for index in 0..<12_000 {
            let url = try WebURL("http://d.example/\(index)")
            recorder.noteFailure(.init(url: url, reason: .timeout, referrer: nil))
        }
        let text = try await read(recorder.report)[4]
        #expect(text.contains("http://d.example/1999 "))
        #expect(!text.contains("http://d.example/2000"))
        #expect(text.contains("10 000 more are not listed here"))
    }
}
