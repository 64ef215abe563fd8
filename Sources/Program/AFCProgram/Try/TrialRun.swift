import AFCBrowser
import AFCCrawler
import AFCFiles
import AFCPlatform
import AFCText
import AFCTrial
import AFCURL
import ArgumentParser

/// One trial of a package: for `try`, and for `pack --try`.
struct TrialRun {
    /// The findings of a kind that are shown.
    private static let shown = 20

    var package: String
    var browser: BrowserOptions
    var pages = 10
    var against: String?
    var takesPictures = false

    init(package: String, browser: BrowserOptions) { (self.package, self.browser) = (package, browser) }

    /// Throws an error if there is no browser, before hours are spent on a package.
    func requireBrowser() throws { _ = try Browser(settings) }

    private var settings: Browser.Options {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        var settings = Browser.Options(searchPath: path, temporaryFolder: OutputTarget.temporaryFolder)
        settings.program = browser.browser
        if let pageTime = browser.renderTimeout { settings.pageTime = pageTime }
        return settings
    }

    /// Tries the package, with progress on a terminal.
    ///
    /// - Throws: An error if the package can't be read, or there is no browser.
    func report() async throws -> TrialReport {
        var options = Trial.Options(browser: settings)
        options.pages = pages
        options.takesPictures = takesPictures
        let trial = try Trial(package, options, now: Clock.now)
        return try await StopSignals.cancelling { [self, options] in
            guard let against else { return try await Self.run(trial, nil) }
            guard against.contains("://") else {
                let other = try Trial(against, options, now: Clock.now)
                return try await Self.run(trial, other.reference)
            }
            let site = try WebURL.argument(against)
            return try await HTTPFetcher.withFetcher(options: LiveSource.options(for: site)) { fetcher in
                let source = LiveSource(site, fetcher, start: try trial.start())
                return try await Self.run(
                    trial,
                    Trial.Reference(name: site.removingCredentials.description, source: source) { source.page($0) }
                )
            }
        }
    }

    private static func run(_ trial: Trial, _ reference: Trial.Reference?) async throws -> TrialReport {
        defer { Console.endProgress() }
        return try await trial.run(against: reference) { done, count in
            Console.progress("trying page \(done + 1) of \(count)")
        }
    }

    /// Prints the verdict and what was found.
    static func show(_ report: TrialReport, hasList: Bool = false) {
        Console.print("\(PrintableText.quoted(report.package)) \(report.verdict)")
        if let against = report.against, (1..<report.pages.count).contains(report.compared) {
            Console.note(
                "note: \(report.compared) of \(report.pages.count) pages were compared; \(PrintableText.quoted(against)) has "
                    + "no others"
            )
        }
        for (kind, findings) in groups(report.faults) {
            for finding in findings.prefix(shown) {
                Console.print(finding.sentence)
                Console.print("  \(finding.place)")
            }
            let more = findings.count - min(findings.count, shown) + (report.more[kind] ?? 0)
            if more > 0 { Console.print("\(more) more: \(kind.words)") }
        }
        var advice: [TrialFinding.Remedy] = []
        for remedy in report.faults.compactMap(\.remedy) where !advice.contains(remedy) { advice.append(remedy) }
        for remedy in advice { Console.note("note: \(remedy.words)") }
        if !report.missing.isEmpty, !hasList {
            Console.note("note: 'afcache try --missing FILE' writes the URLs of what is missing to a file")
        }
        for (_, findings) in groups(report.hints) {
            guard let first = findings.first else { continue }
            let others = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
            Console.note("hint: \(first.sentence)\(others)")
            if Console.level == .verbose {
                for other in findings.dropFirst() { Console.detail("hint: \(other.sentence)") }
            }
        }
    }

    private static func groups(_ findings: [TrialFinding]) -> [(TrialFinding.Kind, [TrialFinding])] {
        Dictionary(grouping: findings, by: \.kind).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// A file with one URL per line.
    static func list(_ urls: [String]) -> [UInt8] { Array(urls.map { $0 + "\n" }.joined().utf8) }
}

extension TrialFinding.Remedy {
    /// What helps, as a sentence.
    var words: String {
        switch self {
        case .fetch:
            "'afcache pack --update' fetches what is missing with '--add-missing FILE', the file that '--missing' writes"
        case .render:
            "what scripts load is found with 'afcache pack --render', or 'afcache record'; or fetch it with '--add-missing FILE', "
                + "the file that '--missing' writes"
        case .mendSite: "compare with the live site with '--against URL', to see if the page fails there as well"
        }
    }
}
