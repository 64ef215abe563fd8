internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import GRDB

/// One loaded version of a package, as the catalogue describes it.
struct Generation: Sendable, Equatable {
    var id: Int64 = 0
    var folder: String
    var created: Timestamp?
    var loaded: Timestamp
    var generator: String?
    var seeds: [String]
    var resources: Int
    /// The size of all bodies together, in bytes.
    var bodyBytes: Int64
    /// The size of the bodies that share their files with the previous generation, in bytes.
    var sharedBytes: Int64
    /// The time when the last entry expires; nil if one never expires or doesn't say.
    var latestExpiry: Timestamp?
    /// The SHA-256 of the index.
    var indexDigest: String
    /// The source of the package, for later updates from there.
    var source: String?
    /// The keys that signed the package.
    var signers: [String] = []
    /// The numbers of the evicted entries.
    ///
    /// Their bodies' size is ``evictedBytes``.
    var evicted: Set<UInt32> = []
    var evictedBytes: Int64 = 0

    /// The size of the bodies that aren't evicted, in bytes.
    var heldBytes: Int64 { bodyBytes - evictedBytes }
    /// The number of entries that aren't evicted.
    var heldEntries: Int { resources - evicted.count }
}

/// A package, as the catalogue describes it.
struct CataloguedPackage: Sendable, Equatable {
    var name: String
    var settings: PackageSettings
    var current: Generation
    var previous: Generation?

    /// The current generation, then the previous one.
    var generations: [Generation] { [current] + (previous.map { [$0] } ?? []) }

    /// The size on disk in bytes; bodies that both generations share count once.
    var storedBytes: Int64 {
        guard let previous else { return current.heldBytes }
        let shared = current.id > previous.id ? current.sharedBytes : previous.sharedBytes
        return max(current.heldBytes, current.heldBytes + previous.heldBytes - shared)
    }
}

/// The part of a generation that belongs to one origin.
struct CataloguedOrigin: Sendable, Equatable {
    var origin: String
    var host: String
    var resources = 0
    var bytes: Int64 = 0
    var start: String?
}

extension CataloguedOrigin {
    init(_ row: Row) throws {
        self.init(
            origin: try row.value("origin"),
            host: try row.value("host"),
            resources: try row.value("resources"),
            bytes: try row.value("bytes"),
            start: try row.optional("start")
        )
    }
}

extension Generation {
    init(_ row: Row) throws {
        let created: Int64? = try row.optional("created")
        let latestExpiry: Int64? = try row.optional("latestExpiry")
        let seeds: String = try row.value("seeds")
        let signers: String = try row.value("signers")
        let folder: String = try row.value("folder")
        let (resources, bodyBytes): (Int, Int64) = (try row.value("resources"), try row.value("bodyBytes"))
        guard OwnName.mayBeGeneration(folder), resources >= 0, resources <= Int(Int32.max), bodyBytes >= 0 else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a generation has an invalid folder or size")
        }
        self.init(
            id: try row.value("id"),
            folder: folder,
            created: created.map { Timestamp(secondsSinceEpoch: $0) },
            loaded: Timestamp(secondsSinceEpoch: try row.value("loaded")),
            generator: try row.optional("generator"),
            seeds: seeds.split(separator: "\n").map(String.init),
            resources: resources,
            bodyBytes: bodyBytes,
            sharedBytes: try row.value("sharedBytes"),
            latestExpiry: latestExpiry.map { Timestamp(secondsSinceEpoch: $0) },
            indexDigest: try row.value("indexDigest"),
            source: try row.optional("source"),
            signers: signers.split(separator: "\n").map(String.init)
        )
    }

    /// Inserts the row.
    ///
    /// - Returns: The number of the row.
    func insert(into db: Database, origins: [CataloguedOrigin]) throws -> Int64 {
        try db.execute(
            sql: """
                INSERT INTO generation (folder, created, loaded, generator, seeds, resources, bodyBytes, sharedBytes,
                    latestExpiry, indexDigest, source, signers)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                folder, created?.secondsSinceEpoch, loaded.secondsSinceEpoch, generator,
                seeds.joined(separator: "\n"), resources, bodyBytes, sharedBytes, latestExpiry?.secondsSinceEpoch,
                indexDigest, source, signers.joined(separator: "\n"),
            ]
        )
        let id = db.lastInsertedRowID
        for origin in origins {
            try db.execute(
                sql: "INSERT INTO origin (generation, origin, host, resources, bytes, start) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [id, origin.origin, origin.host, origin.resources, origin.bytes, origin.start]
            )
        }
        return id
    }
}

extension Row {
    /// The settings in a package's row; version 2 had one column for each.
    fileprivate var packageSettings: PackageSettings {
        get throws {
            guard hasColumn("settings") else {
                var settings = PackageSettings()
                settings.priority = try value("priority")
                settings.isPinned = try value("isPinned")
                settings.isSeparable = try value("isSeparable")
                return settings
            }
            let text: String = try value("settings")
            guard let json = try? JSONValue(parsing: Array(text.utf8)), let settings = PackageSettings(json) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the settings of a package can't be read")
            }
            return settings
        }
    }
}

extension CataloguedPackage {
    /// Returns all packages, sorted by name.
    static func fetchAll(_ db: Database) throws -> [CataloguedPackage] {
        let generations = try Row.fetchAll(db, sql: "SELECT * FROM generation").map { try Generation($0) }
        var byID = Dictionary(generations.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        for row in try Row.fetchAll(db, sql: "SELECT generation, number, bytes FROM displaced") {
            let (id, number): (Int64, UInt32) = try (row.value(at: 0), row.value(at: 1))
            let bytes: Int64 = try row.value(at: 2)
            byID[id]?.evicted.insert(number)
            byID[id]?.evictedBytes &+= bytes
        }
        return try Row.fetchAll(db, sql: "SELECT * FROM package ORDER BY name").compactMap { row in
            guard let current = byID[try row.value("current")] else { return nil }
            let previous: Int64? = try row.optional("previous")
            return CataloguedPackage(
                name: try row.value("name"),
                settings: try row.packageSettings,
                current: current,
                previous: previous.flatMap { byID[$0] }
            )
        }
    }

    /// Writes the package's row, replacing one with the same name.
    func save(to db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO package (name, settings, current, previous) VALUES (?, ?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET settings = excluded.settings, current = excluded.current,
                    previous = excluded.previous
                """,
            arguments: [name, JSONValue.object(settings.json).serialized, current.id, previous?.id]
        )
    }

    /// Removes the package's row; ``Generation/forgetUnused(in:)`` removes those of its generations.
    static func delete(name: String, from db: Database) throws {
        try db.execute(sql: "DELETE FROM package WHERE name = ?", arguments: [name])
    }
}

extension Generation {
    /// Returns the folders of the generations in the catalogue.
    static func knownFolders(in db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT folder FROM generation")
    }

    private static let removalPrefix = "leaving:"

    /// Records that a folder is no longer needed, in the transaction that removes its row.
    static func noteRemoval(_ folder: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO setting (name, value) VALUES (?, 0)",
            arguments: [removalPrefix + folder]
        )
    }

    /// Returns the folders that are no longer needed and may still exist.
    static func awaitingRemoval(in db: Database) throws -> Set<String> {
        let names = try String.fetchAll(db, sql: "SELECT name FROM setting WHERE name GLOB 'leaving:*'")
        return Set(names.map { String($0.dropFirst(removalPrefix.count)) }.filter(OwnName.mayBeGeneration))
    }

    /// Deletes the records of folders that no longer exist.
    static func forgetRemoved(from layout: CacheLayout, in db: Database) throws {
        let leaving = try awaitingRemoval(in: db)
        guard !leaving.isEmpty else { return }
        let packages = try OpenFolder(path: layout.root).folder("packages")
        for folder in leaving where packages.kind(of: folder) == nil {
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [removalPrefix + folder])
        }
    }

    /// Removes the rows of generations without a package, and records that their folders are no longer needed.
    static func forgetUnused(in db: Database) throws {
        let unused = """
            id NOT IN (SELECT current FROM package UNION SELECT previous FROM package WHERE previous IS NOT NULL)
            """
        for folder in try String.fetchAll(db, sql: "SELECT folder FROM generation WHERE \(unused)") {
            try noteRemoval(folder, in: db)
        }
        try db.execute(sql: "DELETE FROM generation WHERE \(unused)")
    }
}
