public import PackageFormat
internal import ZipArchive

extension PackageReader {
    /// Which crawl brought the package, where `.afcache/crawl.json` says it; nil also where that can't be read.
    public var provenance: CrawlProvenance? {
        guard let member = archive.member(named: PackageLayout.crawl) else { return nil }
        do throws(ZipError) {
            return CrawlProvenance(try archive.read(member, maxBytes: PackageLayout.crawlByteLimit))
        } catch {
            return nil
        }
    }
}
