import AFCURL
import Testing

@testable import AFCTrial

struct VerdictTests {
    private static func url(_ path: String) throws -> WebURL { try WebURL("https://docs.example" + path) }

    private func findings(_ change: (inout PageObservation) throws -> Void) throws -> [TrialFinding] {
        var seen = PageObservation(page: try Self.url("/page"))
        try change(&seen)
        var verdict = Verdict()
        verdict.add(seen)
        return verdict.findings
    }

    @Test(
        arguments: [
            ("Script", "/a.js", TrialFinding.Kind.missingScript), ("Other", "/worker.js", .missingScript),
            ("Stylesheet", "/a.css", .missingStyle), ("Image", "/a.png", .missingImage),
            ("Media", "/a.mp4", .missingImage),
            ("Font", "/a.woff2", .missingFont), ("Fetch", "/a.json", .missingData), ("XHR", "/a", .missingData),
            ("Other", "/favicon.ico", .missingExtra), ("Image", "/favicon.ico", .missingExtra),
            ("Manifest", "/m.json", .missingExtra), ("Prefetch", "/next.js", .missingExtra),
            ("EventSource", "/events", .needsServer), ("Ping", "/ping", .needsServer),
            ("Document", "/frame", .missingPage), ("Fetch", "/a.txt?_rsc=1", .missingExtra),
            ("Script", "/_vercel/insights/script.js", .needsServer), ("Script", "/a/_vercel/script.js", .missingScript),
        ]
    )
    func `what nothing answers is named by what asked for it`(
        type: String,
        path: String,
        kind: TrialFinding.Kind
    ) throws {
        let found = try findings { seen in
            var request = PageObservation.Request(url: try Self.url(path), type: type, fate: .missing)
            request.isOfMainFrame = false
            seen.requests = [request]
        }
        #expect(found.map(\.kind) == [kind])
        #expect(found.first?.subject == "https://docs.example" + path)
    }

    @Test(
        arguments: [
            ("Fetch", TrialFinding.Kind.search), ("Script", .search), ("Image", .missingImage), ("Font", .missingFont),
        ]
    )
    func `what a search asks for is missing for the search`(type: String, kind: TrialFinding.Kind) throws {
        let found = try findings { seen in
            var request = PageObservation.Request(url: try Self.url("/index.json"), type: type, fate: .missing)
            request.phase = .search
            seen.requests = [request]
        }
        #expect(found.map(\.kind) == [kind])
    }

    @Test(
        arguments: [
            (PageObservation.Phase.load, false, TrialFinding.Kind.deadPage), (.reload, false, .deadPage),
            (.load, true, .deadPage), (.click, false, .missingPage), (.click, true, .brokenRedirect),
        ]
    )
    func `a page that isn't there is dead, or what was clicked is missing`(
        phase: PageObservation.Phase,
        isRedirected: Bool,
        kind: TrialFinding.Kind
    ) throws {
        let found = try findings { seen in
            var request = PageObservation.Request(url: try Self.url("/gone"), type: "Document", fate: .missing)
            request.phase = phase
            if isRedirected { request.redirectedFrom = try Self.url("/old") }
            seen.requests = [request]
        }
        #expect(found.map(\.kind) == [kind])
        #expect(found.map(\.isMissing) == [true])
    }

    @Test(
        arguments: [
            (PageObservation.Fate.absent(status: 404), TrialFinding.Kind.absent), (.elsewhere, .notPackaged),
            (.needsServer, .needsServer), (.tooLarge, .tooLarge),
            (.found(status: 404, mediaType: "text/html", isMarkup: true), .absent),
        ]
    )
    func `what the package can't have is a hint`(fate: PageObservation.Fate, kind: TrialFinding.Kind) throws {
        let found = try findings { seen in
            seen.requests = [PageObservation.Request(url: try Self.url("/a.js"), type: "Script", fate: fate)]
        }
        #expect(found.map(\.kind) == [kind])
        #expect(!kind.isFault)
    }

    @Test(
        arguments: [
            ("text/html", true, true), ("text/html", false, false), ("text/javascript", true, false),
            ("application/xhtml+xml", true, true), ("", true, false),
        ]
    )
    func `a script that is a page has the wrong type`(mediaType: String, isMarkup: Bool, isWrong: Bool) throws {
        let found = try findings { seen in
            let fate = PageObservation.Fate.found(status: 200, mediaType: mediaType, isMarkup: isMarkup)
            seen.requests = [PageObservation.Request(url: try Self.url("/a.js"), type: "Script", fate: fate)]
        }
        #expect(found.map(\.kind) == (isWrong ? [.wrongType] : []))
    }

    @Test(
        arguments: [
            ("text/html", true, true, true), ("text/html", true, false, true), ("text/plain", false, true, true),
            ("text/plain", false, false, false), ("text/css", false, true, false), ("", false, true, false),
        ]
    )
    func `a style sheet needs its media type, unless the page is older than the standards`(
        mediaType: String,
        isMarkup: Bool,
        isStrict: Bool,
        isWrong: Bool
    ) throws {
        let found = try findings { seen in
            var shown = PageObservation.Shown(url: seen.page.description)
            (shown.text, shown.isStrict) = ("text", isStrict)
            seen.views = [.init(.load, seen.page, shown, nil)]
            let fate = PageObservation.Fate.found(status: 200, mediaType: mediaType, isMarkup: isMarkup)
            seen.requests = [.init(url: try Self.url("/a.css"), type: "Stylesheet", fate: fate)]
        }
        #expect(found.map(\.kind) == (isWrong ? [.wrongType] : []))
    }

    @Test func `what the browser refuses is found by the URL in its words`() throws {
        let words =
            "Refused to apply style from 'https://docs.example/a.css' because its MIME type ('text/html') is not"
        let found = try findings { $0.problems = [.init(.mediaType, words, url: "https://docs.example/page")] }
        #expect(found.map(\.subject) == ["https://docs.example/a.css"])
        #expect(found.map(\.kind) == [.wrongType])
    }

    /// Text that is shown, pictures, characters and scripts of the stored page, and whether that is a fault.
    @Test(
        arguments: [
            ("", 0, 300, true, true), ("", 0, 0, true, true), ("", 0, 0, false, false), ("", 1, 300, true, false),
            ("Loading", 0, 300, true, true), ("Loading", 0, 100, true, false),
            ("A page with enough text.", 0, 300, true, false),
        ]
    )
    func `a page that shows nothing of what it has is blank`(
        text: String,
        pictures: Int,
        characters: Int,
        hasScripts: Bool,
        isBlank: Bool
    ) throws {
        let found = try findings { seen in
            var shown = PageObservation.Shown(url: seen.page.description)
            (shown.text, shown.pictures) = (text, pictures)
            let stored = PageObservation.Stored(characters: characters, hasScripts: hasScripts)
            seen.views = [.init(.load, seen.page, shown, stored)]
        }
        #expect(found.map(\.kind) == (isBlank ? [.blankPage] : []))
    }

    @Test func `a page that isn't there isn't called blank as well`() throws {
        let found = try findings { seen in
            seen.requests = [.init(url: seen.page, type: "Document", fate: .missing)]
            let stored = PageObservation.Stored(characters: 9, hasScripts: true)
            seen.views = [.init(.load, seen.page, .init(url: "chrome-error://chromewebdata/"), stored)]
        }
        #expect(found.map(\.kind) == [.deadPage])
    }

    @Test(arguments: [(0, 0, false), (2, 0, true), (2, 1, false)])
    func `a page is without style if it names style sheets and none applies`(
        named: Int,
        applied: Int,
        isUnstyled: Bool
    ) throws {
        let found = try findings { seen in
            var shown = PageObservation.Shown(url: seen.page.description)
            shown.text = "text"
            shown.styles = (named, applied)
            seen.requests = [.init(url: try Self.url("/a.css"), type: "Stylesheet", fate: .elsewhere)]
            seen.views = [.init(.load, seen.page, shown, nil)]
        }
        #expect(found.map(\.kind) == (isUnstyled ? [.unstyled, .notPackaged] : [.notPackaged]))
    }

    @Test func `each finding is listed once, with the number of its pages, and the most important first`() throws {
        var verdict = Verdict()
        for path in ["/a", "/b", "/b"] {
            var seen = PageObservation(page: try Self.url(path))
            seen.requests = [
                .init(url: try Self.url("/i.png"), type: "Image", fate: .missing),
                .init(url: try Self.url("/s.js"), type: "Script", fate: .missing),
            ]
            seen.problems = [.init(.console, "no"), .init(.exception, "TypeError: x")]
            verdict.add(seen)
        }
        #expect(verdict.findings.map(\.kind) == [.missingScript, .exception, .missingImage, .console])
        #expect(verdict.findings.map(\.pages) == [2, 2, 2, 2])
        #expect(verdict.findings.map(\.page.path) == ["/a", "/a", "/a", "/a"])
    }

    @Test func `what happens after a click is the fault of the page that is shown then`() throws {
        let found = try findings { seen in
            for (path, type) in [("/i.png", "Image"), ("/gone", "Document")] {
                var request = PageObservation.Request(url: try Self.url(path), type: type, fate: .missing)
                (request.phase, request.page) = (.click, try Self.url("/other"))
                seen.requests.append(request)
            }
            var problem = PageObservation.Problem(.exception, "TypeError: x")
            problem.page = try Self.url("/other")
            seen.problems = [problem]
        }
        #expect(found.map(\.kind) == [.exception, .missingPage, .missingImage])
        #expect(found.map(\.page.path) == ["/other", "/page", "/other"])
    }

    @Test func `findings of a kind are bounded, and further ones counted`() throws {
        var seen = PageObservation(page: try Self.url("/"))
        for number in 0..<(Verdict.limit + 7) {
            seen.requests.append(.init(url: try Self.url("/\(number).png"), type: "Image", fate: .missing))
        }
        var verdict = Verdict()
        verdict.add(seen)
        #expect(verdict.findings.count == Verdict.limit)
        #expect(verdict.more == [.missingImage: 7])
    }

    @Test func `an exception that another site throws as well is a hint`() throws {
        var seen = PageObservation(page: try Self.url("/"))
        seen.problems = [.init(.exception, "Error: a"), .init(.exception, "Error: b")]
        var verdict = Verdict(excused: ["Error: a"])
        verdict.add(seen)
        #expect(verdict.findings.map(\.kind) == [.exception, .console])
        #expect(verdict.findings.map(\.subject) == ["Error: b", "Error: a"])
    }

    @Test(
        arguments: [
            ([PageObservation.Fate.elsewhere], TrialFinding.Kind.console), ([.needsServer], .console),
            ([.elsewhere, .found(status: 200, mediaType: "application/json", isMarkup: false)], .console),
            ([.elsewhere, .missing], .exception), ([.missing], .exception), ([], .exception),
        ]
    )
    func `a request to another site that nobody awaits is a hint`(
        fates: [PageObservation.Fate],
        kind: TrialFinding.Kind
    ) throws {
        for (words, kind) in [("Uncaught (in promise) TypeError: Failed to fetch", kind), ("TypeError: x", .exception)]
        {
            let found = try findings { seen in
                seen.requests = try fates.enumerated().map { index, fate in
                    .init(url: try WebURL("https://h\(index).example/a"), type: "Fetch", fate: fate)
                }
                seen.problems = [.init(.exception, words)]
            }
            #expect(found.filter { $0.kind == .console || $0.kind == .exception }.map(\.kind) == [kind])
        }
    }

    @Test func `words of pages are cut and escaped`() throws {
        let words = String(repeating: "x", count: 600) + "\u{1B}[2J"
        let found = try findings { seen in
            seen.problems = [.init(.exception, "\u{1B}[2J\u{202E}" + words)]
        }
        let subject = try #require(found.first?.subject)
        #expect(subject.hasPrefix("\\u{1b}[2J\\u{202e}xx"))
        #expect(subject.count <= 520)
    }

    @Test func `links to a page that the site doesn't have are hints`() throws {
        let found = try findings { seen in
            seen.deadLinks = [(try Self.url("/gone"), 404), (try Self.url("/lost"), nil)]
            seen.sisterLinks = [try WebURL("https://www.docs.example/x")]
        }
        #expect(found.map(\.kind) == [.deadLink, .sisterLink, .absent])
        #expect(found.first?.subject == "https://docs.example/lost")
    }

    @Test func `faults come before hints, and each fault has a remedy`() throws {
        let page = try Self.url("/")
        let kinds = TrialFinding.Kind.allCases
        #expect(kinds.map(\.isFault) == kinds.map(\.isFault).sorted { $0 && !$1 })
        for kind in kinds {
            #expect((TrialFinding(kind, "x", page: page).remedy != nil) == kind.isFault, "\(kind)")
        }
    }
}
