public import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

extension CrawlReport {
    /// Returns the report as JSON: one object, whose members docs/reference/crawl-report.md documents.
    ///
    /// - Returns: UTF-8 with one member per line, and long arrays with one element per line.
    public func json() -> [UInt8] {
        var bytes = Array("{\n".utf8)
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { bytes.append(contentsOf: ",\n".utf8) }
            JSONValue.string(name).write(to: &bytes)
            bytes.append(contentsOf: ": ".utf8)
            Self.write(value, to: &bytes)
        }
        bytes.append(contentsOf: "\n}\n".utf8)
        return bytes
    }

    private var members: [(String, JSONValue)] {
        [
            ("version", .number("1")),
            ("generator", .string(generator)),
            ("outcome", .string(outcome.rawValue)),
            ("error", error.map { .string($0) } ?? .null),
            ("seeds", .array(seeds.map { .string($0.description) })),
            ("started", started.map { .string($0.iso8601) } ?? .null),
            ("finished", finished.map { .string($0.iso8601) } ?? .null),
            ("seconds", .seconds(elapsed)),
            ("resumed", .integer(resumed)),
            ("package", package.map { .object([("name", .string($0.name)), ("bytes", .integer($0.bytes))]) } ?? .null),
            ("totals", totals),
            ("failures", .array(failures.map(Self.json))),
            ("unlistedFailures", .integer(unlistedFailures)),
            ("cuts", .array(cuts.map(Self.json))),
            ("unlistedCuts", .integer(unlistedCuts)),
            ("skipped", .array(skipped.map(Self.json))),
            ("changes", changes.map(Self.json) ?? .null),
            ("statuses", .array(statuses.sorted.map(Self.json))),
            ("types", .array(types.largestFirst.map { Self.json($0.share, ("type", .text($0.key))) })),
            ("otherTypes", Self.json(types.other)),
            ("hosts", .array(hosts.largestFirst.map { Self.json($0.share, ("host", .text($0.key))) })),
            ("otherHosts", Self.json(hosts.other)),
            (
                "disallowedUsages",
                .array(
                    disallowedUsages.sorted.map {
                        .object([("usage", .text($0.key)), ("count", .integer($0.share.count))])
                    }
                )
            ),
            ("depths", .array(depths.map { .integer($0) })),
            ("largest", .array(largest.places.map { Self.json($0, []) })),
            ("slowest", .array(slowest.places.map { Self.json($0, [("seconds", .seconds($0.measure))]) })),
            ("redirects", redirectsObject),
            (
                "needsScripts",
                .object([
                    ("count", .integer(needsScriptsCount)),
                    ("examples", .array(needsScripts.map { .string($0.description) })),
                ])
            ),
            (
                "answeredWithPage",
                .object([
                    ("count", .integer(misplacedCount)),
                    ("examples", .array(misplaced.map { .string($0.description) })),
                ])
            ),
            (
                "unreadCalls",
                .object([
                    ("count", .integer(unreadCount)),
                    ("examples", .array(unread.map(Self.json))),
                ])
            ),
            (
                "unfoundFiles",
                .object([
                    ("count", .integer(unfoundCount)),
                    (
                        "examples",
                        .array(
                            unfound.map {
                                .object([("url", .string($0.url.description)), ("name", .string($0.name))])
                            }
                        )
                    ),
                ])
            ),
            ("absentGuesses", .integer(absentGuesses)), ("guessesLeftOut", .integer(guessesLeftOut)),
            ("renderings", .integer(renderings)),
        ]
    }

    private static func json(_ unread: Unread) -> JSONValue {
        .object([
            ("url", .string(unread.url.description)), ("line", .integer(unread.line)),
            ("column", .integer(unread.column)), ("code", .string(unread.code)),
        ])
    }

    private var error: String? {
        if case .error(let message) = ending { message } else { nil }
    }

    var totals: JSONValue {
        .object([
            ("requests", .integer(requests)),
            ("retries", .integer(retries)),
            ("resources", .integer(fetched)),
            ("redirects", .integer(redirects)),
            ("failures", .integer(failed)),
            ("seedFailures", .integer(failuresByImportance[.seed] ?? 0)),
            ("requisiteFailures", .integer(failuresByImportance[.requisite] ?? 0)),
            ("cuts", .integer(cutCount)),
            ("skipped", .integer(skippedCount)),
            ("bytes", .integer(bytes)),
            ("received", .integer(received)),
        ])
    }

    private var redirectsObject: JSONValue {
        let advice = redirection.advice.map { advice in
            JSONValue.object([
                ("url", .string(advice.url.description)),
                ("status", .integer(advice.status)),
                ("target", .string(advice.target.description)),
                ("foundOn", .url(advice.referrer)),
            ])
        }
        return .object([
            ("permanent", .integer(redirection.permanent)),
            ("chains", .integer(redirection.chains)),
            ("longestChain", .integer(redirection.longestChain)),
            ("advice", .array(advice)),
        ])
    }

    private static func json(_ failure: Failure) -> JSONValue {
        .object([
            ("url", .string(failure.url.description)),
            ("kind", .string(failure.reason.kind)),
            ("status", failure.reason.status.map { .integer($0) } ?? .null),
            ("message", .string(failure.reason.description)),
            ("foundOn", .url(failure.referrer)),
            ("importance", .string(failure.importance.rawValue)),
        ])
    }

    private static func json(_ cut: Cut) -> JSONValue {
        .object([
            ("url", .string(cut.url.description)),
            ("limits", .array(cut.limits.map { .string($0.rawValue) })),
            ("message", .string(cut.limits.map(\.description).joined(separator: "; "))),
            ("foundOn", .url(cut.referrer)),
        ])
    }

    private static func json(_ skip: Skip) -> JSONValue {
        .object([
            ("rule", .string(skip.rule.rawValue)),
            ("meaning", .string(skip.rule.description)),
            ("count", .integer(skip.count)),
            ("examples", .array(skip.examples.map { .string($0.description) })),
        ])
    }

    private static func json(_ changes: [Change: Changes]) -> JSONValue {
        .object(
            Change.allCases.map { change in
                let found = changes[change] ?? Changes()
                let urls = found.urls.map { JSONValue.string($0.description) }
                return (change.rawValue, .object([("count", .integer(found.count)), ("urls", .array(urls))]))
            }
        )
    }

    private static func json(_ status: (key: Int, share: Tally<Int>.Share)) -> JSONValue {
        .object([("status", .integer(status.key)), ("count", .integer(status.share.count))])
    }

    private static func json(_ share: Tally<String>.Share, _ name: (String, JSONValue)? = nil) -> JSONValue {
        let counts: [(String, JSONValue)] = [("count", .integer(share.count)), ("bytes", .integer(share.bytes))]
        return .object((name.map { [$0] } ?? []) + counts)
    }

    private static func json<Measure>(
        _ place: Ranking<Measure>.Place,
        _ measures: [(String, JSONValue)]
    ) -> JSONValue {
        let url: [(String, JSONValue)] = [("url", .string(place.url.description))]
        return .object(
            url + measures + [
                ("bytes", .integer(place.bytes)),
                ("type", .text(place.mediaType ?? "")),
                ("foundOn", .url(place.referrer)),
            ]
        )
    }

    /// Writes a value; an array of objects gets one line for each, for programs that read lines.
    private static func write(_ value: JSONValue, to bytes: inout [UInt8]) {
        guard case .array(let elements) = value, case .object = elements.first else { return value.write(to: &bytes) }
        for (index, element) in elements.enumerated() {
            bytes.append(contentsOf: (index == 0 ? "[\n  " : ",\n  ").utf8)
            element.write(to: &bytes)
        }
        bytes.append(contentsOf: "\n]".utf8)
    }
}

extension JSONValue {
    static func integer(_ number: some BinaryInteger) -> JSONValue { .number(String(number)) }

    /// Formats seconds with three decimals.
    static func seconds(_ duration: Duration) -> JSONValue { .number(Quantity.decimalSeconds(duration)) }

    /// Returns a text, or null for an empty one.
    static func text(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }

    static func url(_ url: WebURL?) -> JSONValue { url.map { .string($0.description) } ?? .null }
}

extension CrawlEvent {
    /// The event as one line of JSON, or nil for events of dry runs only; docs/reference/crawl-events.md documents it.
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
        case .rendering(let done, let total): ("rendering", [("done", .integer(done)), ("total", .integer(total))])
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
