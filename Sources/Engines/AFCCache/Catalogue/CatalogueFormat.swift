internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import Crypto

/// The format of the catalogue: one JSON document that begins with the SHA-256 of the rest; docs/developers/cache-format.md has
/// its members.
enum CatalogueFormat {
    /// The version that this program writes and reads, which is the cache's version, too.
    static let version: Int64 = 2

    private static let head = Array(#"{"sha256":""#.utf8)
    private static let middle = Array(#"","catalogue":"#.utf8)
    private static let beginning = Array(#"{"version":"#.utf8)

    /// The first bytes of a catalogue.
    struct Head: Equatable {
        static let size = head.count + 64 + middle.count + beginning.count + 20

        /// The SHA-256 of the rest, as text.
        let digest: [UInt8]
        let version: Int64

        /// Reads the first bytes; nil if they aren't a catalogue's.
        init?(_ bytes: [UInt8]) {
            let start = CatalogueFormat.head.count
            let rest = bytes.dropFirst(start + 64 + CatalogueFormat.middle.count)
            guard bytes.starts(with: CatalogueFormat.head),
                bytes.dropFirst(start + 64).starts(with: CatalogueFormat.middle),
                rest.starts(with: CatalogueFormat.beginning)
            else { return nil }
            let digits = rest.dropFirst(CatalogueFormat.beginning.count).prefix { (0x30...0x39).contains($0) }
            guard let version = Int64(String(decoding: digits, as: UTF8.self)) else { return nil }
            (digest, self.version) = (Array(bytes[start..<(start + 64)]), version)
        }
    }

    // MARK: Writing

    /// Returns the bytes of the file, and the first bytes of the digest in them.
    static func bytes(_ catalogue: Catalogue) -> (bytes: [UInt8], stamp: UInt64) {
        let packages = catalogue.packages.map { package in
            JSONValue.object(
                [("name", .string(package.name))] + package.settings.json + [
                    ("generations", .array(package.generations.map(\.json)))
                ]
            )
        }
        let (bytes, entries) = (catalogue.limits.bytes, catalogue.limits.entries)
        let document = JSONValue.object([
            ("version", .number("\(version)")), ("change", .number("\(catalogue.change)")),
            ("next", .number("\(catalogue.next)")),
            ("limits", .object([("bytes", .number(bytes)), ("entries", .number(entries.map { Int64($0) }))])),
            ("removed", .array(catalogue.removed.sorted().map { .string($0) })), ("packages", .array(packages)),
        ])
        var rest: [UInt8] = []
        document.write(to: &rest)
        let digest = Array(SHA256.hash(data: rest))
        var file = head
        file.reserveCapacity(rest.count + 128)
        file += Array(Hexadecimal.text(digest).utf8)
        file += middle
        file += rest
        file += Array("}\n".utf8)
        return (file, stamp(digest))
    }

    private static func stamp(_ digest: [UInt8]) -> UInt64 { digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    // MARK: Reading

    /// Reads a catalogue; nil if it is damaged.
    ///
    /// - Throws: ``CacheError`` if another version of the program wrote it.
    static func parse(_ bytes: [UInt8], path: String, in layout: CacheLayout) throws(CacheError)
        -> (Catalogue, stamp: UInt64)?
    {
        guard let (json, digest) = document(bytes), let found = json["version"]?.integer else { return nil }
        try require(found, path: path, in: layout)
        return catalogue(json).map { ($0, stamp(digest)) }
    }

    /// Reads a catalogue without a place in a cache; nil if it is damaged, or if another version of the program wrote it.
    static func parse(_ bytes: [UInt8]) -> Catalogue? {
        document(bytes).flatMap { $0.json["version"]?.integer == version ? catalogue($0.json) : nil }
    }

    /// Throws if another version of the program wrote a catalogue.
    static func require(_ found: Int64, path: String, in layout: CacheLayout) throws(CacheError) {
        if found < version { throw CacheError.olderCache(layout) }
        guard found > version else { return }
        throw CacheError(
            .newerCache,
            subject: path,
            message: "the cache has version \(found), but this program reads version \(version); use a newer afcache"
        )
    }

    /// Returns the JSON document in a file, and its digest; nil if that isn't right.
    static func document(_ bytes: [UInt8]) -> (json: JSONValue, digest: [UInt8])? {
        let start = head.count + 64 + middle.count
        guard bytes.count > start + 2, Head(bytes) != nil, bytes.suffix(2) == [UInt8(ascii: "}"), 0x0A] else {
            return nil
        }
        let rest = Array(bytes[start..<(bytes.count - 2)])
        let digest = Array(SHA256.hash(data: rest))
        guard Hexadecimal.text(digest).utf8.elementsEqual(bytes[head.count..<(head.count + 64)]) else { return nil }
        return (try? JSONValue(parsing: rest)).map { ($0, digest) }
    }

    private static func catalogue(_ json: JSONValue) -> Catalogue? {
        guard let change = json["change"]?.integer, let next = json["next"]?.integer, change >= 0, next > 0,
            let removed = json["removed"]?.array, let items = json["packages"]?.array
        else { return nil }
        var packages: [CataloguedPackage] = []
        var (names, folders): (Set<String>, Set<String>) = ([], [])
        for item in items {
            guard let name = item["name"]?.string, let settings = PackageSettings(item),
                let generations = item["generations"]?.array?.map({ Generation($0) }), let first = generations.first,
                let current = first, names.insert(name).inserted
            else { return nil }
            var package = CataloguedPackage(name: name, settings: settings, current: current)
            for generation in generations.dropFirst() {
                guard let generation else { return nil }
                package.older.append(generation)
            }
            for generation in package.generations where !folders.insert(generation.folder).inserted { return nil }
            packages.append(package)
        }
        var catalogue = Catalogue(packages: packages, limits: limits(json))
        for folder in removed {
            guard let folder = folder.string, OwnName.mayBeGeneration(folder) else { return nil }
            catalogue.removed.insert(folder)
        }
        (catalogue.change, catalogue.next) = (change, max(next, catalogue.next))
        return catalogue
    }

    /// Returns the limits in a catalogue.
    static func limits(_ json: JSONValue) -> CacheLimits {
        CacheLimits(
            bytes: json["limits"]?["bytes"]?.integer,
            entries: json["limits"]?["entries"]?.integer.map { Int($0) }
        )
    }
}

extension JSONValue {
    fileprivate static func number(_ value: Int64?) -> JSONValue { value.map { .number("\($0)") } ?? .null }
    fileprivate static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    // The file is untrusted, and sums of its values must not overflow.

    /// Returns a number of bytes, up to 8 TiB.
    func bytes(_ key: String) -> Int64? { self[key]?.integer.flatMap { (0...(1 << 43)).contains($0) ? $0 : nil } }

    /// Returns a number of entries.
    fileprivate func count(_ key: String) -> Int? {
        self[key]?.integer.flatMap { (0...Int64(Int32.max)).contains($0) ? Int($0) : nil }
    }

    /// Returns a time within some thousands of years.
    fileprivate func time(_ key: String) -> Timestamp? {
        self[key]?.integer.flatMap { $0.magnitude < 1 << 40 ? Timestamp(secondsSinceEpoch: $0) : nil }
    }
}

extension Generation {
    fileprivate var json: JSONValue {
        .object([
            ("id", .number("\(id)")), ("folder", .string(folder)),
            ("created", .number(created?.secondsSinceEpoch)), ("loaded", .number("\(loaded.secondsSinceEpoch)")),
            ("generator", .text(generator)), ("seeds", .array(seeds.map { .string($0) })),
            ("resources", .number("\(resources)")), ("bodyBytes", .number("\(bodyBytes)")),
            ("sharedBytes", .number("\(sharedBytes)")), ("latestExpiry", .number(latestExpiry?.secondsSinceEpoch)),
            ("missing", .number(missing.map(Int64.init))),
            ("indexDigest", .string(indexDigest)), ("source", .text(source)),
            ("signers", .array(signers.map { .string($0) })), ("evicted", evicted?.json ?? .null),
            ("origins", .array(origins.map(\.json))),
        ])
    }

    /// Reads a generation; nil if a value is none that this program writes.
    init?(_ json: JSONValue) {
        guard let id = json["id"]?.integer, (0..<(1 << 62)).contains(id), let folder = json["folder"]?.string,
            OwnName.mayBeGeneration(folder), let loaded = json.time("loaded"), let resources = json.count("resources"),
            let bodyBytes = json.bytes("bodyBytes"), let sharedBytes = json.bytes("sharedBytes"),
            let indexDigest = json["indexDigest"]?.string
        else { return nil }
        self.init(
            id: id,
            folder: folder,
            created: json.time("created"),
            loaded: loaded,
            generator: json["generator"]?.string,
            seeds: (json["seeds"]?.array ?? []).compactMap(\.string),
            resources: resources,
            bodyBytes: bodyBytes,
            sharedBytes: sharedBytes,
            latestExpiry: json.time("latestExpiry"),
            missing: json.count("missing"),
            indexDigest: indexDigest,
            source: json["source"]?.string,
            signers: (json["signers"]?.array ?? []).compactMap(\.string)
        )
        if let found = json["evicted"], found != .null {
            guard let evicted = EvictedEntries(found), evicted.count <= resources, evicted.bytes <= bodyBytes else {
                return nil
            }
            self.evicted = evicted
        }
        for item in json["origins"]?.array ?? [] {
            guard let origin = CataloguedOrigin(item) else { return nil }
            origins.append(origin)
        }
    }
}

extension EvictedEntries {
    fileprivate var json: JSONValue {
        .object([
            ("file", .string(file)), ("sha256", .string(digest)), ("entries", .number("\(count)")),
            ("bytes", .number("\(bytes)")),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let file = json["file"]?.string, OwnName.isBitmap(file), let digest = json["sha256"]?.string,
            let count = json.count("entries"), let bytes = json.bytes("bytes")
        else { return nil }
        self.init(file: file, digest: digest, count: count, bytes: bytes)
    }
}

extension CataloguedOrigin {
    fileprivate var json: JSONValue {
        .object([
            ("origin", .string(origin)), ("host", .string(host)), ("resources", .number("\(resources)")),
            ("bytes", .number("\(bytes)")), ("start", .text(start)),
        ])
    }

    /// Reads an origin; nil if a value is none that this program writes.
    init?(_ json: JSONValue) {
        guard let origin = json["origin"]?.string, let host = json["host"]?.string,
            let resources = json.count("resources"), let bytes = json.bytes("bytes")
        else { return nil }
        self.init(origin: origin, host: host, resources: resources, bytes: bytes, start: json["start"]?.string)
    }
}
