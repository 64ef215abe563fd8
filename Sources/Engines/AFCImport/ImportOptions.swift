package import AFCArchive
package import AFCCrawlRules
package import AFCURL

/// A format of archives that are imported.
package enum ImportFormat: String, Sendable, CaseIterable {
    /// WARC 0.17 to 1.1, plain or compressed with gzip, Zstandard or LZ4.
    case warc
    /// ARC, plain or compressed.
    case arc
    /// WACZ, or another zip with WARCs or HARs.
    case wacz
    /// HAR 1.2, also in a zip.
    case har
    /// ZIM 5 and 6, plain or with Zstandard.
    case zim
    /// The cache of HTTrack: `new.zip` in the folder `hts-cache` of a mirror.
    case httrack
    /// The folder of a mirror by wget or wget2.
    case wget
    /// A web archive of Safari.
    case webarchive
    /// `Cache.db`, the disk cache of an app on Apple's systems.
    case urlcache
    /// MHTML, a page that a browser saved in one file.
    case mhtml
}

/// The settings of an import.
package struct ImportOptions: Sendable {
    /// The format of all files; nil to recognize each by its content.
    package var format: ImportFormat?
    /// The time after which captures don't count; nil for none.
    package var latest: ArchiveDate?
    /// The patterns of which a URL must match one; empty for all URLs.
    package var included: [URLPattern] = []
    /// The patterns of URLs that are left out.
    package var excluded: [URLPattern] = []
    /// True if responses to other methods than GET are imported.
    package var takesOtherMethods = false
    /// The most bytes of a body.
    package var bodyBytes: Int64 = 16 << 30
    /// The freshness lifetime of entries after the Date, in seconds, or nil for the origin's.
    package var maxAge: Int64?
    /// The URL below which the entries of a ZIM file or a mirror's files are; nil for a host by the name of file or folder.
    package var baseURL: WebURL?
    /// True to write no package if something is damaged or incomplete, or was taken in spite of a contradiction.
    package var isStrict = false

    /// Creates the defaults.
    package init() {}
}
