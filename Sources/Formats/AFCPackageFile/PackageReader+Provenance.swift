public import AFCPackageFormat
internal import AFCZip

extension PackageReader {
    /// Why nothing is to be concluded from a package's provenance.
    public enum ProvenanceDefect: Error, Equatable, Sendable {
        /// The member can't be read, or isn't as documented.
        case malformed
        /// The package has other resources than the crawl brought.
        case otherResources
    }

    /// Which crawl brought the package, where `.afcache/crawl.json` says it and nothing is wrong with that.
    public var provenance: CrawlProvenance? {
        if case .success(let provenance)? = readProvenance() { provenance } else { nil }
    }

    /// Reads `.afcache/crawl.json`.
    ///
    /// - Returns: Which crawl brought the package, or what is wrong; nil where the package doesn't say.
    public func readProvenance() -> Result<CrawlProvenance, ProvenanceDefect>? {
        guard let member = archive.member(named: PackageLayout.crawl) else { return nil }
        do throws(ZipError) {
            let bytes = try archive.read(member, maxBytes: PackageLayout.crawlByteLimit)
            guard let provenance = CrawlProvenance(bytes) else { return .failure(.malformed) }
            var urls = URLDigest()
            for place in index.resources.indices { urls.add(index.resources[place].url) }
            return urls.text == provenance.resources ? .success(provenance) : .failure(.otherResources)
        } catch {
            return .failure(.malformed)
        }
    }
}
