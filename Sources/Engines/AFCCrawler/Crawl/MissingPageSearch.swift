internal import AFCCrawlRules
package import AFCPackageFormat
internal import AFCText
package import AFCURL
package import AFCZip
internal import Crypto
internal import HTTPTypes

/// The page that a site sends for URLs that it doesn't have, as a package stores it.
package struct MissingPage: Sendable {
    /// The folder below which the page answers.
    package var base: WebURL
    /// The record, with status 200 and the invented URL under which the page is stored.
    package var record: ResourceRecord
    /// The page.
    package var body: DeflatedBody

    /// The package's fallback; nil if the URLs can't be used.
    package var fallback: FallbackRules? { try? FallbackRules(base: base, application: nil, missing: record.url) }
}

/// A search for the page that a site sends for URLs that it doesn't have.
///
/// Two invented URLs are requested, one after the other, when the crawl sends no other requests.
struct MissingPageSearch<Network: Fetcher>: Sendable {
    /// The result of a search.
    struct Result {
        /// The record of the page, and the page; nil if the site has none.
        var page: (record: ResourceRecord, text: [UInt8], references: [FoundURL])?
        /// The number of requests, without those for robots.txt.
        var requests = 0
    }

    private let options: CrawlOptions
    private let requests: OriginRequests<Network>

    init(_ options: CrawlOptions, _ requests: OriginRequests<Network>) {
        self.options = options
        self.requests = requests
    }

    /// Requests the invented URLs.
    ///
    /// - Parameters:
    ///   - rules: The folder of the site.
    ///   - known: The rules in the origin's robots.txt, or nil if they aren't known.
    /// - Returns: The page, and the number of requests.
    /// - Throws: `CancellationError`.
    func find(_ rules: MissingPageRules, robots known: RobotsRules?) async throws -> Result {
        var result = Result()
        var robots = RobotsRules.allowAll
        if !options.ignoresRobots {
            if let known { robots = known } else { robots = try await requests.robots(for: rules.base).rules }
        }
        var first: (head: FetchHead, request: FetchRequest, text: [UInt8])?
        for probe in rules.probes {
            guard robots.isAllowed(probe) else { return result }
            try await Task.sleep(for: interval(robots))
            let request = requests.request(for: probe)
            guard let answer = try await ask(request, &result.requests) else { return result }
            guard let one = first else {
                first = (answer.head, request, answer.text)
                continue
            }
            guard one.text == answer.text else { return result }
        }
        guard let first, let references = rules.references(in: first.text, fields: first.head.fields, options: options)
        else { return result }
        var head = first.head
        head.fields = MissingPageRules.fields(head.fields)
        var record = requests.record(
            of: head,
            to: first.request,
            size: Int64(first.text.count),
            sha256: Hexadecimal.text(SHA256.hash(data: first.text))
        )
        record.status = 200
        record.requestFields = HTTPFields()
        result.page = (record, first.text, references)
        return result
    }

    /// The time before a request, for a host that accepts them only so often.
    private func interval(_ robots: RobotsRules) -> Duration {
        let politeness = options.politeness
        let delay = robots.delay.map { min($0, politeness.longestCrawlDelay) } ?? .zero
        return max(delay, politeness.delay ?? .zero)
    }

    /// Returns the answer to a request, if it may be the page.
    ///
    /// The request is repeated if no answer arrives, but not after an error of the server, which says enough about an
    /// invented URL.
    private func ask(_ request: FetchRequest, _ count: inout Int) async throws -> (head: FetchHead, text: [UInt8])? {
        var number = 1
        while true {
            count += 1
            let attempt = try await requests.attempt(
                request,
                number,
                into: MissingPageCollector(),
                evaluate: { receiver throws(FetchFailure) in
                    guard let head = receiver.head else { throw .connection("no response") }
                    guard MissingPageRules.mayBePage(head), !receiver.isTooLarge else { throw head.failure }
                    return (head, receiver.text)
                }
            )
            if case .success(let answer) = attempt.result { return answer }
            if case .failure(.status) = attempt.result { return nil }
            guard let wait = attempt.wait else { return nil }
            try await Task.sleep(for: wait)
            number += 1
        }
    }
}

/// Collects the body of an answer that may be the page for missing URLs.
private struct MissingPageCollector: ResponseReceiver {
    private(set) var head: FetchHead?
    private(set) var text: [UInt8] = []
    private(set) var isTooLarge = false
    private var received = 0

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return MissingPageRules.mayBePage(head)
    }

    mutating func receive(_ count: Int) throws(FetchFailure) -> Bool {
        received += count
        isTooLarge = isTooLarge || received > MissingPageRules.byteLimit + BodyCollector.codingOverhead
        return !isTooLarge
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        isTooLarge = isTooLarge || text.count + bytes.count > MissingPageRules.byteLimit
        guard !isTooLarge else { return false }
        text.append(contentsOf: bytes)
        return true
    }
}
