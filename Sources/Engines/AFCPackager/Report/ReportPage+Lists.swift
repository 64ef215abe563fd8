internal import AFCText
internal import AFCURL

/// What went wrong, what was left out, and what stands out: lists of URLs.
extension ReportPage {
    /// How many failures stand on the page; the JSON document has all that are listed.
    static let failureLimit = 2000

    mutating func writeFailures() {
        guard report.failed > 0 else { return }
        beginSection("Failures", count: report.failed)
        let listed = report.failures.prefix(Self.failureLimit)
        let reasons = Dictionary(grouping: listed) { $0.reason.description }
        for (reason, failures) in reasons.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            html.markup("<p class=\"line\">")
            html.text(reason.utf8.count <= 300 ? reason : String(reason.prefix(300)) + "…")
            writeBadge(failures.count)
            html.markup("</p>\n")
        }
        // A person who repairs links works page by page.
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
                html.markup("<li>")
                html.url(failure.url)
                html.markup(" <small>")
                html.text(failure.reason.description)
                switch failure.importance {
                case .seed, .link: break
                case .requisite: html.text(" · needed by the page")
                case .optional: html.text(" · optional")
                }
                html.markup("</small></li>\n")
            }
            html.markup("</ul>\n</details>\n")
        }
        let hidden = report.failed - min(report.failures.count, Self.failureLimit)
        if hidden > 0 { writeNote("\(Quantity.grouped(hidden)) more are not listed here") }
        html.markup("</section>\n")
    }

    mutating func writeCuts() {
        guard report.cutCount > 0 else { return }
        beginSection("Not searched to the end", count: report.cutCount)
        html.markup("<ul>\n")
        for cut in report.cuts {
            html.markup("<li>")
            html.url(cut.url)
            html.markup(" <small>")
            html.text(cut.limits.map(\.description).joined(separator: "; "))
            html.markup("</small></li>\n")
        }
        html.markup("</ul>\n")
        if report.unlistedCuts > 0 { writeNote("and \(Quantity.grouped(report.unlistedCuts)) more") }
        html.markup("</section>\n")
    }

    mutating func writeScriptNotes() {
        guard report.needsScriptsCount > 0 else { return }
        beginSection("Pages that seem to need scripts", count: report.needsScriptsCount)
        writeNote("Resources that scripts load at run time are not in the package.")
        html.markup("<ul>\n")
        for url in report.needsScripts { writeItem(url, referrer: nil) }
        html.markup("</ul>\n</section>\n")
    }

    mutating func writeSkips() {
        guard !report.skipped.isEmpty else { return }
        beginSection("Skipped", count: report.skippedCount)
        for skip in report.skipped {
            beginDetails(skip.rule.description, count: skip.count, isOpen: false)
            html.markup("<ul>\n")
            for url in skip.examples { writeItem(url, referrer: nil) }
            html.markup("</ul>\n")
            let hidden = skip.count - skip.examples.count
            if hidden > 0 { writeNote("and \(Quantity.grouped(hidden)) more") }
            html.markup("</details>\n")
        }
        html.markup("</section>\n")
    }

    mutating func writeChanges() {
        guard let changes = report.changes else { return }
        beginSection("Since the older package")
        for change in CrawlReport.Change.allCases {
            let found = changes[change] ?? CrawlReport.Changes()
            guard found.count > 0, change != .unchanged else {
                html.markup("<p class=\"line\">")
                html.text(change.rawValue)
                writeBadge(found.count)
                html.markup("</p>\n")
                continue
            }
            beginDetails(change.rawValue, count: found.count, isOpen: found.count <= 50)
            html.markup("<ul>\n")
            for url in found.urls { writeItem(url, referrer: nil) }
            html.markup("</ul>\n")
            if found.count > found.urls.count {
                writeNote("and \(Quantity.grouped(found.count - found.urls.count)) more")
            }
            html.markup("</details>\n")
        }
        html.markup("</section>\n")
    }

    mutating func writeLargest() {
        writeRanking("Largest", report.largest.places) { Quantity.bytes($0.bytes, space: "\u{202F}") }
    }

    mutating func writeSlowest() {
        writeRanking("Slowest", report.slowest.places) { Quantity.duration($0.measure) }
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

    mutating func writeRedirects() {
        guard report.redirects > 0 else { return }
        beginSection("Redirects", count: report.redirects)
        let summary = report.redirection
        writeNote(
            "\(Quantity.grouped(summary.permanent)) permanent; the most in a row: \(summary.longestChain); "
                + "chains of two or more: \(Quantity.grouped(summary.chains))"
        )
        if !summary.advice.isEmpty {
            beginDetails("links that could name their target", count: summary.advice.count, isOpen: false)
            html.markup("<ul>\n")
            for advice in summary.advice {
                html.markup("<li><b>")
                html.number(advice.status)
                html.markup("</b> ")
                html.url(advice.url)
                html.markup("<small>now ")
                html.url(advice.target)
                html.markup("</small>")
                writeReferrer(advice.referrer)
                html.markup("</li>\n")
            }
            html.markup("</ul>\n</details>\n")
        }
        html.markup("</section>\n")
    }

    mutating func beginSection(_ title: String, count: Int? = nil) {
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

    private mutating func writeItem(_ url: WebURL, referrer: WebURL?) {
        html.markup("<li>")
        html.url(url)
        writeReferrer(referrer)
        html.markup("</li>\n")
    }

    private mutating func writeReferrer(_ referrer: WebURL?) {
        guard let referrer else { return }
        html.markup("<small>found on ")
        html.url(referrer)
        html.markup("</small>")
    }
}
