internal import AFCCaching
internal import AFCHTTP
internal import AFCText
internal import AFCURL

extension CrawlReport {
    /// The report as a page that needs nothing else: no script, no image, no other file.
    ///
    /// Everything that comes from the crawl is text in it, whatever it looks like, and a policy forbids all but its style.
    ///
    /// - Returns: HTML in UTF-8.
    public func html() -> [UInt8] {
        var page = ReportPage(report: self)
        page.write()
        return page.html.bytes
    }
}

/// Writes the page of a report: head and totals first, then what went wrong, then what there is.
struct ReportPage {
    let report: CrawlReport
    var html = HTMLText()

    mutating func write() {
        writeHead()
        html.markup("<body>\n<main>\n")
        writeHeader()
        writeTotals()
        writeFailures()
        writeCuts()
        writeScriptNotes()
        writeSkips()
        writeChanges()
        writeStatuses()
        writeTypes()
        writeHosts()
        writeDepths()
        writeLargest()
        writeSlowest()
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
        if report.seeds.count > 10 { writeNote("and \(Quantity.grouped(report.seeds.count - 10)) more seeds") }
        html.markup("</header>\n")
    }

    private mutating func writeTotals() {
        html.markup("<dl class=\"totals\">\n")
        writeTotal("resources", Quantity.grouped(report.fetched))
        writeTotal("bytes", Quantity.bytes(report.bytes, space: "\u{202F}"))
        writeTotal("on the wire", Quantity.bytes(report.received, space: "\u{202F}"))
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

    mutating func writeNote(_ note: String) {
        html.markup("<p class=\"note\">")
        html.text(note)
        html.markup("</p>\n")
    }

    private var subject: String {
        guard let first = report.seeds.first else { return "nothing" }
        // With its port: several sites on one machine differ in nothing else.
        let hosts = Set(report.seeds.map(Self.authority)).count
        let name = Self.authority(first).isEmpty ? first.description : Self.authority(first)
        return String(name.prefix(100)) + (hosts > 1 ? " and \(hosts - 1) more" : "")
    }

    private static func authority(_ url: WebURL) -> String {
        (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
    }

    private var verdict: String {
        switch report.ending {
        case .interrupted: return "stopped before its end; the same command resumes the crawl"
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
