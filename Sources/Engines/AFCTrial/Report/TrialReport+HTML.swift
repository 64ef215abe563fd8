internal import AFCText
internal import AFCURL

extension TrialReport {
    /// Returns the report as a page with pictures that needs nothing else: no script, no other file.
    ///
    /// All text of the package is escaped, and a policy forbids everything but the page's own style and pictures.
    ///
    /// - Parameter advice: Returns the words for a remedy.
    /// - Returns: HTML in UTF-8.
    package func html(_ advice: (TrialFinding.Remedy) -> String) -> [UInt8] {
        var page = TrialPage(report: self)
        page.write(advice)
        return page.bytes
    }
}

/// The writer of a report's page.
///
/// Markup comes from this program's own text only; everything else is escaped.
private struct TrialPage {
    let report: TrialReport
    private(set) var bytes: [UInt8] = []

    init(report: TrialReport) { self.report = report }

    private mutating func markup(_ markup: StaticString) { markup.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    private mutating func text(_ text: String) { bytes.append(contentsOf: Markup.escaped(text).utf8) }

    mutating func write(_ advice: (TrialFinding.Remedy) -> String) {
        markup(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="generator" content="afcache">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            img-src data:; base-uri 'none'; form-action 'none'">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex, nofollow">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Trial of 
            """
        )
        text(report.package)
        markup("</title>\n<style>\n")
        markup(TrialStyle.sheet)
        markup("</style>\n</head>\n<body>\n<main>\n<p class=\"kind\">Trial without a network</p>\n<h1>")
        text(report.package)
        markup("</h1>\n<p class=\"")
        if report.worksOffline { markup("good") } else { markup("bad") }
        markup("\">")
        text(report.verdict)
        markup("</p>\n")
        if let against = report.against {
            markup("<p class=\"kind\">Compared with ")
            text(against)
            markup("</p>\n")
        }
        writeFindings(report.faults, "What is missing", advice)
        writeFindings(report.hints, "Hints", advice)
        writePages()
        markup("</main>\n</body>\n</html>\n")
    }

    private mutating func writeFindings(
        _ findings: [TrialFinding],
        _ title: StaticString,
        _ advice: (TrialFinding.Remedy) -> String
    ) {
        guard !findings.isEmpty else { return }
        markup("<section>\n<h2>")
        markup(title)
        markup("</h2>\n<ul>\n")
        for finding in findings {
            markup("<li><b>")
            text(finding.kind.words)
            markup("</b> <code>")
            text(finding.subject)
            markup("</code>")
            for line in [finding.detail, finding.place, finding.remedy.map(advice)].compactMap(\.self) {
                markup("<small>")
                text(line)
                markup("</small>")
            }
            markup("</li>\n")
        }
        for (kind, count) in report.more.sorted(by: { $0.key < $1.key })
        where findings.contains(where: { $0.kind == kind }) {
            markup("<li>")
            text("\(count) more: \(kind.words)")
            markup("</li>\n")
        }
        markup("</ul>\n</section>\n")
    }

    private mutating func writePages() {
        guard !report.pages.isEmpty else { return }
        markup("<section>\n<h2>Pages</h2>\n<ul class=\"pages\">\n")
        for page in report.pages {
            let faults = report.faults.count { $0.page == page.url }
            markup("<li><b>")
            text(page.title.isEmpty ? page.url.description : page.title)
            markup("</b><small>")
            text(page.url.description)
            markup("</small><small>")
            text(Self.facts(page, faults))
            markup("</small>")
            for picture in [page.picture, page.otherPicture].compactMap(\.self) {
                markup("<img alt=\"\" width=\"480\" height=\"300\" src=\"data:image/jpeg;base64,")
                bytes.append(contentsOf: Base64.encode(picture).utf8)
                markup("\">")
            }
            markup("</li>\n")
        }
        markup("</ul>\n</section>\n")
    }

    private static func facts(_ page: TrialReport.Page, _ faults: Int) -> String {
        var facts = [Quantity.count(page.words, "word"), Quantity.count(page.requests, "request")]
        facts.append("\(Quantity.count(page.clicked.count, "link")) clicked")
        if page.template > 0 {
            facts.append("template \(page.template), of \(Quantity.count(page.pagesOfTemplate, "page"))")
        }
        if let comparison = page.comparison {
            facts.append("\(TrialReport.percent(comparison.missingWords)) of the words missing")
            facts.append("\(TrialReport.percent(comparison.newWords)) new")
            if let pixels = comparison.differentPixels {
                facts.append("picture \(TrialReport.percent(pixels)) different")
            }
        }
        if faults > 0 { facts.append(Quantity.count(faults, "fault")) }
        return facts.joined(separator: ", ")
    }
}

extension TrialReport {
    /// The verdict in one sentence, without the package's name.
    package var verdict: String {
        guard !pages.isEmpty else { return "doesn't work offline: it has no page" }
        guard worksOffline else {
            let count = faults.count + more.filter(\.key.isFault).values.reduce(0, +)
            return "doesn't work offline: \(Quantity.count(count, "fault"))"
        }
        let links = Set(pages.flatMap(\.clicked)).count
        var parts = [Quantity.count(pages.count, "page"), Quantity.count(links, "link")]
        if let search, search.outcome == .found { parts.append("a search for '\(search.word)'") }
        let last = parts.removeLast()
        return "works offline: \(parts.joined(separator: ", ")) and \(last)"
    }
}
