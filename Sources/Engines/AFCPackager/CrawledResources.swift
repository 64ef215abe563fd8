internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip

/// The resources of a crawl, sorted by URL, as the package's writer reads them.
struct CrawledResources: ResourceSource {
    let state: CrawlState
    let files: CrawlFiles
    let maxAge: Int64?
    /// The site's page for missing URLs, which isn't in the state.
    var missingPage: MissingPage?
    let total: Int
    let onEvent: @Sendable (CrawlEvent) -> Void

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        var page = missingPage?.record.url
        do {
            try state.forEachBodyURL { url in
                if let own = page, own < url {
                    page = nil
                    try body(own)
                }
                try body(url)
            }
            if let page { try body(page) }
        } catch {
            throw failure(error)
        }
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        var done = 0
        var page = missingPage
        do {
            try state.forEachResource(files) { record, data in
                if let own = page, own.record.url < record.url {
                    page = nil
                    try body(resource(own.record, own.body))
                }
                try body(resource(record, data))
                done += 1
                if done % 64 == 0 || done == total { onEvent(.packing(done: done, of: total)) }
            }
            if let page { try body(resource(page.record, page.body)) }
        } catch {
            throw failure(error)
        }
    }

    private func resource(_ record: ResourceRecord, _ data: DeflatedBody?) -> PackageWriter.Resource {
        PackageWriter.Resource(
            record: record,
            entry: data == nil ? nil : Recording.entry(for: record, maxAge: maxAge),
            body: data.map { .spooled($0) },
            isCompressible: false
        )
    }

    private func failure(_ error: any Error) -> PackageError {
        if let error = error as? PackageError { return error }
        if let error = error as? PackagingError {
            return PackageError(.inputOutput, subject: error.subject, message: error.message)
        }
        return PackageError(.inputOutput, subject: state.path, message: "cannot read the crawl's state: \(error)")
    }
}
