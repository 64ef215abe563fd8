package import AFCURL

/// What a trial saw on one page.
package struct PageObservation: Sendable {
    /// What a reader did when something happened.
    package enum Phase: Sendable, Equatable {
        /// The page was opened.
        case load
        /// A link was clicked.
        case click
        /// A word was searched for.
        case search
        /// The page was loaded again.
        case reload
    }

    /// The fate of a request.
    package enum Fate: Sendable, Equatable {
        /// A response was found.
        case found(status: Int, mediaType: String, isMarkup: Bool)
        /// The package has the host, but nothing for the URL.
        case missing
        /// The site itself doesn't have it.
        case absent(status: Int)
        /// The package has nothing of the host.
        case elsewhere
        /// Only a running server answers.
        case needsServer
        /// The body is too large for the browser.
        case tooLarge
    }

    /// A request that a page made.
    package struct Request: Sendable, Equatable {
        /// The URL.
        package var url: WebURL
        /// The browser's word for the type of resource.
        package var type: String
        /// True if the page itself asks, and not a frame in it.
        package var isOfMainFrame = true
        /// The fate.
        package var fate: Fate
        /// The script or page that asked.
        package var source: String?
        /// The URL whose response led here by a redirect.
        package var redirectedFrom: WebURL?
        /// What the reader did.
        package var phase = Phase.load
        /// The page that was shown then; nil for the opened page.
        package var page: WebURL?

        /// Creates a request.
        package init(url: WebURL, type: String, fate: Fate) {
            (self.url, self.type, self.fate) = (url, type, fate)
        }
    }

    /// A problem that a page or the browser reported.
    package struct Problem: Sendable, Equatable {
        /// The kinds.
        package enum Kind: Sendable { case exception, mediaType, console }

        /// The kind.
        package var kind: Kind
        /// The words.
        package var words: String
        /// The URL of the script, or of what was refused.
        package var url: String?
        /// The page that was shown then; nil for the opened page.
        package var page: WebURL?

        /// Creates a problem.
        package init(_ kind: Kind, _ words: String, url: String? = nil) {
            (self.kind, self.words, self.url) = (kind, words, url)
        }
    }

    /// What is visible on a page.
    package struct Shown: Sendable, Equatable {
        /// The URL in the address bar, without its fragment.
        package var url: String
        /// The title.
        package var title = ""
        /// The visible text.
        package var text = ""
        /// The number of visible images, films, drawings and controls.
        package var pictures = 0
        /// The number of style sheets that the page names, and that apply.
        package var styles = (named: 0, applied: 0)
        /// True if the page follows the standards, so that style sheets need their media type.
        package var isStrict = true
        /// The URLs of the links, in their order, each once.
        package var links: [WebURL] = []
        /// How often each link occurs.
        package var occurrences: [WebURL: Int] = [:]

        /// Creates a page.
        package init(url: String) { self.url = url }

        /// True if nothing is visible.
        package var isBlank: Bool { text.isEmpty && pictures == 0 }

        package static func == (left: Shown, right: Shown) -> Bool {
            left.url == right.url && left.title == right.title && left.text == right.text
                && left.pictures == right.pictures && left.styles == right.styles && left.isStrict == right.isStrict
                && left.links == right.links
        }
    }

    /// What the package has of a page.
    package struct Stored: Sendable, Equatable {
        /// The characters of its text before scripts run.
        package var characters: Int
        /// True if it has scripts.
        package var hasScripts: Bool

        /// Creates a description.
        package init(characters: Int, hasScripts: Bool) {
            (self.characters, self.hasScripts) = (characters, hasScripts)
        }
    }

    /// A page that was looked at after something was done.
    package struct View: Sendable {
        /// What the reader did.
        package var phase: Phase
        /// The page that should be shown.
        package var expected: WebURL
        /// What is shown; nil if nothing could be read.
        package var shown: Shown?
        /// What the package has of it; nil if it has no such page.
        package var stored: Stored?

        /// Creates a view.
        package init(_ phase: Phase, _ expected: WebURL, _ shown: Shown?, _ stored: Stored?) {
            (self.phase, self.expected, self.shown, self.stored) = (phase, expected, shown, stored)
        }
    }

    /// The reasons that a page wasn't looked at to the end.
    package enum Cut: Sendable {
        /// It took too long.
        case slow
        /// The browser crashed.
        case crashed
        /// It made too many requests.
        case requests
    }

    /// The page.
    package var page: WebURL
    /// The requests, in their order.
    package var requests: [Request] = []
    /// The problems, in their order.
    package var problems: [Problem] = []
    /// The views, the opened page first.
    package var views: [View] = []
    /// The clicked links.
    package var clicked: [WebURL] = []
    /// The links into the package's scope that lead to nothing, and the status that the site gave for each, if known.
    package var deadLinks: [(url: WebURL, status: Int?)] = []
    /// The links to other hosts of the same site.
    package var sisterLinks: [WebURL] = []
    /// The reason that the rest wasn't seen.
    package var cut: Cut?

    /// Creates an empty observation.
    package init(page: WebURL) { self.page = page }
}
