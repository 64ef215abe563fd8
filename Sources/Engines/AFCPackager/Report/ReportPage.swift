public import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

extension CrawlReport {
    /// Returns the report as a page that needs nothing else: no script, no image, no other file.
    ///
    /// All text from the crawl is escaped, and a policy forbids everything but the page's own style.
    ///
    /// - Returns: HTML in UTF-8.
    public func html() -> [UInt8] {
        var page = ReportPage(report: self)
        page.write()
        return page.html.bytes
    }
}

/// The writer of a report's page: head and totals first, then problems, then statistics.
private struct ReportPage {
    let report: CrawlReport
    private(set) var html = HTMLText()

    mutating func write() {
        writeHead()
        html.markup("<body>\n<main>\n")
        writeHeader()
        writeTotals()
        writeFailures()
        writeCuts()
        writeScriptNotes()
        writeUnreadCalls()
        writeMisplacedPages()
        writeSkips()
        writeChanges()
        writeStatuses()
        writeTypes()
        writeHosts()
        writeUsages()
        writeDepths()
        writeRanking("Largest resources", report.largest.places) { Quantity.bytes($0.bytes, space: "\u{202F}") }
        writeRanking("Slowest resources", report.slowest.places) { Quantity.duration($0.measure) }
        writeRedirects()
        html.markup("</main>\n</body>\n</html>\n")
    }

    private mutating func writeHead() {
        html.markup(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="generator" content="afcache">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            base-uri 'none'; form-action 'none'">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex, nofollow">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Crawl of 
            """
        )
        html.text(subject)
        html.markup(": ")
        html.text(verdict)
        html.markup("</title>\n<style>\n")
        html.markup(ReportStyle.sheet)
        html.markup("\n</style>\n</head>\n")
    }

    private mutating func writeHeader() {
        html.markup("<header>\n<p class=\"kind\">Crawl report</p>\n<h1>")
        html.text(subject)
        html.markup("</h1>\n<p class=\"verdict ")
        switch report.outcome {
        case .complete: html.markup("good")
        case .incomplete, .interrupted: html.markup("fair")
        case .empty, .error: html.markup("bad")
        }
        html.markup("\">")
        html.text(verdict)
        html.markup("</p>\n<p class=\"when\">")
        html.text(when)
        html.markup("</p>\n<ul class=\"seeds\">")
        for seed in report.seeds.prefix(10) {
            html.markup("<li>")
            html.url(seed)
            html.markup("</li>")
        }
        html.markup("</ul>\n")
        writeMore(report.seeds.count - 10, " seeds")
        html.markup("</header>\n")
    }

    private mutating func writeTotals() {
        html.markup("<dl class=\"totals\">\n")
        writeTotal("resources", Quantity.grouped(report.fetched))
        writeTotal("bytes", Quantity.bytes(report.bytes, space: "\u{202F}"))
        writeTotal("transferred", Quantity.bytes(report.received, space: "\u{202F}"))
        writeTotal("time", Quantity.duration(report.elapsed))
        writeTotal("requests", Quantity.grouped(report.requests))
        if report.retries > 0 { writeTotal("retries", Quantity.grouped(report.retries)) }
        writeTotal("redirects", Quantity.grouped(report.redirects))
        writeTotal("failures", Quantity.grouped(report.failed))
        writeTotal("skipped", Quantity.grouped(report.skippedCount))
        if let package = report.package { writeTotal("package", Quantity.bytes(package.bytes, space: "\u{202F}")) }
        html.markup("</dl>\n")
    }

    private mutating func writeTotal(_ name: String, _ value: String) {
        html.markup("<div><dt>")
        html.text(name)
        html.markup("</dt><dd>")
        html.text(value)
        html.markup("</dd></div>\n")
    }

    private mutating func writeNote(_ note: String) {
        html.markup("<p class=\"note\">")
        html.text(note)
        html.markup("</p>\n")
    }

    private var subject: String {
        guard let first = report.seeds.first else { return "nothing" }
        // With its port, since sites on one machine may differ in nothing else.
        let hosts = Set(report.seeds.map(Self.authority)).count
        let name = Self.authority(first).isEmpty ? first.description : Self.authority(first)
        return String(name.prefix(100)) + (hosts > 1 ? " and \(hosts - 1) more" : "")
    }

    private static func authority(_ url: WebURL) -> String {
        (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    }

    private var verdict: String {
        switch report.ending {
        case .interrupted: return "interrupted; run the same command again to resume the crawl"
        case .error(let message): return "failed: \(message)"
        case .finished: break
        }
        if report.fetched == 0 { return "nothing could be fetched" }
        if report.failed == 0 {
            return report.cutCount == 0 ? "complete" : "complete, except where limits were reached"
        }
        return report.failed == 1
            ? "complete, except for one URL" : "complete, except for \(Quantity.grouped(report.failed)) URLs"
    }

    private var when: String {
        var parts: [String] = []
        if let started = report.started {
            parts.append(started.iso8601.replacing("T", with: " ").replacing("Z", with: " UTC"))
        }
        if report.resumed > 0 { parts.append(report.resumed == 1 ? "resumed once" : "resumed \(report.resumed) times") }
        if let package = report.package { parts.append(package.name) }
        if !report.generator.isEmpty { parts.append(report.generator) }
        return parts.joined(separator: " · ")
    }
}

/// The problems, the skipped URLs and the extremes: lists of URLs.
extension ReportPage {
    /// The most failures on the page; the JSON document lists more.
    private static let failureLimit = 2000

    private mutating func writeFailures() {
        guard report.failed > 0 else { return }
        beginSection("Failures", count: report.failed)
        let listed = report.failures.prefix(Self.failureLimit)
        let reasons = Dictionary(grouping: listed) { $0.reason.description }
        for (reason, failures) in reasons.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            writeLine(reason.utf8.count <= 300 ? reason : String(reason.prefix(300)) + "…", failures.count)
        }
        // People who repair links work page by page.
        var places: [WebURL?: Int] = [:]
        for failure in listed where places[failure.referrer] == nil { places[failure.referrer] = places.count }
        let pages = Dictionary(grouping: listed) { $0.referrer }
        let order = pages.sorted {
            ($1.value.count, places[$0.key] ?? 0) < ($0.value.count, places[$1.key] ?? 0)
        }
        for (page, failures) in order {
            let title = page.map(\.description) ?? "start URLs and robots.txt files"
            beginDetails(title, count: failures.count, isOpen: failures.count <= 50)
            html.markup("<ul>\n")
            for failure in failures {
                let importance =
                    switch failure.importance {
                    case .seed, .link: ""
                    case .requisite: " · needed by the page"
                    case .optional: " · optional"
                    case .guess: " · guessed from a script"
                    }
                writeItem(failure.url, failure.reason.description + importance)
            }
            html.markup("</ul>\n</details>\n")
        }
        let hidden = report.failed - min(report.failures.count, Self.failureLimit)
        if hidden > 0 { writeNote("\(Quantity.grouped(hidden)) more are not listed here") }
        html.markup("</section>\n")
    }

    private mutating func writeCuts() {
        guard report.cutCount > 0 else { return }
        beginSection("Searched only in part", count: report.cutCount)
        html.markup("<ul>\n")
        for cut in report.cuts { writeItem(cut.url, cut.limits.map(\.description).joined(separator: "; ")) }
        html.markup("</ul>\n")
        writeMore(report.unlistedCuts)
        html.markup("</section>\n")
    }

    private mutating func writeScriptNotes() {
        if report.needsScriptsCount > 0 {
            beginSection("Pages that show nothing without scripts", count: report.needsScriptsCount)
            writeNote("Resources that their scripts load are probably missing.")
            writeList(report.needsScripts)
            html.markup("</section>\n")
        }
        guard report.unfoundCount > 0 else { return }
        beginSection("Files that scripts name", count: report.unfoundCount)
        writeNote("Scripts of start pages load these files, and the crawl didn't find them.")
        html.markup("<ul>\n")
        for unfound in report.unfound { writeItem(unfound.url, unfound.name) }
        html.markup("</ul>\n")
        writeMore(report.unfoundCount - report.unfound.count)
        html.markup("</section>\n")
    }

    private mutating func writeUnreadCalls() {
        guard report.unreadCount > 0 else { return }
        beginSection("Addresses that scripts compose", count: report.unreadCount)
        writeNote(
            "The crawl couldn't read these addresses, so what these calls load may be missing. One call of each form."
        )
        html.markup("<ul>\n")
        for unread in report.unread {
            writeItem(unread.url, "line \(unread.line), column \(unread.column): \(unread.code)")
        }
        html.markup("</ul>\n")
        writeMore(report.unreadCount - report.unread.count)
        html.markup("</section>\n")
    }

    private mutating func writeMisplacedPages() {
        guard report.misplacedCount > 0 else { return }
        beginSection("Answered with a page", count: report.misplacedCount)
        writeNote("Pages need these files, but the site answers with a page. The files are probably missing.")
        writeList(report.misplaced)
        html.markup("</section>\n")
    }

    private mutating func writeSkips() {
        guard !report.skipped.isEmpty else { return }
        beginSection("Skipped", count: report.skippedCount)
        for skip in report.skipped {
            beginDetails(skip.rule.description, count: skip.count, isOpen: false)
            writeList(skip.examples)
            writeMore(skip.count - skip.examples.count)
            html.markup("</details>\n")
        }
        html.markup("</section>\n")
    }

    private mutating func writeChanges() {
        guard let changes = report.changes else { return }
        beginSection("Changes since the older package")
        for change in CrawlReport.Change.allCases {
            let found = changes[change] ?? CrawlReport.Changes()
            guard found.count > 0, change != .unchanged else {
                writeLine(change.rawValue, found.count)
                continue
            }
            beginDetails(change.rawValue, count: found.count, isOpen: found.count <= 50)
            writeList(found.urls)
            writeMore(found.count - found.urls.count)
            html.markup("</details>\n")
        }
        html.markup("</section>\n")
    }

    private mutating func writeRanking<Measure>(
        _ title: String,
        _ places: [Ranking<Measure>.Place],
        _ measure: (Ranking<Measure>.Place) -> String
    ) {
        guard !places.isEmpty else { return }
        beginSection(title)
        html.markup("<ol class=\"ranking\">\n")
        for place in places {
            html.markup("<li><b>")
            html.text(measure(place))
            html.markup("</b> ")
            html.url(place.url)
            writeReferrer(place.referrer)
            html.markup("</li>\n")
        }
        html.markup("</ol>\n</section>\n")
    }

    private mutating func writeRedirects() {
        guard report.redirects > 0 else { return }
        beginSection("Redirects", count: report.redirects)
        let summary = report.redirection
        writeNote(
            "\(Quantity.grouped(summary.permanent)) permanent; longest chain: \(summary.longestChain); "
                + "chains of two or more: \(Quantity.grouped(summary.chains))"
        )
        if !summary.advice.isEmpty {
            beginDetails("links that could point to their target directly", count: summary.advice.count, isOpen: false)
            html.markup("<ul>\n")
            for advice in summary.advice {
                html.markup("<li><b>")
                html.number(advice.status)
                html.markup("</b> ")
                html.url(advice.url)
                html.markup("<small>now at ")
                html.url(advice.target)
                html.markup("</small>")
                writeReferrer(advice.referrer)
                html.markup("</li>\n")
            }
            html.markup("</ul>\n</details>\n")
        }
        html.markup("</section>\n")
    }

    private mutating func beginSection(_ title: String, count: Int? = nil) {
        html.markup("<section>\n<h2>")
        html.text(title)
        if let count { writeBadge(count) }
        html.markup("</h2>\n")
    }

    private mutating func beginDetails(_ title: String, count: Int, isOpen: Bool) {
        html.markup("<details")
        if isOpen { html.markup(" open") }
        html.markup("><summary>")
        html.text(title.utf8.count <= 300 ? title : String(title.prefix(300)) + "…")
        writeBadge(count)
        html.markup("</summary>\n")
    }

    private mutating func writeBadge(_ count: Int) {
        html.markup(" <span class=\"count\">")
        html.text(Quantity.grouped(count))
        html.markup("</span>")
    }

    private mutating func writeLine(_ text: String, _ count: Int) {
        html.markup("<p class=\"line\">")
        html.text(text)
        writeBadge(count)
        html.markup("</p>\n")
    }

    private mutating func writeMore(_ hidden: Int, _ what: String = "") {
        if hidden > 0 { writeNote("and \(Quantity.grouped(hidden)) more\(what)") }
    }

    private mutating func writeList(_ urls: [WebURL]) {
        html.markup("<ul>\n")
        for url in urls {
            html.markup("<li>")
            html.url(url)
            html.markup("</li>\n")
        }
        html.markup("</ul>\n")
    }

    private mutating func writeItem(_ url: WebURL, _ note: String) {
        html.markup("<li>")
        html.url(url)
        html.markup(" <small>")
        html.text(note)
        html.markup("</small></li>\n")
    }

    private mutating func writeReferrer(_ referrer: WebURL?) {
        guard let referrer else { return }
        html.markup("<small>found on ")
        html.url(referrer)
        html.markup("</small>")
    }
}

/// The statistics by kind: tables with a bar in each row.
extension ReportPage {
    private struct Row {
        var name: String
        var share: Tally<String>.Share
        var isStatus = false
        var status = 0
    }

    private mutating func writeStatuses() {
        let rows = report.statuses.sorted.map { status, share in
            Row(name: String(status), share: .init(count: share.count), isStatus: true, status: status)
        }
        writeBars("Status codes", head: "status", rows + other(report.statuses.other.count, 0), by: \.count)
    }

    private mutating func writeTypes() {
        let rows = report.types.largestFirst.map { Row(name: $0.key.isEmpty ? "none" : $0.key, share: $0.share) }
        writeBars("Media types", head: "type", rows + other(report.types.other), by: \.bytes)
    }

    private mutating func writeHosts() {
        let rows = report.hosts.largestFirst.map { Row(name: $0.key, share: $0.share) }
        writeBars("Hosts", head: "host", rows + other(report.hosts.other), by: \.bytes)
    }

    private mutating func writeUsages() {
        let rows = report.disallowedUsages.sorted.map { Row(name: $0.key, share: $0.share) }
        writeBars(
            "Disallowed by origins",
            head: "usage",
            rows + other(report.disallowedUsages.other.count, 0),
            by: \.count
        )
    }

    private mutating func writeDepths() {
        guard report.depths.count > 1 else { return }
        let rows = report.depths.enumerated().map { depth, count in
            let isLast = depth == CrawlReport.depthLimit - 1
            return Row(name: "\(depth)\(isLast ? " or more" : "")", share: .init(count: count))
        }
        writeBars("Link depth", head: "depth", rows, by: \.count)
    }

    private func other(_ share: Tally<String>.Share) -> [Row] { other(share.count, share.bytes) }

    private func other(_ count: Int, _ bytes: Int64) -> [Row] {
        count == 0 ? [] : [Row(name: "all others", share: .init(count: count, bytes: bytes))]
    }

    private mutating func writeBars(
        _ title: String,
        head: String,
        _ rows: [Row],
        by measure: KeyPath<Tally<String>.Share, some BinaryInteger & Sendable>
    ) {
        guard !rows.isEmpty else { return }
        let hasBytes = rows.contains { $0.share.bytes > 0 }
        let most = rows.reduce(1.0) { max($0, Double($1.share[keyPath: measure])) }
        beginSection(title)
        html.markup("<table>\n<thead><tr><th scope=\"col\">")
        html.text(head)
        html.markup("</th><th scope=\"col\" class=\"number\">count</th>")
        if hasBytes { html.markup("<th scope=\"col\" class=\"number\">bytes</th>") }
        html.markup("<td></td></tr></thead>\n<tbody>\n")
        for row in rows {
            html.markup("<tr><th scope=\"row\">")
            html.text(row.name)
            html.markup("</th><td class=\"number\">")
            html.text(Quantity.grouped(row.share.count))
            html.markup("</td>")
            if hasBytes {
                html.markup("<td class=\"number\">")
                html.text(Quantity.bytes(row.share.bytes, space: "\u{202F}"))
                html.markup("</td>")
            }
            writeBar(Double(row.share[keyPath: measure]) / most, of: row)
            html.markup("</tr>\n")
        }
        html.markup("</tbody>\n</table>\n</section>\n")
    }

    private mutating func writeBar(_ part: Double, of row: Row) {
        html.markup("<td class=\"bar\"><i")
        if row.isStatus {
            switch row.status {
            case 200...299: html.markup(" class=\"good\"")
            case 300...399: html.markup("")
            case 400...499: html.markup(" class=\"fair\"")
            default: html.markup(" class=\"bad\"")
            }
        }
        html.markup(" style=\"width:")
        let tenths = Int((part * 1000).rounded())
        html.number(tenths / 10)
        html.markup(".")
        html.number(tenths % 10)
        html.markup("%\"></i></td>")
    }
}

/// A growing HTML text: its type ensures that markup comes from this program's own text only, and everything else is
/// escaped.
private struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Appends markup.
    mutating func markup(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends text, for content and for attributes in double quotes.
    ///
    /// Invisible characters, and those that change the direction of writing, are shown as numbers.
    mutating func text(_ text: String) {
        bytes.append(contentsOf: Markup.escaped(text).utf8)
    }

    /// Appends a number.
    mutating func number(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a URL; http and https URLs become links.
    mutating func url(_ url: WebURL) {
        let whole = url.description
        let origin = url.isHTTP ? url.origin : ""
        let start = origin.utf8.count
        if url.isHTTP {
            markup("<a rel=\"noreferrer noopener\" href=\"")
            text(whole)
            markup("\">")
        }
        if !origin.isEmpty, whole.hasPrefix(origin) {
            markup("<span class=\"origin\">")
            text(origin)
            markup("</span>")
            text(Self.shortened(String(whole.utf8.dropFirst(start)) ?? whole))
        } else {
            text(Self.shortened(whole))
        }
        if url.isHTTP { markup("</a>") }
    }

    /// Shortens a text to a few lines.
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= 600 ? text : String(text.prefix(600)) + "…"
    }
}
