package import AFCBrowser
package import AFCCache
internal import AFCFiles
package import AFCHTTP
package import AFCURL

/// Opens a package in a browser without a network, does what a reader does, and says what is missing; see
/// docs/reference/try.md.
package struct Trial: Sendable {
    /// The settings.
    package struct Options: Sendable {
        /// The number of pages that are opened besides the start pages.
        package var pages = 10
        /// The settings of the browser.
        package var browser: Browser.Options
        /// True to take pictures for a report.
        package var takesPictures = false
        /// The most bytes of the pictures together.
        package var pictureBytes = 12 << 20

        /// Creates settings with the defaults.
        package init(browser: Browser.Options) { self.browser = browser }
    }

    /// Another site that a package is compared with.
    package struct Reference: Sendable {
        /// The name of the site, for reports.
        package var name: String
        /// Answers the requests of its pages.
        package var source: any TrialSource
        /// Returns the URL of a page of the package there; nil if there is none.
        package var page: @Sendable (WebURL) -> WebURL?

        /// Creates a site.
        package init(
            name: String,
            source: any TrialSource,
            page: @escaping @Sendable (WebURL) -> WebURL? = { $0 }
        ) {
            (self.name, self.source, self.page) = (name, source, page)
        }
    }

    /// The most start pages.
    private static let startLimit = 3
    /// The pages whose structure is read.
    private static let sampleLimit = 600

    private let name: String
    private let source: PackageSource
    private let options: Options
    private let browser: Browser

    /// Opens a package, and finds a browser; blocks.
    ///
    /// - Parameters:
    ///   - path: The package.
    ///   - options: The settings.
    ///   - now: The time at which freshness is judged.
    /// - Throws: `CacheError` if the package can't be read, `BrowserError` if there is no browser.
    package init(_ path: String, _ options: Options, now: Timestamp) throws {
        name = path
        source = try PackageSource(path, now: now)
        browser = try Browser(options.browser)
        self.options = options
    }

    /// The origin of the first start page; nil if the package has no pages; blocks.
    ///
    /// - Throws: `CacheError` if the package can't be read.
    package func start() throws(CacheError) -> WebURL? {
        if let seed = source.seeds.first { return seed }
        return try source.pages().first
    }

    /// The package as a site with which another one is compared.
    package var reference: Reference { Reference(name: name, source: source) }

    /// Tries the package.
    ///
    /// - Parameters:
    ///   - reference: Another site that the package should be like.
    ///   - onPage: A closure called before each page, with the number of pages done and of all.
    /// - Returns: What was found.
    /// - Throws: `BrowserError` if the browser can't be started, `CacheError` if the package can't be read,
    ///   `CancellationError`.
    package func run(
        against reference: Reference? = nil,
        onPage: (Int, Int) -> Void = { _, _ in }
    ) async throws -> TrialReport {
        do {
            let report = try await tried(reference, onPage)
            await browser.end()
            return report
        } catch {
            await browser.end()
            throw error
        }
    }

    private func tried(_ reference: Reference?, _ onPage: (Int, Int) -> Void) async throws -> TrialReport {
        let choices = try await OffPool.run { [self] in try choose() }
        var report = TrialReport(package: name, against: reference?.name)
        let scope = choices.filter { $0.pages == 0 }.compactMap(\.url.folder)
        let searched = await OffPool.run { [source] in Self.words(of: choices.map(\.url), source) }
        var seen: [PageObservation] = []
        var compared: [WebURL: PageObservation] = [:]
        var known = Set(choices.map(\.url))
        var room = options.pictureBytes
        for (index, choice) in choices.enumerated() {
            onPage(index, choices.count)
            var task = PageTrial.Task(page: choice.url, scope: scope, known: known)
            if report.search == nil { task.searched = searched }
            if options.takesPictures, room > 0 { task.pictures.insert(.report) }
            if reference != nil { task.pictures.insert(.comparison) }
            let trial = PageTrial(task, source, source)
            let observation = try await trial.run(in: browser)
            report.search = report.search ?? trial.search
            known.formUnion(observation.clicked)
            var page = TrialReport.Page(observation, choice)
            if let picture = trial.picture(.report), picture.count <= room {
                page.picture = picture
                room -= picture.count
            }
            if let reference, let (other, difference, picture) = try await compare(trial, observation, reference) {
                compared[choice.url] = other
                page.comparison = difference
                if options.takesPictures, let picture, picture.count <= room {
                    page.otherPicture = picture
                    room -= picture.count
                }
            }
            report.pages.append(page)
            seen.append(observation)
        }
        let reached = Set(seen.flatMap { [$0.page] + $0.clicked })
        if let deepest = Self.deepest(reached) {
            let task = PageTrial.Task(page: deepest, clicks: 0, reloads: true)
            seen.append(try await PageTrial(task, source, source).run(in: browser))
            report.reloaded = deepest
        }
        report.judge(seen, compared)
        return report
    }

    // MARK: The choice

    /// Returns the start pages, which have no template, and further pages; blocks.
    private func choose() throws -> [TemplateChoice.Choice] {
        let pages = try source.pages()
        let first = source.seeds.isEmpty ? Array(pages.prefix(1)) : Array(source.seeds.prefix(Self.startLimit))
        guard !first.isEmpty else { return [] }
        let starts = first.reduce(into: [WebURL]()) { if !$0.contains($1) { $0.append($1) } }
        let sample = TemplateChoice.sample(TemplateChoice.withoutTwins(pages), limit: Self.sampleLimit)
        let read = try sample.map { url in
            let bytes = try source.beginning(of: url, limit: PageSkeleton.readBytes)
            return (url, PageSkeleton(bytes).text)
        }
        let chosen = TemplateChoice.choose(read, count: options.pages, without: Set(starts))
        return starts.map { TemplateChoice.Choice(url: $0, template: 0, pages: 0) } + chosen
    }

    private static func words(of pages: [WebURL], _ source: PackageSource) -> [SearchWords.Page] {
        pages.compactMap { url in
            source.text(of: url).map { text in
                SearchWords.Page(url: url, headings: "\(text.title)\n\(text.headings)", text: text.text)
            }
        }
    }

    /// Returns the page with the most folders; of several, the one with the smallest hash.
    private static func deepest(_ pages: Set<WebURL>) -> WebURL? {
        pages.min { one, other in
            func rank(_ url: WebURL) -> (Int, UInt64) {
                (-url.path.split(separator: "/").count, TemplateChoice.hash(url))
            }
            return rank(one) < rank(other)
        }
    }

    // MARK: The comparison

    private func compare(
        _ trial: PageTrial,
        _ observation: PageObservation,
        _ reference: Reference
    ) async throws -> (PageObservation, TrialReport.Comparison, [UInt8]?)? {
        guard let own = observation.views.first?.shown, let page = reference.page(observation.page) else { return nil }
        var task = PageTrial.Task(page: page, clicks: 0, pictures: [.comparison])
        if options.takesPictures { task.pictures.insert(.report) }
        let other = PageTrial(task, reference.source, nil)
        let seen = try await other.run(in: browser)
        guard let shown = seen.views.first?.shown, seen.hasPage else { return nil }
        let texts = TextComparison(own.text, with: shown.text)
        var comparison = TrialReport.Comparison(missingWords: texts.missing, newWords: texts.new)
        if let one = trial.picture(.comparison).flatMap({ PNGImage($0) }),
            let two = other.picture(.comparison).flatMap({ PNGImage($0) })
        {
            comparison.differentPixels = PictureComparison.difference(one, two)
        }
        return (seen, comparison, other.picture(.report))
    }
}

extension PageObservation {
    /// True if the page was answered, and not with an error.
    fileprivate var hasPage: Bool {
        let answers = requests.filter { $0.type == "Document" && $0.isOfMainFrame }
        guard case .found(let status, _, _)? = answers.last?.fate else { return false }
        return status < 400
    }
}
