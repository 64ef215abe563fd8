internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCZip
internal import GRDB
internal import HTTPTypes

extension CatalogueWriter {
    /// Makes sure that the store needs no migration, which a reader can't do.
    func requireTodaysVersion() throws(CacheError) {
        let found = try read { db in try CatalogueSchema.check(db, path: layout.catalogue) }
        guard found != 0 else { throw CacheError.noCache(layout) }
        guard found == CatalogueSchema.version else {
            throw CacheError(
                .noCache,
                subject: layout.root,
                message: "the store is of version \(found), and this program writes \(CatalogueSchema.version)",
                remedy: .upgradeCache(layout.root)
            )
        }
    }

    /// Makes the tables of a new store, or brings an older store forward; then readers see the catalogue.
    func migrateIfNeeded() throws(CacheError) {
        // One process does it; the others find it done.
        let lock = try WriterLock(layout, patience: nil) { _ in }
        try migrate()
        lock.release()
    }

    private func migrate() throws(CacheError) {
        try openDatabase()
        defer { closeDatabase() }
        let now = try read { db in try CatalogueSchema.check(db, path: layout.catalogue) }
        switch now {
        case 0:
            guard try FolderKind.generations(in: OpenFolder(path: layout.root)).isEmpty else {
                throw CacheError.lostCatalogue(layout)
            }
            try commitSchema { db in try CatalogueSchema.create(in: db) }
        case 1: try migrateFromVersion1()
        default: break
        }
        try publish()
    }

    private func commitSchema(_ body: (Database) throws -> Void) throws(CacheError) {
        do {
            try openedDatabase().write(body)
        } catch let error as CacheError {
            throw error
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
    }

    // MARK: Version 1

    // It had one row for each resource in SQLite, and the bodies directly below packages/ID.

    private struct Version1Package {
        var row: CataloguedPackage
        var origins: [CataloguedOrigin]
        var oldFolder: String
    }

    /// Builds a generation for each package beside the old folders, then changes over in one transaction.
    private func migrateFromVersion1() throws(CacheError) {
        try removeTransient()
        let rows = try read { db in try Row.fetchAll(db, sql: "SELECT * FROM package ORDER BY id") }
        var packages: [Version1Package] = []
        for row in rows { packages.append(try version1Package(row)) }
        for package in packages { try note(package.row.current.folder) }
        try Folders.sync(layout.staging)
        for package in packages { try moveIntoPlace(package.row.current.folder) }
        try commitSchema { db in
            try db.execute(sql: "DROP TABLE resource; DROP TABLE origin; DROP TABLE package")
            try CatalogueSchema.create(in: db)
            for var package in packages {
                package.row.current.id = try package.row.current.insert(into: db, origins: package.origins)
                try package.row.save(to: db)
                try Generation.noteRemoval(package.oldFolder, in: db)
            }
        }
        try removeLeftovers()
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
        let resources = try read { db in
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
        let origins = try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM origin WHERE package = ?", arguments: [id]).map { row in
                CataloguedOrigin(
                    origin: row["origin"],
                    host: row["host"],
                    resources: row["resources"],
                    bytes: row["bytes"],
                    start: row["start"]
                )
            }
        }
        let package = CataloguedPackage(
            name: row["name"],
            priority: 0,
            isPinned: false,
            isSeparable: false,
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
                    message: "a row of the old store can't be read; load its packages again"
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
            fields: try fields(row["fields"]),
            requestFields: try requestFields.map { text throws(CacheError) in try fields(text) },
            digest: digest.flatMap(Hexadecimal.bytes) ?? []
        )
    }
}
