internal import AFCText
internal import AFCURL

/// Makes findings of what was seen: each once, the most important first.
package struct Verdict {
    /// The most findings of a kind.
    package static let limit = 100
    /// A page that shows fewer characters than the first, although its HTML has more than the second, has lost its text.
    private static let lostText = (shown: 20, stored: 200)

    /// The media types with which a browser takes a style sheet.
    private static let styleTypes: Set<String> = ["", "text/css", "application/x-unknown-content-type"]

    private struct Key: Hashable {
        var kind: TrialFinding.Kind
        var subject: String
    }

    private var found: [Key: TrialFinding] = [:]
    private var lastPage: [Key: WebURL] = [:]
    private var excused: Set<String> = []

    /// The findings beyond the limit, by kind.
    package private(set) var more: [TrialFinding.Kind: Int] = [:]

    /// Creates an empty verdict.
    ///
    /// - Parameter excused: The words of exceptions that aren't the package's fault.
    package init(excused: Set<String> = []) { self.excused = excused }

    /// The findings, the most important first; of one kind, those on most pages first.
    package var findings: [TrialFinding] {
        found.values.sorted { one, other in
            (one.kind, other.pages, one.subject) < (other.kind, one.pages, other.subject)
        }
    }

    /// Adds a finding.
    package mutating func add(_ finding: TrialFinding) {
        let key = Key(kind: finding.kind, subject: finding.subject)
        if var known = found[key] {
            if lastPage[key] != finding.page { known.pages += 1 }
            if known.source == nil { known.source = finding.source }
            found[key] = known
        } else if found.keys.count(where: { $0.kind == finding.kind }) < Self.limit {
            found[key] = finding
        } else {
            more[finding.kind, default: 0] += 1
        }
        lastPage[key] = finding.page
    }

    // MARK: Pages

    /// Adds what was seen on a page.
    package mutating func add(_ seen: PageObservation) {
        let page = seen.page
        switch seen.cut {
        case .slow: add(TrialFinding(.deadPage, page.description, page: page, detail: "it takes too long, or hangs"))
        case .crashed: add(TrialFinding(.deadPage, page.description, page: page, detail: "it crashes the browser"))
        case .requests: add(TrialFinding(.deadPage, page.description, page: page, detail: "it makes too many requests"))
        case nil: break
        }
        let isStrict = seen.views.first?.shown?.isStrict ?? true
        for request in seen.requests {
            // The page with the link is at fault if what the link leads to is missing.
            add(request, on: request.isPage ? page : request.page ?? page, isStrict)
        }
        for problem in seen.problems { add(problem, on: problem.page ?? page, failsElsewhere: seen.failsElsewhere) }
        for view in seen.views { add(view, of: seen) }
        for link in seen.deadLinks {
            if let status = link.status {
                let detail = "the site answers with status \(status)"
                add(TrialFinding(.absent, link.url.description, page: page, detail: detail))
            } else {
                add(TrialFinding(.deadLink, link.url.description, page: page))
            }
        }
        for link in seen.sisterLinks {
            let detail = "for example to \(Self.words(link.description))"
            add(TrialFinding(.sisterLink, link.origin, page: page, detail: detail))
        }
    }

    private mutating func add(_ request: PageObservation.Request, on page: WebURL, _ isStrict: Bool) {
        let subject = request.url.description
        let source = request.source.map(Self.words)
        func finding(_ kind: TrialFinding.Kind, _ detail: String? = nil) -> TrialFinding {
            TrialFinding(kind, subject, page: page, source: source, detail: detail)
        }
        switch request.fate {
        case .found(let status, let mediaType, let isMarkup):
            if status >= 400 {
                add(finding(.absent, "the stored response has status \(status)"))
            } else if (200..<300).contains(status), ["Script", "Stylesheet"].contains(request.type) {
                let isStyle = request.type == "Stylesheet"
                if isMarkup, ["text/html", "application/xhtml+xml"].contains(mediaType) {
                    add(finding(.wrongType, "it is an HTML page, not a \(isStyle ? "style sheet" : "script")"))
                } else if isStyle, isStrict, !Self.styleTypes.contains(mediaType) {
                    add(finding(.wrongType, "its media type is '\(Self.words(mediaType))'"))
                }
            }
        case .missing:
            if request.isPage, request.phase == .load || request.phase == .reload {
                let from = request.redirectedFrom
                add(
                    TrialFinding(
                        .deadPage,
                        subject,
                        page: page,
                        source: from?.description,
                        detail: TrialFinding.notInPackage
                    )
                )
            } else if let from = request.redirectedFrom {
                add(finding(.brokenRedirect, "the redirect is at \(Self.words(from.description))"))
            } else {
                add(finding(request.kindIfMissing))
            }
        case .absent(let status): add(finding(.absent, "the site answers with status \(status)"))
        case .elsewhere:
            add(TrialFinding(.notPackaged, request.url.origin, page: page, source: source, detail: Self.words(subject)))
        case .needsServer: add(finding(.needsServer))
        case .tooLarge: add(finding(.tooLarge))
        }
    }

    private mutating func add(_ problem: PageObservation.Problem, on page: WebURL, failsElsewhere: Bool) {
        let words = Self.words(problem.words)
        switch problem.kind {
        case .mediaType:
            let subject = Self.quotedURL(problem.words) ?? problem.url ?? words
            add(TrialFinding(.wrongType, subject, page: page, detail: words))
        case .exception:
            // A request to another site that a script doesn't await harms nothing.
            let isOfRequest = failsElsewhere && problem.words.hasSuffix("TypeError: Failed to fetch")
            let kind: TrialFinding.Kind = isOfRequest || excused.contains(problem.words) ? .console : .exception
            add(TrialFinding(kind, words, page: page, source: problem.url.map(Self.words)))
        case .console: add(TrialFinding(.console, words, page: page, source: problem.url.map(Self.words)))
        }
    }

    private mutating func add(_ view: PageObservation.View, of seen: PageObservation) {
        guard let shown = view.shown else { return }
        // What isn't there can't be blank.
        let isMissing = seen.requests.contains { request in
            guard request.isPage, request.phase == view.phase else { return false }
            if case .found(let status, _, _) = request.fate { return status >= 400 }
            return true
        }
        guard !isMissing else { return }
        let subject = view.expected.description
        if let stored = view.stored {
            if shown.isBlank, stored.characters > 0 || stored.hasScripts {
                let detail =
                    stored.characters > 0
                    ? "its HTML has text, of which nothing is left after its scripts have run"
                    : "its scripts show nothing"
                add(TrialFinding(.blankPage, subject, page: view.expected, detail: detail))
            } else if shown.text.count < Self.lostText.shown, shown.pictures == 0,
                stored.characters >= Self.lostText.stored
            {
                let detail = "nearly all text of its HTML is gone after its scripts have run"
                add(TrialFinding(.blankPage, subject, page: view.expected, detail: detail))
            }
        }
        let isLacking = seen.requests.contains { request in
            guard request.type == "Stylesheet" else { return false }
            if case .found(200, let mediaType, _) = request.fate { return !Self.styleTypes.contains(mediaType) }
            return true
        }
        // The site's own style sheets may be empty.
        if shown.styles.named > 0, shown.styles.applied == 0, isLacking {
            let sheets = Quantity.count(shown.styles.named, "style sheet")
            let detail = "it names \(sheets), and none applies"
            add(TrialFinding(.unstyled, subject, page: view.expected, detail: detail))
        }
    }

    // MARK: Words

    /// Returns words of a page as a sentence: one line of at most 500 characters, without control characters.
    static func words(_ text: String) -> String { PrintableText.escaped(String(text.prefix(500))) }

    /// Returns the first URL in quotes in a message of the browser.
    private static func quotedURL(_ words: String) -> String? {
        words.split(separator: "'").map(String.init).first { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
    }
}

extension PageObservation {
    /// True if scripts requested data, of which nothing was missing but what other sites have.
    fileprivate var failsElsewhere: Bool {
        let fates = requests.filter { ["Fetch", "XHR"].contains($0.type) }.map(\.fate)
        return fates.contains { $0 == .elsewhere || $0 == .needsServer } && !fates.contains(.missing)
    }
}

extension PageObservation.Request {
    /// True if the request is for the page in the window.
    fileprivate var isPage: Bool { type == "Document" && isOfMainFrame }

    /// The kind of finding if nothing answers.
    fileprivate var kindIfMissing: TrialFinding.Kind {
        let name = url.pathSegments.last.map(String.init) ?? ""
        let isIcon = name == "favicon.ico" || name.hasPrefix("apple-touch-icon")
        // What a host adds to the sites on it.
        if ["/_vercel/", "/cdn-cgi/", "/.netlify/"].contains(where: url.path.hasPrefix) { return .needsServer }
        // Without it, Next.js loads the page itself.
        if type == "Fetch", url.query?.contains("_rsc=") ?? false { return .missingExtra }
        switch type {
        case "Image", "Media", "TextTrack": return isIcon ? .missingExtra : .missingImage
        case "Font": return .missingFont
        case "Manifest", "Prefetch": return .missingExtra
        case "Ping", "CSPViolationReport", "Preflight", "EventSource", "WebSocket": return .needsServer
        default: break
        }
        if phase == .search { return .search }
        switch type {
        case "Script": return .missingScript
        case "Stylesheet": return .missingStyle
        case "Document": return .missingPage
        case "XHR", "Fetch": return .missingData
        default:
            // Scripts of workers have no type of their own.
            let isScript = [".js", ".mjs"].contains { name.hasSuffix($0) }
            return isScript ? .missingScript : .missingExtra
        }
    }
}
