internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// The resources of a crawl, sorted by URL, as the package's writer reads them.
struct CrawledResources: ResourceSource {
    let state: CrawlState
    let files: CrawlFiles
    let maxAge: Int64?
    let total: Int
    let onEvent: @Sendable (CrawlEvent) -> Void

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        do {
            try state.forEachBodyURL(body)
        } catch {
            throw failure(error)
        }
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        var done = 0
        do {
            try state.forEachResource(files) { record, data in
                try body(
                    PackageWriter.Resource(
                        record: record,
                        entry: data == nil ? nil : Recording.entry(for: record, maxAge: maxAge),
                        body: data.map { .spooled($0) },
                        isCompressible: false
                    )
                )
                done += 1
                if done % 64 == 0 || done == total { onEvent(.packing(done: done, of: total)) }
            }
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> PackageError {
        if let error = error as? PackageError { return error }
        if let error = error as? PackagingError {
            return PackageError(.inputOutput, subject: error.subject, message: error.message)
        }
        return PackageError(.inputOutput, subject: state.path, message: "cannot read the crawl's state: \(error)")
    }
}
