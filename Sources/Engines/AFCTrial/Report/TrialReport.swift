package import AFCURL

/// The result of a trial.
package struct TrialReport: Sendable {
    /// The difference to the same page of another site, as shares from 0 to 1.
    package struct Comparison: Sendable, Equatable {
        /// The share of the other page's words that are missing.
        package var missingWords: Double
        /// The share of the page's words that the other one lacks.
        package var newWords: Double
        /// The share of the picture that differs; nil if there is no picture.
        package var differentPixels: Double?

        /// Creates a difference.
        package init(missingWords: Double, newWords: Double, differentPixels: Double? = nil) {
            (self.missingWords, self.newWords, self.differentPixels) = (missingWords, newWords, differentPixels)
        }
    }

    /// A page that was opened.
    package struct Page: Sendable {
        /// The page.
        package var url: WebURL
        /// Its title.
        package var title: String
        /// The number of its template; 0 for a start page.
        package var template: Int
        /// The number of pages of its template.
        package var pagesOfTemplate: Int
        /// The words that are visible.
        package var words: Int
        /// The different URLs that it requested when it was opened.
        package var requests: Int
        /// The links that were clicked.
        package var clicked: [WebURL]
        /// The difference to another site.
        package var comparison: Comparison?
        /// A picture in JPEG.
        package var picture: [UInt8]?
        /// A picture of the other site's page in JPEG.
        package var otherPicture: [UInt8]?

        /// Creates a page.
        package init(url: WebURL, title: String) {
            self.url = url
            self.title = title
            (template, pagesOfTemplate, words, requests, clicked) = (0, 0, 0, 0, [])
        }

        init(_ seen: PageObservation, _ choice: TemplateChoice.Choice) {
            let shown = seen.views.first?.shown
            self.init(url: seen.page, title: shown.map { Verdict.words($0.title) } ?? "")
            template = choice.template
            pagesOfTemplate = choice.pages
            words = shown?.text.split { !$0.isLetter && !$0.isNumber }.count ?? 0
            // How often a script asks, and what it asks for while somebody types, depends on chance.
            requests = Set(seen.requests.filter { $0.phase == .load }.map(\.url)).count
            clicked = seen.clicked
        }
    }

    /// The share of words that may be missing, and the share of the picture that may differ, before it is a finding.
    private static let tolerances = (words: 0.1, pixels: 0.05)

    /// The package as it was named.
    package var package: String
    /// The site with which it was compared.
    package var against: String?
    /// The pages in the order in which they were opened.
    package var pages: [Page] = []
    /// The search; nil if no page has a search field.
    package var search: TrialSearch?
    /// The page that was loaded again.
    package var reloaded: WebURL?
    /// What was found, the most important first.
    package var findings: [TrialFinding] = []
    /// The findings beyond the limit, by kind.
    package var more: [TrialFinding.Kind: Int] = [:]

    /// Creates an empty report.
    package init(package: String, against: String? = nil) { (self.package, self.against) = (package, against) }

    /// The number of pages that were compared with another site.
    package var compared: Int { pages.count { $0.comparison != nil } }

    /// What keeps the package from working offline.
    package var faults: [TrialFinding] { findings.filter(\.kind.isFault) }

    /// What doesn't.
    package var hints: [TrialFinding] { findings.filter { !$0.kind.isFault } }

    /// True if there are no faults, and a page was opened.
    package var worksOffline: Bool { faults.isEmpty && !pages.isEmpty }

    /// The URLs that the package should have, sorted.
    package var missing: [String] { Set(findings.filter(\.isMissing).map(\.subject)).sorted() }

    /// Makes findings of what was seen.
    ///
    /// - Parameters:
    ///   - seen: What was seen in the package.
    ///   - others: What was seen on the same pages of another site.
    package mutating func judge(_ seen: [PageObservation], _ others: [WebURL: PageObservation] = [:]) {
        let excused = others.values.flatMap(\.problems).filter { $0.kind == .exception }.map(\.words)
        var verdict = Verdict(excused: Set(excused))
        for observation in seen { verdict.add(observation) }
        if let search, search.outcome == .nothing {
            let subject = "a search for '\(search.word)' shows nothing"
            verdict.add(TrialFinding(.searchUnjudged, subject, page: search.page))
        }
        for page in pages {
            guard let comparison = page.comparison else { continue }
            if comparison.missingWords > Self.tolerances.words {
                let detail = "\(Self.percent(comparison.missingWords)) of the words are missing"
                verdict.add(TrialFinding(.differs, page.url.description, page: page.url, detail: detail))
            }
            if let pixels = comparison.differentPixels, pixels > Self.tolerances.pixels {
                let detail = "\(Self.percent(pixels)) of the picture is different"
                verdict.add(TrialFinding(.pictures, page.url.description, page: page.url, detail: detail))
            }
        }
        findings = verdict.findings
        more = verdict.more
    }

    static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
