internal import HTTPCaching
internal import HTTPTypes
internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

/// What the index and the catalogue say of a package's resources.
struct GenerationContents {
    private let package: PackageReader
    private let seeds: Set<String>
    /// When the package was made, for responses that don't say when they were.
    let date: Timestamp

    init(_ package: PackageReader, now: Timestamp) {
        self.package = package
        seeds = Set(package.index.info?.seeds ?? [])
        date = package.date(orElse: now)
    }

    /// A resource as the index has it.
    ///
    /// - Parameters:
    ///   - number: Its place among the package's resources.
    ///   - digest: The SHA-256 of its body; empty for a redirect.
    /// - Returns: The resource.
    func indexed(_ number: Int, digest: [UInt8]) -> IndexedResource {
        let resource = package.index.resources[number]
        let member = resource.member.map { package.archive.members[$0] }
        return IndexedResource(
            url: resource.url.description,
            number: UInt32(number),
            status: resource.record?.status ?? 200,
            member: member?.name,
            size: member?.uncompressedSize ?? 0,
            lastModified: resource.entry?.lastModified,
            expires: resource.expiry,
            received: resource.record?.fetched ?? date,
            fields: PackageIndex.responseFields(of: resource, packageDate: date),
            requestFields: resource.record?.requestFields,
            digest: digest
        )
    }

    /// The bytes of all bodies.
    var bodyBytes: Int64 {
        package.index.resources.reduce(Int64(0)) { sum, resource in
            sum + (resource.member.map { package.archive.members[$0].uncompressedSize } ?? 0)
        }
    }

    /// When the last of the bodies expires; nil where one never does or doesn't say.
    var latestExpiry: Timestamp? {
        var latest: Timestamp?
        for resource in package.index.resources where resource.member != nil {
            guard let expiry = resource.expiry else { return nil }
            latest = max(latest ?? expiry, expiry)
        }
        return latest
    }

    /// What there is of each origin, and where a reader would begin: a seed, else the page with the shortest URL.
    var origins: [CataloguedOrigin] {
        var origins: [String: (origin: CataloguedOrigin, rank: Int)] = [:]
        for resource in package.index.resources {
            let url = resource.url
            let key = url.origin
            var known = origins[key] ?? (CataloguedOrigin(origin: key, host: url.host ?? ""), Int.max)
            known.origin.resources += 1
            known.origin.bytes += resource.member.map { package.archive.members[$0].uncompressedSize } ?? 0
            let text = url.description
            let type = resource.entry?.mediaType ?? resource.record?.fields[.contentType]
            let isPage = type?.hasPrefix("text/html") == true || resource.member == nil
            let rank = seeds.contains(text) ? 0 : (isPage ? text.utf8.count : Int.max)
            if rank < known.rank {
                known.origin.start = text
                known.rank = rank
            }
            origins[key] = known
        }
        return origins.values.map(\.origin).sorted { $0.origin < $1.origin }
    }
}

extension PackageIndex.Resource {
    /// Until when the response is fresh, by the manifest, else by its own fields.
    fileprivate var expiry: Timestamp? { entry?.expires ?? record?.expiry }
}
