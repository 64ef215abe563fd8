public import AFCCrawlRules
internal import AFCPackageFormat
internal import AFCText
public import AFCURL

/// The result of a dry run: a line for each URL, and counts.
public struct CrawlPlan: Sendable, Equatable {
    /// The treatment of a URL.
    public enum Verdict: Sendable, Equatable {
        /// It would be fetched, as a seed or a link.
        case page(depth: Int)
        /// It would be fetched, because a page needs it.
        case requisite(depth: Int)
        /// It would not be fetched.
        case skip(SkipRule)
        /// It had to be read to find more URLs, but could not be.
        case failure(FetchFailure)
    }

    /// A URL, its treatment, and the page it was found on.
    public struct Line: Sendable, Equatable {
        /// The URL.
        public var url: WebURL
        /// The treatment.
        public var verdict: Verdict
        /// The page it was found on, or nil for a seed.
        public var referrer: WebURL?

        /// Creates a line.
        public init(url: WebURL, verdict: Verdict, referrer: WebURL?) {
            self.url = url
            self.verdict = verdict
            self.referrer = referrer
        }
    }

    /// The number of pages that would be fetched.
    public private(set) var pages = 0
    /// The number of requisites that would be fetched.
    public private(set) var requisites = 0
    /// The number of URLs that would be skipped.
    public private(set) var skipped = 0
    /// The number of URLs that could not be read.
    public private(set) var failed = 0

    /// Creates an empty plan.
    public init() {}

    /// Takes an event, and returns its line; nil for events that don't concern a plan.
    public mutating func take(_ event: CrawlEvent) -> Line? {
        switch event {
        case .planned(let url, let role, let depth, let referrer) where role.isRequisite:
            requisites += 1
            return Line(url: url, verdict: .requisite(depth: depth), referrer: referrer)
        case .planned(let url, _, let depth, let referrer):
            pages += 1
            return Line(url: url, verdict: .page(depth: depth), referrer: referrer)
        case .skipped(let url, let rule, let referrer):
            skipped += 1
            return Line(url: url, verdict: .skip(rule), referrer: referrer)
        case .failed(let failure):
            failed += 1
            return Line(url: failure.url, verdict: .failure(failure.reason), referrer: failure.referrer)
        default: return nil
        }
    }

    /// The counts as the last JSON line.
    public var json: String {
        JSONValue.object([
            ("action", .string("total")),
            ("pages", .integer(pages)),
            ("requisites", .integer(requisites)),
            ("skipped", .integer(skipped)),
            ("failed", .integer(failed)),
        ]).serialized
    }
}

extension CrawlPlan.Line {
    /// The line for people: treatment and reason in two columns, the URL, and the page it was found on.
    public var text: String {
        let columns: (String, String) =
            switch verdict {
            case .page(let depth): ("page", String(depth))
            case .requisite(let depth): ("requisite", String(depth))
            case .skip(let rule): ("skip", rule.rawValue)
            case .failure(let reason): ("fail", reason.status.map { String($0) } ?? reason.kind)
            }
        let place = referrer.map { "  on " + PrintableText.escaped($0.description) } ?? ""
        return Self.padded(columns.0, 10) + Self.padded(columns.1, 18) + PrintableText.escaped(url.description) + place
    }

    /// The line for programs: an object; docs/reference/crawler.md documents it.
    public var json: String {
        let members: [(String, JSONValue)] =
            switch verdict {
            case .page(let depth):
                [("action", .string("fetch")), ("role", .string("page")), ("depth", .integer(depth))]
            case .requisite(let depth):
                [("action", .string("fetch")), ("role", .string("requisite")), ("depth", .integer(depth))]
            case .skip(let rule): [("action", .string("skip")), ("rule", .string(rule.rawValue))]
            case .failure(let reason):
                [
                    ("action", .string("fail")), ("kind", .string(reason.kind)),
                    ("message", .string(reason.description)),
                ]
            }
        let place: [(String, JSONValue)] = [("url", .string(url.description)), ("foundOn", .url(referrer))]
        return JSONValue.object(members + place).serialized
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
