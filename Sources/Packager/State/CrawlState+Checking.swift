internal import GRDB
internal import ZipArchive

extension CrawlState {
    /// Reads all that an interrupted crawl has left, where a power cut may have taken a part of it.
    ///
    /// - Throws: ``PackagingError`` where something is missing or damaged, with the remedy.
    func requireSound(_ files: CrawlFiles) throws(PackagingError) {
        let lost = PackagingError(
            .inputOutput,
            subject: path,
            message:
                "the machine was started again meanwhile, and what was kept is damaged; begin anew with '--restart'"
        )
        try blocking { db in
            guard try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok" else { throw lost }
        }
        try forEach(files) { past in
            switch past.result?.content {
            case .resource(_, let body), .kept(_, let body, _):
                guard case .spool = body.place else { return }
                let isSound: Bool
                do throws(ZipError) {
                    isSound = try body.data.isSound()
                } catch {
                    isSound = false
                }
                guard isSound else { throw lost }
            default: return
            }
        }
    }
}
