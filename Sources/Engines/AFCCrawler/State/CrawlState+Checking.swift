internal import AFCURL
internal import AFCZip
internal import GRDB

extension CrawlState {
    /// Reads all that an interrupted crawl has left, where a power cut may have taken a part of it.
    ///
    /// - Throws: ``PackagingError`` where something is missing or damaged, with the remedy.
    func requireSound(_ files: CrawlFiles) throws(PackagingError) {
        let lost = PackagingError(
            .inputOutput,
            subject: path,
            message:
                "the machine was started again meanwhile, and what was kept is damaged; start over with '--restart'"
        )
        try blocking { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else { throw lost }
        }
        try forEach(files) { past in
            guard Self.isSound(past.result) else { throw lost }
        }
        var urls: [WebURL] = []
        try forEachEarly { urls.append($0.url) }
        for url in urls where !Self.isSound(try early(url, files)) { throw lost }
    }

    /// Tells whether the body of a result still is as it was put into the crawl's file, if it has one there.
    private static func isSound(_ result: CrawlResult?) -> Bool {
        switch result?.content {
        case .resource(_, let body), .kept(_, let body, _):
            guard case .spool = body.place else { return true }
            do throws(ZipError) {
                return try body.data.isSound()
            } catch {
                return false
            }
        case .redirect, .failure, .planned, .leftOut, nil: return true
        }
    }
}
