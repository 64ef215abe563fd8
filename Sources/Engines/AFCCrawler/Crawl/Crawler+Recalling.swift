internal import AFCCrawlRules
internal import AFCFiles
internal import AFCPackageFormat
internal import AFCZip
internal import HTTPTypes

/// How what an answer refers to is read again from its body.
extension Crawler {
    /// Reads again what an answer refers to.
    ///
    /// - Parameters:
    ///   - item: The URL.
    ///   - outcome: The answer, or nil: the crawl's state has it.
    /// - Returns: The answer with what it refers to, or nil where it can't be read any more.
    /// - Throws: ``PackagingError`` where the state can't be read.
    func recall(_ item: CrawlItem, _ outcome: FetchOutcome?) async throws -> FetchOutcome? {
        var found = outcome
        if found == nil { found = try await stored(item) }
        guard var outcome = found else { return nil }
        outcome.isUnread = false
        switch outcome.content {
        case .resource(let record, let body, _):
            guard let text = text(of: body, record.fields, item) else { return nil }
            let isCut = body.size > Int64(text.count)
            let page = references(in: text, of: item, fields: record.fields, isCut: isCut)
            outcome.cuts = page.cuts
            outcome.asksForIcon = page.asksForIcon
            outcome.needsScripts = page.needsScripts
            outcome.content = page.leftOut.map { .leftOut($0, page.found) } ?? .resource(record, body, page.found)
        case .kept(let record, let body, let failure, _):
            guard let text = text(of: body, record.fields, item) else { return nil }
            let isCut = body.size > Int64(text.count)
            let page = references(in: text, of: item, fields: record.fields, isCut: isCut)
            outcome.cuts = page.cuts
            outcome.content = .kept(record, body, failure, page.found)
        case .redirect, .failure: break
        case .again, .leftOut, .notModified, .planned: return nil
        }
        return outcome
    }

    private func stored(_ item: CrawlItem) async throws -> FetchOutcome? {
        try await OffPool.run { [state, files] in try state.early(item.url, files) }.map { FetchOutcome($0) }
    }

    /// The beginning of a body in which references are looked for; nil where it can't be read.
    func text(of body: CrawledBody, _ fields: HTTPFields, _ item: CrawlItem) -> [UInt8]? {
        guard PageReferences.isSearched(fields, item) else { return [] }
        do throws(ZipError) {
            return try files.data(of: body)?.beginning(BodyCollector.textLimit)
        } catch {
            // It is asked for again.
            return nil
        }
    }
}
