internal import Discovery
internal import HTTPCaching
internal import HTTPTypes
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

extension Crawler {
    /// A response of which as much was kept as is wanted.
    private struct Answer {
        var head: FetchHead
        /// The body, or nil of a response whose body isn't stored.
        var body: BodyCollector.Body?
        var text: [UInt8]
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
            if let content = standing(resource, head, item, older) {
                outcome.content = content
                outcome.change = .unchanged
                outcome.isAsBefore = isAsBefore(content, resource)
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
        let content: FetchOutcome.Content
        if let standing = standing(resource, head, item, older) {
            content = standing
        } else if resource.member == nil, let location = resource.record.fields.value(of: .location),
            let target = target(location, from: item.url)
        {
            content = .redirect(renewed(resource.record, by: head), target: target)
        } else {
            return nil
        }
        var outcome = FetchOutcome(content: content, requests: 0)
        outcome.change = .unchanged
        outcome.isAsBefore = isAsBefore(content, resource)
        return outcome
    }

    private func fetch(_ item: CrawlItem, _ number: Int, conditions: HTTPFields) async throws -> FetchOutcome {
        let request = request(for: item.url, conditions: conditions)
        let attempt = try await attempt(
            request,
            number,
            into: BodyCollector(spool: spool, limit: options.limits.bodyBytes, item: item),
            evaluate: { receiver throws(FetchFailure) in
                guard let head = receiver.head else { throw .connection("no answer") }
                let body = head.isStored ? try receiver.finish() : nil
                let answer = Answer(head: head, body: body, text: receiver.text)
                return (try content(of: item, request, answer), received(answer))
            }
        )
        var outcome: FetchOutcome
        switch (attempt.result, attempt.wait) {
        case (.success((let content, let received)), _):
            outcome = FetchOutcome(content: content, requests: 1)
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
    private func content(
        of item: CrawlItem,
        _ request: FetchRequest,
        _ answer: Answer
    ) throws(FetchFailure) -> FetchOutcome.Content {
        let head = answer.head
        if head.status == 304, request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince) {
            return .notModified(head)
        }
        if head.isRedirect {
            let location = head.redirectLocation ?? ""
            guard !location.isEmpty, let target = target(location, from: item.url) else { throw .location(location) }
            return .redirect(record(of: item.url, head, request), target: target)
        }
        guard let body = answer.body else { throw .status(head.status, reason: head.reason) }
        let record = record(of: item.url, head, request, size: body.size, sha256: body.sha256)
        let page = references(in: answer.text, of: item, fields: head.fields)
        if options.isDryRun { return .planned(page.found) }
        if let rule = page.leftOut { return .leftOut(rule, page.found) }
        return .resource(record, CrawledBody(place: .spool, data: body.content), page.found)
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
    func references(
        in text: [UInt8],
        of item: CrawlItem,
        fields: HTTPFields
    ) -> (found: [FoundURL], leftOut: SkipRule?) {
        PageReferences.references(in: unzipped(text, of: item), fields: fields, item: item, options: options)
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

extension FetchHead {
    /// Whether a body with this status is stored.
    var isStored: Bool { status == 200 || status == 203 }

    /// Whether the status is a redirect that a client follows (RFC 9110 §15.4).
    var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Where a redirect leads, or nil where this is none.
    var redirectLocation: String? { isRedirect ? fields.value(of: .location) : nil }
}
