package import AFCCrawlRules
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes

extension RecordingStore {
    /// The pages that were recorded, sorted by URL.
    ///
    /// - Throws: An error of the recording's files.
    package func pages() throws -> [WebURL] { try workspace.state.pages(workspace.files) }

    /// Fetches what recorded pages need besides, and adds it; recorded answers are kept.
    ///
    /// Call ``flush()`` before.
    ///
    /// - Parameters:
    ///   - options: The crawl, whose seeds are recorded pages.
    ///   - network: Fetches what wasn't recorded.
    ///   - level: Deflate's level, 1 to 9.
    /// - Returns: The report of the crawl, and the number of responses that were added.
    /// - Throws: ``PackagingError``, `CancellationError`.
    package func complete(
        _ options: CrawlOptions,
        over network: some Fetcher,
        level: Int32
    ) async throws -> (report: CrawlReport, added: Int) {
        let crawl = try CrawlWorkspace(sharing: workspace.files)
        let crawler = Crawler(
            options: options,
            network: RecordedFetcher(store: self, network: network),
            workspace: crawl,
            level: level,
            onEvent: { _ in }
        )
        let report = try await crawler.run().report
        let before = count
        try crawl.state.forEach(crawl.files) { past in
            guard let content = past.outcome?.content, !contains(past.row.item.url) else { return }
            switch content {
            case .resource, .redirect: add(past.row.item.url, content)
            case .kept, .failure, .again, .notModified, .planned, .leftOut: break
            }
        }
        return (report, count - before)
    }
}

/// Answers from a recording, and fetches what it doesn't have.
private struct RecordedFetcher<Network: Fetcher>: Fetcher {
    let store: RecordingStore
    let network: Network

    var executor: (any TaskExecutor)? { network.executor }

    func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws {
        guard let (record, body) = try store.recorded(request.url) else {
            return try await network.fetch(request, into: &receiver)
        }
        guard try receiver.begin(FetchHead(status: record.status, fields: record.fields)), let body else { return }
        // Only texts are searched; of all others the recording has the body.
        let type = record.fields.value(of: .contentType).flatMap { MediaType($0) }
        guard MediaType.isCompressible(type, path: record.url.path) else { return }
        let bytes: [UInt8]
        do throws(ZipError) {
            bytes = try body.beginning(BodyCollector.textLimit)
        } catch {
            throw FetchFailure.storage(error.message)
        }
        _ = try bytes.withUnsafeBytes { try receiver.append($0) }
    }
}
