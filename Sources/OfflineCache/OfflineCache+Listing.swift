internal import GRDB
public import HTTPCaching
internal import HTTPTypes
internal import PackageFormat
public import URLStandard

/// A package in the store.
public struct InstalledPackage: Sendable, Equatable {
    /// Under what name it was loaded.
    public var name: String
    /// The entries and redirects that it brought.
    public var resources: Int
    /// The bytes of the bodies that it brought.
    public var bodyBytes: Int64
    /// When it was loaded.
    public var loaded: Timestamp
    /// When it was made, where it says so.
    public var created: Timestamp?
    /// What made it, where it says so.
    public var generator: String?
    /// The URLs that its crawl began with.
    public var seeds: [String]
}

/// What the store has of one origin.
public struct OriginSummary: Sendable, Equatable {
    /// Scheme, host and port, for example `http://docs.example`.
    public var origin: String
    /// The host.
    public var host: String
    /// How many resources.
    public var resources: Int
    /// The bytes of their bodies.
    public var bytes: Int64
    /// Where to begin: a seed of this origin, or its page with the shortest URL.
    public var start: WebURL?
}

/// A resource in the store, without its fields.
public struct ResourceSummary: Sendable, Equatable {
    /// The resource.
    public var url: WebURL
    /// Its status.
    public var status: Int
    /// The bytes of its body.
    public var size: Int64
    /// Its media type.
    public var mediaType: String?
    /// When the origin last changed it.
    public var lastModified: Timestamp?
    /// Until when it is fresh.
    public var expires: Timestamp?
    /// The package that brought it.
    public var package: String
}

extension OfflineCache {
    /// The installed packages, sorted by name.
    ///
    /// - Throws: ``CacheError`` where the index can't be read.
    public func packages() throws(CacheError) -> [InstalledPackage] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM package ORDER BY name").map { InstalledPackage($0) }
        }
    }

    /// What the store has, by origin, sorted by host.
    ///
    /// - Throws: ``CacheError`` where the index can't be read.
    public func origins() throws(CacheError) -> [OriginSummary] {
        let sql = """
            SELECT origin, host, sum(resources), sum(bytes), min(start) FROM origin GROUP BY origin ORDER BY host, origin
            """
        return try read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                let start: String? = row[4]
                return OriginSummary(
                    origin: row[0],
                    host: row[1],
                    resources: row[2],
                    bytes: row[3],
                    start: start.flatMap { try? WebURL($0) }
                )
            }
        }
    }

    /// The names of the packages that brought something from a host, sorted.
    ///
    /// - Parameter host: The host as a URL serialises it.
    /// - Returns: The names.
    /// - Throws: ``CacheError`` where the index can't be read.
    public func packages(withHost host: String) throws(CacheError) -> [String] {
        let sql =
            "SELECT DISTINCT p.name FROM origin o JOIN package p ON p.id = o.package WHERE o.host = ? ORDER BY p.name"
        return try read { db in try String.fetchAll(db, sql: sql, arguments: [host]) }
    }

    /// The resources in the order of their URLs, a page at a time.
    ///
    /// A URL that two packages brought comes once, as it would be served.
    ///
    /// - Parameters:
    ///   - after: The last URL of the page before, or nil for the first page.
    ///   - limit: The most resources to return.
    /// - Returns: At most so many resources.
    /// - Throws: ``CacheError`` where the index can't be read.
    public func resources(after: WebURL? = nil, limit: Int) throws(CacheError) -> [ResourceSummary] {
        let sql = """
            SELECT r.url, r.status, r.size, r.fields, r.lastModified, r.expires, p.name
            FROM resource r JOIN package p ON p.id = r.package
            WHERE r.url > ? AND r.package = (
                SELECT w.package FROM resource w WHERE w.url = r.url
                ORDER BY w.lastModified DESC, w.package DESC LIMIT 1)
            ORDER BY r.url LIMIT ?
            """
        return try read { db in
            try Row.fetchAll(db, sql: sql, arguments: [after?.description ?? "", limit]).map { row in
                let fields = try StoredFields.decode(row[3])
                let lastModified: Int64? = row[4]
                let expires: Int64? = row[5]
                return ResourceSummary(
                    url: try WebURL(row[0] as String),
                    status: row[1],
                    size: row[2],
                    mediaType: fields[.contentType],
                    lastModified: lastModified.map { Timestamp(secondsSinceEpoch: $0) },
                    expires: expires.map { Timestamp(secondsSinceEpoch: $0) },
                    package: row[6]
                )
            }
        }
    }
}

extension InstalledPackage {
    init(_ row: Row) {
        let created: Int64? = row["created"]
        let seeds: String = row["seeds"]
        self.init(
            name: row["name"],
            resources: row["resources"],
            bodyBytes: row["bodyBytes"],
            loaded: Timestamp(secondsSinceEpoch: row["loaded"]),
            created: created.map { Timestamp(secondsSinceEpoch: $0) },
            generator: row["generator"],
            seeds: seeds.split(separator: "\n").map(String.init)
        )
    }
}
