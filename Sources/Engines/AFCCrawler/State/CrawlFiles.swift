internal import AFCFiles
internal import AFCPackageFile
internal import AFCZip

/// Where the bodies of a crawl lie.
struct CrawlFiles: Sendable {
    /// The crawl's own file.
    let spool: SpoolFile
    /// The package that is updated.
    let older: OlderPackage?
}
