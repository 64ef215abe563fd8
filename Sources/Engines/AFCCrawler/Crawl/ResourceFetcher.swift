internal import AFCCaching
internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// Fetches a crawl's URL from its origin or the older package, puts the body into the spool, and extracts references.
struct ResourceFetcher<Network: Fetcher>: Sendable {
    private let options: CrawlOptions
    private let requests: OriginRequests<Network>
    private let spool: BodySpool
    private let files: CrawlFiles
    /// The answers from before the crawl.
    private let validation: Validation
    private let comparison: OlderComparison
    /// The variables that playlists define for those of their streams.
    private let variables: StreamVariables

    init(
        _ options: CrawlOptions,
        _ requests: OriginRequests<Network>,
        _ spool: BodySpool,
        _ files: CrawlFiles,
        after validation: Validation,
        variables: StreamVariables
    ) {
        self.options = options
        self.requests = requests
        self.spool = spool
        self.files = files
        self.validation = validation
        self.variables = variables
        comparison = OlderComparison(options)
    }

    /// Fetches a URL.
    ///
    /// - Parameters:
    ///   - item: The URL.
    ///   - role: The way it was found.
    ///   - attempt: The number of this attempt, from 1.
    ///   - usage: What the origin's robots.txt says about the use of the resource.
    /// - Returns: The outcome.
    /// - Throws: ``PackagingError`` if a body can't be saved, or `CancellationError`.
    func fetch(
        _ item: CrawlItem,
        as role: CrawlScope.Role,
        attempt: Int,
        usage: UsagePreferences
    ) async throws -> FetchOutcome {
        if options.isDryRun, role.isRequisite, !PageReferences.mayBeSearched(item, options) {
            return FetchOutcome(content: .planned([]), requests: 0)
        }
        guard let older = files.older, let resource = older.resource(item.url) else {
            if case .failed(let reason)? = validation.answers[item.key] {
                return FetchOutcome(content: .failure(reason), requests: 0)
            }
            var outcome = try await fetch(item, attempt, conditions: HTTPFields(), usage)
            if files.older != nil, outcome.isKept { outcome.change = .added }
            return outcome
        }
        if let outcome = answered(resource, item, older, usage) { return outcome }
        var outcome = try await fetch(item, attempt, conditions: resource.conditions, usage)
        if case .notModified(let head) = outcome.content {
            if comparison.isConfirmed(resource.record, by: head),
                let unchanged = unchanged(resource, head, item, older, usage)
            {
                outcome.take(unchanged)
                outcome.change = .unchanged
                outcome.isUnchanged = comparison.isUnchanged(outcome.content, resource)
                return outcome
            }
            // The older package's body is damaged, or the origin speaks of another one.
            outcome = try await fetch(item, attempt, conditions: HTTPFields(), usage)
            outcome.requests += 1
        }
        compare(&outcome, with: resource, item, older)
        outcome.isUnchanged = comparison.isUnchanged(outcome.content, resource)
        return outcome
    }

    /// Extracts the references of an earlier outcome again.
    ///
    /// - Parameters:
    ///   - item: The URL.
    ///   - outcome: The outcome.
    /// - Returns: The outcome with its references, or nil if its body can no longer be read.
    func recall(_ item: CrawlItem, _ outcome: FetchOutcome) -> FetchOutcome? {
        var outcome = outcome
        outcome.isUnread = false
        switch outcome.content {
        case .resource(let record, let body, _):
            guard let page = page(of: body, record.fields, item) else { return nil }
            outcome.read(page)
            outcome.content =
                page.leftOut.map { .leftOut($0, page.found) } ?? .resource(record.with(page), body, page.found)
        case .kept(let record, let body, let failure, _):
            guard let page = page(of: body, record.fields, item) else { return nil }
            outcome.cuts = page.cuts
            outcome.isMisplaced = page.isMisplaced
            outcome.scriptTexts = page.scriptTexts
            outcome.base = page.base
            outcome.moduleMap = page.moduleMap
            outcome.moduleNames = page.moduleNames
            outcome.content = .kept(record, body, failure, page.found)
        case .redirect, .failure: break
        case .again, .leftOut, .notModified, .planned: return nil
        }
        return outcome
    }

    /// Reads the variables of a playlist from before an interruption, so that its streams can import them.
    ///
    /// - Parameters:
    ///   - item: The URL.
    ///   - outcome: The outcome; anything but a playlist is ignored.
    func learnVariables(of item: CrawlItem, _ outcome: FetchOutcome) {
        switch outcome.content {
        case .resource(let record, let body, _), .kept(let record, let body, _, _):
            guard PageReferences.mayDefineVariables(record.fields, item, options) else { return }
            _ = page(of: body, record.fields, item)
        case .redirect, .failure, .again, .leftOut, .notModified, .planned: break
        }
    }

    // MARK: From the origin

    /// Requests a URL, and repeats the request if it redirects to itself and sets a cookie, as browsers do.
    private func fetch(
        _ item: CrawlItem,
        _ number: Int,
        conditions: HTTPFields,
        _ usage: UsagePreferences
    ) async throws -> FetchOutcome {
        var count = 0
        while true {
            let cookies = requests.cookies(for: item.url)
            var outcome = try await fetchOnce(item, number, conditions: conditions, usage)
            count += outcome.requests
            outcome.requests = count
            guard case .redirect(_, let target) = outcome.content, URLKey(target) == item.key,
                count <= options.limits.redirects, requests.cookies(for: item.url) != cookies
            else { return outcome }
        }
    }

    private func fetchOnce(
        _ item: CrawlItem,
        _ number: Int,
        conditions: HTTPFields,
        _ usage: UsagePreferences
    ) async throws -> FetchOutcome {
        let request = requests.request(for: item.url, conditions: conditions)
        let attempt = try await requests.attempt(
            request,
            number,
            into: BodyCollector(spool: spool, limit: options.limits.bodyBytes, item: item, options: options),
            evaluate: { receiver throws(FetchFailure) in
                guard let head = receiver.head else { throw .connection("no response") }
                let body = head.isStored ? try receiver.finish() : nil
                var outcome = FetchOutcome(content: .notModified(head), requests: 1)
                outcome.received = receiver.received
                try read(head, body, receiver.text, item, request, usage, into: &outcome)
                return outcome
            }
        )
        var outcome =
            switch (attempt.result, attempt.wait) {
            case (.success(let outcome), _): outcome
            // Every other body would fail, too. The URL isn't recorded as failed, so the next run requests it again.
            case (.failure(.storage(let reason)), _):
                throw PackagingError(
                    .inputOutput,
                    subject: files.spool.path,
                    message: "the crawl's bodies can't be saved: \(reason)"
                )
            case (.failure(let failure), let wait?):
                FetchOutcome(content: .again(failure, after: wait), requests: 1)
            case (.failure(let failure), nil): FetchOutcome(content: .failure(failure), requests: 1)
            }
        outcome.elapsed = attempt.elapsed
        outcome.feedback = attempt.feedback
        return outcome
    }

    /// Converts a response into a resource, a redirect or a failure.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - body: The body, or nil if it isn't stored.
    ///   - text: The body's text, or nil to read it from the spool.
    ///   - item: The URL that was requested.
    ///   - request: The request.
    ///   - usage: What the origin's robots.txt says about the use of the resource.
    ///   - outcome: The outcome to fill in; its content says "unchanged" before the call.
    /// - Throws: ``FetchFailure`` if the response is one.
    private func read(
        _ head: FetchHead,
        _ body: BodyWriter.Body?,
        _ text: [UInt8]?,
        _ item: CrawlItem,
        _ request: FetchRequest,
        _ usage: UsagePreferences,
        into outcome: inout FetchOutcome
    ) throws(FetchFailure) {
        if head.status == 304, request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifModifiedSince) {
            return
        }
        if head.isRedirect {
            guard let location = head.redirectLocation else {
                throw .location(head.fields.value(of: .location) ?? "")
            }
            guard !location.isEmpty, let target = WebURL(location: location, from: item.url) else {
                throw .location(location)
            }
            outcome.content = .redirect(requests.record(of: head, to: request), target: target)
            return
        }
        guard let body else { throw head.failure }
        var record = requests.record(of: head, to: request, size: body.size, sha256: body.sha256)
        record.robotsUsage = usage
        let stored = CrawledBody(body.content)
        var text = text
        if text == nil, options.isDryRun { text = self.text(of: stored, head.fields, item) }
        fill(&outcome, record, stored, text.map { references(in: $0, of: item, fields: head.fields) })
    }

    /// Fills in a resource, or the reason to leave it out; without a page, references are extracted later.
    private func fill(
        _ outcome: inout FetchOutcome,
        _ record: ResourceRecord,
        _ body: CrawledBody,
        _ page: PageReferences.Page?
    ) {
        outcome.isUnread = page == nil
        guard let page else { return outcome.content = .resource(record, body, []) }
        outcome.read(page)
        if options.isDryRun {
            outcome.content = .planned(page.found)
        } else {
            outcome.content =
                page.leftOut.map { .leftOut($0, page.found) } ?? .resource(record.with(page), body, page.found)
        }
    }

    // MARK: From the older package

    /// Returns the answer that the resource got before the crawl, or nil.
    private func answered(
        _ resource: OlderPackage.Resource,
        _ item: CrawlItem,
        _ older: OlderPackage,
        _ usage: UsagePreferences
    ) -> FetchOutcome? {
        guard case .unchanged(let date)? = validation.answers[item.key] else { return nil }
        var head = FetchHead(status: 304)
        head.fields[.date] = date
        var outcome: FetchOutcome
        if let unchanged = unchanged(resource, head, item, older, usage) {
            outcome = unchanged
        } else if resource.member == nil, let location = resource.record.fields.singleValue(of: .location),
            let target = WebURL(location: location, from: item.url)
        {
            let record = comparison.renewed(resource.record, by: head, at: options.now())
            outcome = FetchOutcome(content: .redirect(record, target: target), requests: 0)
        } else {
            return nil
        }
        outcome.change = .unchanged
        outcome.isUnchanged = comparison.isUnchanged(outcome.content, resource)
        return outcome
    }

    /// Returns the resource after a 304, or nil if its stored body is damaged.
    private func unchanged(
        _ resource: OlderPackage.Resource,
        _ head: FetchHead,
        _ item: CrawlItem,
        _ older: OlderPackage,
        _ usage: UsagePreferences
    ) -> FetchOutcome? {
        guard let member = resource.member else { return nil }
        var record = comparison.renewed(resource.record, by: head, at: options.now())
        record.robotsUsage = usage
        return taken(over: record, member, item, older)
    }

    /// Compares the response with the older package.
    ///
    /// Equal bodies are copied from there, and a resource that couldn't be fetched is kept unless its origin says that
    /// it is gone.
    private func compare(
        _ outcome: inout FetchOutcome,
        with resource: OlderPackage.Resource,
        _ item: CrawlItem,
        _ older: OlderPackage
    ) {
        outcome.change = comparison.change(of: outcome.content, since: resource)
        guard let member = resource.member else { return }
        switch outcome.content {
        case .resource(var record, _, let references) where outcome.change == .unchanged:
            guard let body = older.soundBody(member: member) else { return }
            if outcome.isUnread { record.pageUsage = resource.record.pageUsage }
            outcome.content = .resource(record, body, references)
        case .failure(let reason) where !reason.isGone:
            guard let taken = taken(over: resource.record, member, item, older),
                case .resource(let record, let body, let references) = taken.content
            else { return }
            outcome.take(taken)
            outcome.content = .kept(record, body, reason, references)
            outcome.change = .unchanged
        default: break
        }
    }

    private func taken(
        over record: ResourceRecord,
        _ member: Int,
        _ item: CrawlItem,
        _ older: OlderPackage
    ) -> FetchOutcome? {
        let isSearched = PageReferences.isSearched(record.fields, item, options)
        guard let body = older.body(member: member) else { return nil }
        let isUnread = isSearched && body.size > Int64(BodyCollector.textInMemory) && !options.isDryRun
        let limit = isSearched && !isUnread ? BodyCollector.textLimit : 0
        guard let text = older.checkedText(member: member, limit: limit) else { return nil }
        var outcome = FetchOutcome(content: .resource(record, body, []), requests: 0)
        fill(&outcome, record, body, isUnread ? nil : page(in: text, of: body, record.fields, item))
        return outcome
    }

    // MARK: References

    /// Returns the part of a body to search for references, or nil if it can't be read.
    private func text(of body: CrawledBody, _ fields: HTTPFields, _ item: CrawlItem) -> [UInt8]? {
        guard PageReferences.isSearched(fields, item, options) else { return [] }
        do throws(ZipError) {
            return try files.data(of: body)?.beginning(BodyCollector.textLimit)
        } catch {
            // The URL is requested again.
            return nil
        }
    }

    private func page(of body: CrawledBody, _ fields: HTTPFields, _ item: CrawlItem) -> PageReferences.Page? {
        text(of: body, fields, item).map { page(in: $0, of: body, fields, item) }
    }

    private func page(
        in text: [UInt8],
        of body: CrawledBody,
        _ fields: HTTPFields,
        _ item: CrawlItem
    ) -> PageReferences.Page {
        references(in: text, of: item, fields: fields, isCut: body.size > Int64(text.count))
    }

    /// Returns the references of a body and its header fields, each URL once, with the user's query rules applied.
    ///
    /// - Parameters:
    ///   - text: The body, or its beginning if the body is longer than the part to search.
    ///   - item: The URL.
    ///   - fields: The response's header fields.
    ///   - isCut: Whether the body is longer.
    /// - Returns: The references.
    private func references(
        in text: [UInt8],
        of item: CrawlItem,
        fields: HTTPFields,
        isCut: Bool = false
    ) -> PageReferences.Page {
        var text = text
        // Sitemaps may be gzip files, whatever their media type says (sitemaps.org, "Sitemap file location"), and so
        // may data files of recipes.
        if text.starts(with: Inflater.gzipSignature),
            item.destination == .sitemap || PageReferences.isDataFile(item, options)
        {
            text = Inflater.beginning(ofGzip: text, limit: BodyCollector.textLimit)
        }
        var page = PageReferences.references(
            in: text,
            fields: fields,
            item: item,
            options: options,
            variables: item.destination == .rendition ? variables.of(item.key) : [:]
        )
        if !page.variables.isEmpty {
            variables.keep(page.variables, for: page.found.filter { $0.destination == .rendition }.map(\.key))
        }
        if isCut || text.count >= BodyCollector.textLimit, PageReferences.isSearched(fields, item, options) {
            page.cuts.insert(.text)
        }
        return page
    }
}

extension ResourceRecord {
    /// Returns the record with what the page says about its use.
    fileprivate func with(_ page: PageReferences.Page) -> ResourceRecord {
        var record = self
        record.pageUsage = page.usage
        return record
    }
}

extension FetchOutcome {
    /// Takes the facts about the body from another outcome.
    fileprivate mutating func take(_ other: FetchOutcome) {
        content = other.content
        isUnread = other.isUnread
        cuts = other.cuts
        isMisplaced = other.isMisplaced
        asksForIcon = other.asksForIcon
        needsScripts = other.needsScripts
        scriptTexts = other.scriptTexts
        base = other.base
        moduleMap = other.moduleMap
        moduleNames = other.moduleNames
    }

    /// Takes what was read from the body, except for the URLs.
    fileprivate mutating func read(_ page: PageReferences.Page) {
        cuts = page.cuts
        isMisplaced = page.isMisplaced
        asksForIcon = page.asksForIcon
        needsScripts = page.needsScripts
        scriptTexts = page.scriptTexts
        base = page.base
        moduleMap = page.moduleMap
        moduleNames = page.moduleNames
    }
}
