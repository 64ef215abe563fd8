internal import AFCCaching
internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

extension Crawler {
    /// A response of which as much was kept as is wanted.
    private struct Answer {
        var head: FetchHead
        /// The body, or nil of a response whose body isn't stored.
        var body: BodyCollector.Body?
        /// The body's text, or nil: it is to be read from the spool.
        var text: [UInt8]?
    }

    /// What an answer is.
    struct Meaning {
        var content: FetchOutcome.Content
        var isUnread = false
        var cuts: Set<DiscoveryCut> = []
        var asksForIcon = false
        var needsScripts = false

        init(_ content: FetchOutcome.Content, isUnread: Bool = false) {
            self.content = content
            self.isUnread = isUnread
        }

        init(_ content: FetchOutcome.Content, of page: PageReferences.Page) {
            self.content = content
            cuts = page.cuts
            asksForIcon = page.asksForIcon
            needsScripts = page.needsScripts
        }
    }

    /// Asks for a URL.
    ///
    /// - Parameters:
    ///   - item: The URL.
    ///   - role: How it was found.
    ///   - attempt: How many attempts this makes, from 1.
    /// - Returns: What came.
    /// - Throws: `CancellationError`.
    func fetch(_ item: CrawlItem, as role: CrawlScope.Role, attempt: Int) async throws -> FetchOutcome {
        if options.isDryRun, role == .requisite, !PageReferences.mayBeSearched(item.destination) {
            return FetchOutcome(content: .planned([]), requests: 0)
        }
        guard let older = files.older, let resource = older.resource(item.url) else {
            if case .failed(let reason)? = validation.answers[item.key] {
                return FetchOutcome(content: .failure(reason), requests: 0)
            }
            var outcome = try await fetch(item, attempt, conditions: HTTPFields())
            if files.older != nil, outcome.isKept { outcome.change = .added }
            return outcome
        }
        if let outcome = answered(resource, item, older) { return outcome }
        var outcome = try await fetch(item, attempt, conditions: resource.conditions)
        if case .notModified(let head) = outcome.content {
            if let meaning = standing(resource, head, item, older) {
                outcome.take(meaning)
                outcome.change = .unchanged
                outcome.isAsBefore = isAsBefore(meaning.content, resource)
                return outcome
            }
            // What the older package holds is damaged.
            outcome = try await fetch(item, attempt, conditions: HTTPFields())
            outcome.requests += 1
        }
        outcome = compared(outcome, with: resource, item, older)
        outcome.isAsBefore = isAsBefore(outcome.content, resource)
        return outcome
    }

    /// What came of the resource before the crawl began, or nil.
    private func answered(_ resource: OlderPackage.Resource, _ item: CrawlItem, _ older: OlderPackage) -> FetchOutcome?
    {
        guard case .unchanged(let date)? = validation.answers[item.key] else { return nil }
        var head = FetchHead(status: 304)
        head.fields[.date] = date
        let meaning: Meaning
        if let standing = standing(resource, head, item, older) {
            meaning = standing
        } else if resource.member == nil, let location = resource.record.fields.value(of: .location),
            let target = target(location, from: item.url)
        {
            meaning = Meaning(.redirect(renewed(resource.record, by: head), target: target))
        } else {
            return nil
        }
        var outcome = FetchOutcome(content: meaning.content, requests: 0)
        outcome.take(meaning)
        outcome.change = .unchanged
        outcome.isAsBefore = isAsBefore(meaning.content, resource)
        return outcome
    }

    /// Asks for a URL; again where it redirects to itself and has set a cookie, as browsers do.
    private func fetch(_ item: CrawlItem, _ number: Int, conditions: HTTPFields) async throws -> FetchOutcome {
        var requests = 0
        while true {
            let cookie = cookie(for: item.url)
            var outcome = try await fetchOnce(item, number, conditions: conditions)
            requests += outcome.requests
            outcome.requests = requests
            guard case .redirect(_, let target) = outcome.content, URLKey(target) == item.key,
                requests <= options.limits.redirects, self.cookie(for: item.url) != cookie
            else { return outcome }
        }
    }

    private func cookie(for url: WebURL) -> String? { options.access.cookies.field(for: url, now: options.now()) }

    private func fetchOnce(_ item: CrawlItem, _ number: Int, conditions: HTTPFields) async throws -> FetchOutcome {
        let request = request(for: item.url, conditions: conditions)
        let attempt = try await attempt(
            request,
            number,
            into: BodyCollector(spool: spool, limit: options.limits.bodyBytes, item: item),
            evaluate: { receiver throws(FetchFailure) in
                guard let head = receiver.head else { throw .connection("no answer") }
                let body = head.isStored ? try receiver.finish() : nil
                let answer = Answer(head: head, body: body, text: receiver.text)
                return (try meaning(of: answer, item, request), received(answer))
            }
        )
        var outcome: FetchOutcome
        switch (attempt.result, attempt.wait) {
        case (.success((let meaning, let received)), _):
            outcome = FetchOutcome(content: meaning.content, requests: 1)
            outcome.take(meaning)
            outcome.received = received
        case (.failure(let failure), let wait?):
            outcome = FetchOutcome(content: .again(failure, after: wait), requests: 1)
        case (.failure(let failure), nil):
            outcome = FetchOutcome(content: .failure(failure), requests: 1)
        }
        outcome.elapsed = attempt.elapsed
        outcome.feedback = attempt.feedback
        return outcome
    }

    /// The bytes of the body as they came; of a coded one whose length wasn't said, those without the coding.
    private func received(_ answer: Answer) -> Int64 {
        guard let body = answer.body else { return 0 }
        guard answer.head.coding != nil else { return body.size }
        return answer.head.fields.value(of: .contentLength).flatMap { Int64($0) } ?? body.size
    }

    /// Makes a resource, a redirect or a failure of what came.
    private func meaning(
        of answer: Answer,
        _ item: CrawlItem,
        _ request: FetchRequest
    ) throws(FetchFailure) -> Meaning {
        let head = answer.head
        if head.status == 304, request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince) {
            return Meaning(.notModified(head))
        }
        if head.isRedirect {
            let location = head.redirectLocation ?? ""
            guard !location.isEmpty, let target = target(location, from: item.url) else { throw .location(location) }
            return Meaning(.redirect(record(of: item.url, head, request), target: target))
        }
        guard let body = answer.body else { throw .status(head.status, reason: head.reason) }
        let record = record(of: item.url, head, request, size: body.size, sha256: body.sha256)
        let stored = CrawledBody(body.content)
        var text = answer.text
        if text == nil, options.isDryRun { text = self.text(of: stored, head.fields, item) }
        guard let text else { return Meaning(.resource(record, stored, []), isUnread: true) }
        let page = references(in: text, of: item, fields: head.fields)
        if options.isDryRun { return Meaning(.planned(page.found), of: page) }
        if let rule = page.leftOut { return Meaning(.leftOut(rule, page.found), of: page) }
        return Meaning(.resource(record, stored, page.found), of: page)
    }

    func record(
        of url: WebURL,
        _ head: FetchHead,
        _ request: FetchRequest,
        size: Int64? = nil,
        sha256: String? = nil
    ) -> ResourceRecord {
        let own = options.access.fields
        let sent = HTTPFields(request.fields.filter { !own.contains($0.name) })
        let fetched = options.now()
        return pinned(
            Recording.record(of: url, head: head, sent: sent, fetched: fetched, size: size, sha256: sha256)
        )
    }

    /// What a body and its fields refer to, each URL once, as the user's rules have it.
    ///
    /// - Parameters:
    ///   - text: The body, or its beginning where that is longer than what is searched.
    ///   - item: The URL.
    ///   - fields: The response's.
    ///   - isCut: Whether the body is longer.
    /// - Returns: What it refers to.
    func references(
        in text: [UInt8],
        of item: CrawlItem,
        fields: HTTPFields,
        isCut: Bool = false
    ) -> PageReferences.Page {
        let unzipped = unzipped(text, of: item)
        var page = PageReferences.references(in: unzipped, fields: fields, item: item, options: options)
        if isCut || unzipped.count >= BodyCollector.textLimit, PageReferences.isSearched(fields, item) {
            page.cuts.insert(.text)
        }
        return page
    }

    /// Sitemaps may be gzip files, whatever their media type says (sitemaps.org, "Sitemap file location").
    private func unzipped(_ text: [UInt8], of item: CrawlItem) -> [UInt8] {
        guard item.destination == .sitemap, GzipFile.isOne(text) else { return text }
        do throws(ZipError) {
            return try GzipFile.inflated(text, limit: BodyCollector.textLimit)
        } catch {
            return []
        }
    }

    func pinned(_ record: ResourceRecord) -> ResourceRecord {
        options.pinnedTime.map { Recording.pinned(record, to: $0) } ?? record
    }
}

extension FetchOutcome {
    mutating func take<Network>(_ meaning: Crawler<Network>.Meaning) {
        content = meaning.content
        isUnread = meaning.isUnread
        cuts = meaning.cuts
        asksForIcon = meaning.asksForIcon
        needsScripts = meaning.needsScripts
    }
}

extension FetchHead {
    /// Whether a body with this status is stored.
    var isStored: Bool { status == 200 || status == 203 }

    /// Whether the status is a redirect that a client follows (RFC 9110 §15.4).
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Where a redirect leads, or nil where this is none.
    var redirectLocation: String? { isRedirect ? fields.value(of: .location) : nil }
}
