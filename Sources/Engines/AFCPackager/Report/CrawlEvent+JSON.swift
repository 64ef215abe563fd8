internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

extension CrawlEvent {
    /// The event as one line of JSON, or nil for what only a dry run tells; docs/crawl-events.md documents it.
    public var json: String? {
        guard let (name, members) = members else { return nil }
        return JSONValue.object([("event", .string(name))] + members).serialized
    }

    private var members: (String, [(String, JSONValue)])? {
        switch self {
        case .started(let resources, let bytes):
            ("started", [("resources", .integer(resources)), ("bytes", .integer(bytes))])
        case .queue(let known, let waiting): ("queue", [("known", .integer(known)), ("waiting", .integer(waiting))])
        case .fetched(let url, let bytes): ("fetched", [("url", .string(url.description)), ("bytes", .integer(bytes))])
        case .redirected(let url, let status):
            ("redirected", [("url", .string(url.description)), ("status", .integer(status))])
        case .retrying(let url, let failure, let wait):
            ("retrying", [("url", .string(url.description))] + Self.members(failure) + [("seconds", .seconds(wait))])
        case .failed(let failure):
            (
                "failed",
                [("url", .string(failure.url.description))] + Self.members(failure.reason)
                    + [("foundOn", .url(failure.referrer))]
            )
        case .crawlDelay(let origin, let delay):
            ("crawl-delay", [("origin", .string(origin)), ("seconds", .seconds(delay))])
        case .waiting(let host, let wait): ("waiting", [("host", .string(host)), ("seconds", .seconds(wait))])
        case .packing(let done, let total): ("packing", [("done", .integer(done)), ("total", .integer(total))])
        case .ended(let report): ("ended", [("outcome", .string(report.outcome.rawValue)), ("totals", report.totals)])
        case .planned, .skipped: nil
        }
    }

    private static func members(_ failure: FetchFailure) -> [(String, JSONValue)] {
        [
            ("kind", .string(failure.kind)), ("status", failure.status.map { .integer($0) } ?? .null),
            ("message", .string(failure.description)),
        ]
    }
}
