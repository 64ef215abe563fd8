internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import GRDB
internal import HTTPTypes

/// Creates the tables of a new cache, or upgrades those of an older one, as part of the change that needs them.
struct CatalogueMigration {
    private let change: CatalogueChange
    private let layout: CacheLayout

    init(_ change: CatalogueChange) { (self.change, layout) = (change, change.layout) }

    /// Throws if the catalogue's version is too old or too new to be read.
    static func requireReadable(_ layout: CacheLayout) throws(CacheError) {
        let found = try CacheDatabase.read(layout) { db in try CatalogueSchema.check(db, path: layout.catalogue) }
        guard found != 0 else { throw CacheError.noCache(layout) }
        guard found >= CatalogueSchema.oldestReadable else {
            throw CacheError(
                .noCache,
                subject: layout.root,
                message: "the cache has version \(found), but this program writes version \(CatalogueSchema.version)",
                remedy: .upgradeCache(layout.root)
            )
        }
    }

    /// Creates or upgrades the tables in one transaction.
    func run() throws(CacheError) {
        switch try change.read({ db in try CatalogueSchema.check(db, path: layout.catalogue) }) {
        case 0:
            guard try FolderKind.generations(in: OpenFolder(path: layout.root)).isEmpty else {
                throw CacheError.lostCatalogue(layout)
            }
            try change.commitSchema { db in try CatalogueSchema.create(in: db) }
        case 1: try migrateFromVersion1()
        case 2:
            try change.commitSchema { db in try CatalogueSchema.bringForward(CataloguedPackage.fetchAll(db), in: db) }
        default: break
        }
    }

    // MARK: Version 1

    // Version 1 had one row for each resource in SQLite, and the bodies directly below packages/ID.

    private struct Version1Package {
        var row: CataloguedPackage
        var origins: [CataloguedOrigin]
        var oldFolder: String
    }

    /// Builds a generation for each package next to the old folders, then switches to the new tables in one
    /// transaction.
    private func migrateFromVersion1() throws(CacheError) {
        try CatalogueChange.removeTransient(layout)
        let rows = try change.read { db in try Row.fetchAll(db, sql: "SELECT * FROM package ORDER BY id") }
        var packages: [Version1Package] = []
        for row in rows { packages.append(try version1Package(row)) }
        for package in packages { try change.note(package.row.current.folder) }
        try Folders.sync(layout.staging)
        for package in packages { try change.moveIntoPlace(package.row.current.folder) }
        try change.commitSchema { db in
            try db.execute(sql: "DROP TABLE resource; DROP TABLE origin; DROP TABLE package")
            try CatalogueSchema.create(in: db)
            for var package in packages {
                package.row.current.id = try package.row.current.insert(into: db, origins: package.origins)
                try package.row.save(to: db)
                try Generation.noteRemoval(package.oldFolder, in: db)
            }
        }
        try change.removeLeftovers()
    }

    private func version1Package(_ row: Row) throws(CacheError) -> Version1Package {
        let id: Int64 = row["id"]
        let oldFolder: String = row["folder"]
        guard OwnName.mayBeGeneration(oldFolder) else {
            throw CacheError(
                .damaged,
                subject: layout.catalogue,
                message: "the catalogue names a folder outside the cache"
            )
        }
        let folder = OwnName.generation()
        let target = layout.staged(folder)
        let old = try OpenFolder(path: layout.packages).folder(oldFolder)
        try Folders.make(target.files)
        var writer: IndexWriter? = try IndexWriter(path: target.index, capacity: 0)
        var number: UInt32 = 0
        var latest: Timestamp?
        var isEndless = false
        let resources = try change.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM resource WHERE package = ? ORDER BY url", arguments: [id])
        }
        for row in resources {
            let resource = try Self.version1Resource(row, number: number, path: layout.catalogue)
            if let member = resource.member {
                guard let (folder, name) = try old.parent(of: member) else {
                    throw .system("cannot link", path: old.path + "/" + member, number: ENOENT)
                }
                try Folders.make(Durable.folder(of: target.body(member)))
                guard linkat(folder.descriptor, name, AT_FDCWD, target.body(member), 0) == 0 || errno == EEXIST else {
                    throw .system("cannot link", path: old.path + "/" + member)
                }
                isEndless = isEndless || resource.expires == nil
                latest = [latest, resource.expires].compactMap(\.self).max()
            }
            var batch = IndexBatch()
            batch.append(resource)
            try writer?.append(batch)
            number += 1
        }
        let digest = try writer.take()?.finish() ?? ""
        let created: Int64? = row["created"]
        let seeds: String = row["seeds"]
        let generation = Generation(
            folder: folder,
            created: created.map { Timestamp(secondsSinceEpoch: $0) },
            loaded: Timestamp(secondsSinceEpoch: row["loaded"]),
            generator: row["generator"],
            seeds: seeds.split(separator: "\n").map(String.init),
            resources: row["resources"],
            bodyBytes: row["bodyBytes"],
            sharedBytes: 0,
            latestExpiry: isEndless ? nil : latest,
            indexDigest: digest
        )
        let origins = try change.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM origin WHERE package = ?", arguments: [id]).map {
                try CataloguedOrigin($0)
            }
        }
        let package = CataloguedPackage(
            name: row["name"],
            settings: PackageSettings(),
            current: generation,
            previous: nil
        )
        return Version1Package(row: package, origins: origins, oldFolder: oldFolder)
    }

    private static func version1Resource(_ row: Row, number: UInt32, path: String) throws(CacheError)
        -> IndexedResource
    {
        func fields(_ text: String) throws(CacheError) -> HTTPFields {
            do {
                let json = JSONValue.object([("fields", try JSONValue(parsing: Array(text.utf8)))])
                return try ResourceRecord.fields(json, key: "fields")
            } catch {
                throw CacheError(
                    .damaged,
                    subject: path,
                    message: "a row of the old cache can't be read; load its packages again"
                )
            }
        }
        let lastModified: Int64? = row["lastModified"]
        let expires: Int64? = row["expires"]
        let requestFields: String? = row["requestFields"]
        let digest: String? = row["sha256"]
        return IndexedResource(
            url: row["url"],
            number: number,
            status: row["status"],
            member: row["member"],
            size: row["size"],
            lastModified: lastModified.map { Timestamp(secondsSinceEpoch: $0) },
            expires: expires.map { Timestamp(secondsSinceEpoch: $0) },
            received: Timestamp(secondsSinceEpoch: row["received"]),
            fields: try fields(row["fields"]).packedFields,
            requestFields: try requestFields.map { text throws(CacheError) in try fields(text) },
            digest: digest.flatMap(Hexadecimal.bytes) ?? []
        )
    }
}
