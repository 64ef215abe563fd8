public import PackageFormat
internal import ZipArchive

extension PackageReader {
    /// Which crawl brought the package, where `.afcache/crawl.json` says it.
    ///
    /// It is nil also where that can't be read, and where the package has other resources than the crawl brought.
    public var provenance: CrawlProvenance? {
        guard let member = archive.member(named: PackageLayout.crawl) else { return nil }
        do throws(ZipError) {
            let bytes = try archive.read(member, maxBytes: PackageLayout.crawlByteLimit)
            guard let provenance = CrawlProvenance(bytes) else { return nil }
            var urls = URLDigest()
            for place in index.resources.indices { urls.add(index.resources[place].url) }
            return urls.text == provenance.resources ? provenance : nil
        } catch {
            return nil
        }
    }
}
