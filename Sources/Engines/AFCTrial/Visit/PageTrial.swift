internal import AFCBrowser
internal import AFCText
internal import AFCURL
internal import Synchronization

/// One page in a tab: opens it, clicks its links, searches, and notes what is seen.
///
/// What was seen stays if the page's time is over.
final class PageTrial: Sendable {
    /// The work on a page.
    struct Task: Sendable {
        /// The page.
        var page: WebURL
        /// The folder of each seed, to which links should lead.
        var scope: [WebURL] = []
        /// The most links that are clicked.
        var clicks = 3
        /// The pages that were opened or clicked before.
        var known: Set<WebURL> = []
        /// The pages whose words are searched for; nil for no search.
        var searched: [SearchWords.Page]?
        /// The pictures that are wanted.
        var pictures: Set<Picture> = []
        /// True to load the page again at the end.
        var reloads = false
    }

    /// The uses of a picture.
    enum Picture: Sendable {
        /// In a report.
        case report
        /// For a comparison.
        case comparison
    }

    private struct State {
        var seen: PageObservation
        var fates: [String: PageObservation.Fate] = [:]
        /// What the reader did from these numbers of requests and problems on, and the page that was shown then.
        var marks: [(requests: Int, problems: Int, phase: PageObservation.Phase, page: WebURL)] = []
        var search: TrialSearch?
        var pictures: [Picture: [UInt8]] = [:]
    }

    private let task: Task
    private let source: any TrialSource
    /// The package, unless another site is looked at.
    private let package: PackageSource?
    private let state: Mutex<State>

    init(_ task: Task, _ source: any TrialSource, _ package: PackageSource?) {
        self.task = task
        self.source = source
        self.package = package
        state = Mutex(State(seen: PageObservation(page: task.page)))
    }

    /// The search; nil if the page has no search field.
    var search: TrialSearch? { state.withLock { $0.search } }

    /// The pictures.
    func picture(_ use: Picture) -> [UInt8]? { state.withLock { $0.pictures[use] } }

    /// Opens the page in a tab of its own.
    ///
    /// - Returns: What was seen.
    /// - Throws: ``BrowserError`` if the browser can't be started, `CancellationError`.
    func run(in browser: Browser) async throws -> PageObservation {
        let log = try await browser.visit { [source] request in
            let (answer, fate) = await source.answer(request)
            self.state.withLock { $0.fates["\(request.method) \(request.url)"] = fate }
            return answer
        } steps: { visit in
            try await self.read(visit)
        }
        return finished(log)
    }

    private func finished(_ log: PageVisit.Log) -> PageObservation {
        state.withLock { state in
            var seen = state.seen
            for (index, request) in log.requests.enumerated() {
                let asked = request.request
                let fate = state.fates["\(asked.method) \(asked.url)"] ?? .missing
                var noted = PageObservation.Request(url: asked.url, type: asked.type, fate: fate)
                noted.isOfMainFrame = asked.isOfMainFrame
                if asked.method != "GET", fate == .missing { noted.fate = .needsServer }
                if request.outcome == .tooLarge { noted.fate = .tooLarge }
                noted.source = request.source
                noted.redirectedFrom = request.redirectedFrom
                let mark = state.marks.last { $0.requests <= index }
                noted.phase = mark?.phase ?? .load
                noted.page = mark?.page
                seen.requests.append(noted)
            }
            seen.problems = log.problems.enumerated().map { index, problem in
                let kind: PageObservation.Problem.Kind =
                    switch problem.kind {
                    case .exception: .exception
                    case .mediaType: .mediaType
                    case .console: .console
                    }
                var noted = PageObservation.Problem(kind, problem.words, url: problem.url)
                noted.page = state.marks.last { $0.problems <= index }?.page
                return noted
            }
            seen.cut =
                switch log.note {
                case .slow: .slow
                case .crashed: .crashed
                case .requests: .requests
                case nil: nil
                }
            return seen
        }
    }

    // MARK: Steps

    private func read(_ visit: PageVisit) async throws {
        begin(.load, visit)
        try await visit.open(task.page)
        try await visit.settle()
        guard let shown = try await look(visit, .load, task.page) else { return }
        for use in task.pictures {
            let picture = try await visit.picture(use == .report ? .jpeg : .png)
            state.withLock { $0.pictures[use] = picture }
        }
        try await followLinks(visit, shown)
        if let searched = task.searched { try await search(visit, searched, shown) }
        if task.reloads {
            begin(.reload, visit)
            try await visit.open(task.page)
            try await visit.settle()
            try await visit.reload()
            try await visit.settle()
            _ = try await look(visit, .reload, task.page)
        }
    }

    private func begin(_ phase: PageObservation.Phase, _ visit: PageVisit, of page: WebURL? = nil) {
        let counts = visit.counts
        state.withLock { $0.marks.append((counts.requests, counts.problems, phase, page ?? task.page)) }
    }

    /// Notes what is shown.
    private func look(
        _ visit: PageVisit,
        _ phase: PageObservation.Phase,
        _ expected: WebURL
    ) async throws -> PageObservation.Shown? {
        let value = try await visit.evaluate(TrialScripts.look)
        var shown = PageObservation.Shown(value)
        let foreign = (value?["foreign"]?.array ?? []).compactMap { $0.string.flatMap { try? WebURL($0) } }
        shown?.styles.applied += state.withLock { state in
            foreign.count { url in
                if case .found(200..<300, _, _) = state.fates["GET \(url)"] { true } else { false }
            }
        }
        let text = package?.text(of: expected)
        let stored = text.map { PageObservation.Stored(characters: $0.text.count, hasScripts: $0.hasScripts) }
        state.withLock { $0.seen.views.append(PageObservation.View(phase, expected, shown, stored)) }
        return shown
    }

    // MARK: Links

    private func followLinks(_ visit: PageVisit, _ shown: PageObservation.Shown) async throws {
        guard let package else { return }
        var pages: [WebURL] = []
        var sisters: [String: WebURL] = [:]
        let own = task.page.description
        for link in shown.links where link.description != own && link.description != shown.url {
            guard package.has(hostOf: link) else {
                if package.isSister(link) { sisters[link.origin] = sisters[link.origin] ?? link }
                continue
            }
            if let target = await package.target(of: link) {
                if target == .page { pages.append(link) }
            } else if task.scope.contains(where: { link.isBelow($0) }) {
                let status = package.absence(of: link)
                state.withLock { $0.seen.deadLinks.append((link, status)) }
            }
        }
        state.withLock { $0.seen.sisterLinks = sisters.values.sorted() }
        let new = pages.filter { !task.known.contains($0) }
        // A page that leads to nothing new is clicked once, since its router may still fail.
        let chosen = new.isEmpty ? Array(pages.prefix(min(task.clicks, 1))) : Self.spread(new, task.clicks)
        for (index, link) in chosen.enumerated() {
            if index > 0 {
                begin(.load, visit)
                try await visit.open(task.page)
                try await visit.settle()
            }
            try await click(visit, link)
        }
    }

    /// Returns the first, the last, and those between at equal distances.
    static func spread(_ links: [WebURL], _ count: Int) -> [WebURL] {
        guard links.count > count, count > 1 else { return Array(links.prefix(count)) }
        return (0..<count).map { links[$0 * (links.count - 1) / (count - 1)] }
    }

    private func click(_ visit: PageVisit, _ link: WebURL) async throws {
        guard let place = try await visit.evaluate(TrialScripts.link(to: link.description)), place != .null else {
            return
        }
        begin(.click, visit, of: link)
        if let (x, y) = Self.place(place) { try await visit.click(x: x, y: y) }
        state.withLock { $0.seen.clicked.append(link) }
        try await visit.settle()
        _ = try await look(visit, .click, link)
    }

    private static func place(_ value: JSONValue) -> (Double, Double)? {
        guard let numbers = value.array, numbers.count == 2, case .number(let x) = numbers[0],
            case .number(let y) = numbers[1], let x = Double(x), let y = Double(y)
        else { return nil }
        return (x, y)
    }

    // MARK: Search

    private func search(
        _ visit: PageVisit,
        _ pages: [SearchWords.Page],
        _ shown: PageObservation.Shown
    ) async throws {
        let others = pages.filter { $0.url != task.page }
        for (word, page) in SearchWords.choose(others, shown: shown.text, count: 3) {
            begin(.load, visit)
            try await visit.open(task.page)
            try await visit.settle()
            begin(.search, visit)
            guard try await focusField(visit) else { return }
            let before = PageObservation.Shown(try await visit.evaluate(TrialScripts.look)) ?? shown
            try await visit.type(word)
            try await visit.settle()
            var outcome = try await judge(visit, word, page, before)
            if outcome == .nothing, let last = word.last {
                // Some scripts ignore what was typed before they had the index. A reader types again.
                try await visit.press(.backspace)
                try await visit.type(String(last))
                try await visit.settle()
                outcome = try await judge(visit, word, page, before)
            }
            if outcome == .nothing {
                try await visit.press(.enter)
                try await visit.settle()
                outcome = try await judge(visit, word, page, before)
            }
            state.withLock { $0.search = TrialSearch(outcome, page: task.page, word: word) }
            if outcome != .nothing { return }
        }
    }

    /// Puts the focus on the search field, and returns false if there is none.
    private func focusField(_ visit: PageVisit) async throws -> Bool {
        for isSecond in [false, true] {
            if let place = try await visit.evaluate(TrialScripts.field), let (x, y) = Self.place(place) {
                try await visit.click(x: x, y: y)
                try await visit.settle()
                if try await visit.evaluate(TrialScripts.hasFocus) == .bool(true) { return true }
                // The click opened something with a field of its own, or the focus must be set.
                _ = try await visit.evaluate(TrialScripts.field)
                return try await visit.evaluate(TrialScripts.hasFocus) == .bool(true)
            }
            guard !isSecond, let place = try await visit.evaluate(TrialScripts.opener),
                let (x, y) = Self.place(place)
            else { return false }
            try await visit.click(x: x, y: y)
            try await visit.settle()
            if try await visit.evaluate(TrialScripts.hasFocus) == .bool(true) { return true }
        }
        return false
    }

    private func judge(
        _ visit: PageVisit,
        _ word: String,
        _ page: WebURL,
        _ before: PageObservation.Shown
    ) async throws -> TrialSearch.Outcome {
        let start = state.withLock { $0.marks.last?.requests ?? 0 }
        let requests = visit.log.requests.dropFirst(start)
        let isRefused = state.withLock { state in
            requests.contains { request in
                guard !["Image", "Font", "Media", "Ping", "Prefetch", "Manifest"].contains(request.request.type) else {
                    return false
                }
                return state.fates["\(request.request.method) \(request.request.url)"] == .missing
            }
        }
        if isRefused { return .failed }
        guard let after = PageObservation.Shown(try await visit.evaluate(TrialScripts.look)) else { return .nothing }
        // The page may be linked already, but a result is one more link.
        let isNew = after.occurrences[page] ?? 0 > before.occurrences[page] ?? 0
        let (old, new) = (SearchWords.count(word, in: before.text), SearchWords.count(word, in: after.text))
        return isNew || new > old ? .found : .nothing
    }
}

extension PageObservation.Shown {
    /// Reads the value of the script that looks at a page; nil if it is no such value.
    init?(_ value: JSONValue?) {
        guard let value, let url = value["url"]?.string else { return nil }
        self.init(url: String(url.prefix { $0 != "#" }))
        title = value["title"]?.string ?? ""
        text = value["text"]?.string ?? ""
        pictures = Int(value["pictures"]?.integer ?? 0)
        isStrict = value["isStrict"] == .bool(true)
        styles = (Int(value["named"]?.integer ?? 0), Int(value["applied"]?.integer ?? 0))
        let counts = value["counts"]?.array ?? []
        for (link, count) in zip(value["links"]?.array ?? [], counts) {
            guard let url = link.string.flatMap({ try? WebURL($0) }), let count = count.integer else { continue }
            occurrences[url] = Int(clamping: count)
        }
        var known: Set<WebURL> = []
        links = (value["links"]?.array ?? []).prefix(TrialScripts.linkLimit).compactMap { link in
            link.string.flatMap { try? WebURL($0) }
        }.filter { $0.isHTTP && !$0.hasCredentials && known.insert($0).inserted }
    }
}

extension WebURL {
    /// True if this is a URL below a folder's, of the same host.
    func isBelow(_ folder: WebURL) -> Bool { origin == folder.origin && path.hasPrefix(folder.path) }

    /// The folder of a page.
    var folder: WebURL? {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try? WebURL(origin + folder)
    }
}
