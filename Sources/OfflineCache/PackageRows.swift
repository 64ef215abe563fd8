internal import GRDB
internal import HTTPCaching
internal import HTTPTypes
internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

/// What the index keeps of a package.
struct PackageRows {
    private let package: PackageReader
    private let summary: InstalledPackage
    private let digests: [String?]

    private struct Origin {
        var host: String
        var resources = 0
        var bytes: Int64 = 0
        var start: String?
        var startRank = Int.max
    }

    init(_ package: PackageReader, _ summary: InstalledPackage, digests: [String?]) {
        self.package = package
        self.summary = summary
        self.digests = digests
    }

    func insert(into db: Database, folder: String) throws {
        try db.execute(
            sql: """
                INSERT INTO package (name, folder, created, loaded, generator, seeds, resources, bodyBytes)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                summary.name, folder, summary.created?.secondsSinceEpoch, summary.loaded.secondsSinceEpoch,
                summary.generator, summary.seeds.joined(separator: "\n"), summary.resources, summary.bodyBytes,
            ]
        )
        let id = db.lastInsertedRowID
        let statement = try db.makeStatement(
            sql: """
                INSERT INTO resource (url, package, status, member, size, lastModified, expires, received, fields, requestFields, sha256)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        var origins: [String: Origin] = [:]
        let date = summary.created ?? summary.loaded
        for (index, resource) in package.index.resources.enumerated() {
            let member = resource.member.map { package.archive.members[$0] }
            let fields = PackageIndex.responseFields(of: resource, packageDate: date)
            let isSidecarSilent = resource.record == nil
            try statement.execute(arguments: [
                resource.url.description, id, resource.record?.status ?? 200, member?.name,
                member?.uncompressedSize ?? 0,
                resource.entry?.lastModified?.secondsSinceEpoch, resource.entry?.expires?.secondsSinceEpoch,
                (resource.record?.fetched ?? date).secondsSinceEpoch, StoredFields.encode(fields),
                isSidecarSilent ? nil : StoredFields.encode(resource.record?.requestFields ?? HTTPFields()),
                digests[index],
            ])
            count(resource, fields: fields, size: member?.uncompressedSize ?? 0, in: &origins)
        }
        for (name, origin) in origins {
            try db.execute(
                sql: "INSERT INTO origin (package, origin, host, resources, bytes, start) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, name, origin.host, origin.resources, origin.bytes, origin.start]
            )
        }
    }

    /// Counts a resource for its origin, and remembers where a reader would begin: a seed, else the page with the shortest URL.
    private func count(
        _ resource: PackageIndex.Resource,
        fields: HTTPFields,
        size: Int64,
        in origins: inout [String: Origin]
    ) {
        let url = resource.url
        var origin = origins[url.origin] ?? Origin(host: url.host ?? "")
        origin.resources += 1
        origin.bytes += size
        let text = url.description
        let isPage = fields[.contentType]?.hasPrefix("text/html") == true || resource.member == nil
        let rank = summary.seeds.contains(text) ? 0 : (isPage ? text.utf8.count : Int.max)
        if rank < origin.startRank {
            origin.start = text
            origin.startRank = rank
        }
        origins[url.origin] = origin
    }
}
