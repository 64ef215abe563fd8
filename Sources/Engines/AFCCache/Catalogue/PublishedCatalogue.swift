internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import Crypto
internal import GRDB

/// The catalogue for readers: a file that each change replaces as a whole.
///
/// Readers need no SQLite, no lock, no write permission and no free space; docs/cache.md gives the reasons. The file is
/// one JSON document that begins with the SHA-256 of the rest.
struct PublishedCatalogue: Sendable, Equatable {
    /// The packages, sorted by name.
    var packages: [CataloguedPackage] = []
    /// The origins of the current generations, by the number of the generation.
    var origins: [Int64: [CataloguedOrigin]] = [:]
    /// The limits of the cache.
    var limits = CacheLimits()

    /// The maximum size of the file in bytes.
    ///
    /// A larger catalogue isn't published, and readers use the database.
    static let byteLimit = 64 << 20

    /// Returns the content of the SQLite tables.
    static func fetch(_ db: Database) throws -> PublishedCatalogue {
        var catalogue = PublishedCatalogue()
        catalogue.packages = try CataloguedPackage.fetchAll(db)
        catalogue.limits = try CacheLimits.fetch(db)
        let current = Set(catalogue.packages.map(\.current.id))
        for row in try Row.fetchAll(db, sql: "SELECT * FROM origin ORDER BY generation, origin") {
            let generation: Int64 = try row.value("generation")
            if current.contains(generation) {
                catalogue.origins[generation, default: []].append(try CataloguedOrigin(row))
            }
        }
        return catalogue
    }
}

// MARK: The file

extension PublishedCatalogue {
    /// The values that distinguish a file from the one that replaced it.
    struct Mark: Sendable, Equatable {
        private let numbers: [UInt64]
        private let time: FileTime

        fileprivate init(_ status: stat) {
            numbers = [
                UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino), UInt64(clamping: status.st_size),
            ]
            time = FileTime(status)
        }

        /// Reads the mark of the current file; nil if there is none.
        init?(_ layout: CacheLayout) {
            var status = stat()
            guard lstat(layout.published, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    /// A catalogue that was read.
    struct Reading: Sendable {
        var catalogue: PublishedCatalogue
        /// The first bytes of the catalogue's digest.
        var stamp: UInt64
        /// The mark of the file it was read from; nil for the SQLite database.
        var mark: Mark?

        /// Creates a reading that doesn't come from the file.
        init(_ catalogue: PublishedCatalogue) {
            (self.catalogue, stamp) = (catalogue, catalogue.serialized.stamp)
        }

        fileprivate init(_ catalogue: PublishedCatalogue, stamp: UInt64, mark: Mark) {
            (self.catalogue, self.stamp, self.mark) = (catalogue, stamp, mark)
        }
    }

    /// Reads the file.
    ///
    /// - Returns: The catalogue, or nil if there is no file.
    /// - Throws: ``CacheError`` if it can't be read or is damaged.
    static func read(_ layout: CacheLayout) throws(CacheError) -> Reading? {
        let path = layout.published
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system("cannot open the catalogue", path: path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CacheError(.damaged, subject: path, message: "this must be a regular file; remove it")
        }
        guard status.st_size <= byteLimit else { throw damaged(path) }
        guard let bytes = contents(descriptor, Int(status.st_size)) else { throw .system("cannot read", path: path) }
        guard let (catalogue, stamp) = try parse(bytes, path: path) else { throw damaged(path) }
        return Reading(catalogue, stamp: stamp, mark: Mark(status))
    }

    /// Returns the published catalogue or, if it is missing or damaged, the content of the database.
    ///
    /// - Throws: ``CacheError`` if neither can be read.
    static func current(_ layout: CacheLayout) throws(CacheError) -> Reading {
        let damage: CacheError
        do throws(CacheError) {
            guard let reading = try read(layout) else { return try unpublished(layout) }
            return reading
        } catch {
            guard error.code == .damaged, Mark(layout) != nil else { throw error }
            damage = error
        }
        do throws(CacheError) {
            return try unpublished(layout)
        } catch {
            throw damage
        }
    }

    /// Returns the current catalogue, or nil if the folder was removed or emptied, so that there is no cache any more.
    ///
    /// - Throws: ``CacheError`` if there is one, or other things are in the folder, and it can't be read.
    static func currentIfThere(_ layout: CacheLayout) throws(CacheError) -> Reading? {
        do throws(CacheError) {
            return try current(layout)
        } catch {
            guard FolderKind.isGone(layout) else { throw error }
            return nil
        }
    }

    private static func unpublished(_ layout: CacheLayout) throws(CacheError) -> Reading {
        Reading(try CacheDatabase.read(layout) { db in try fetch(db) })
    }

    static func contents(_ descriptor: Int32, _ size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        guard let count = bytes.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0, at: 0) }) else {
            return nil
        }
        return Array(bytes[..<count])
    }

    static func damaged(_ path: String) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: "the catalogue is damaged",
            remedy: .repairCache(nil)
        )
    }

    /// Replaces the file unless its content is the same.
    ///
    /// When this returns, the change survives a power failure.
    ///
    /// - Returns: True if the file was replaced.
    @discardableResult
    func publish(_ layout: CacheLayout) throws(CacheError) -> Bool {
        // Anything else at the path is replaced, even if it can't be read.
        if let known = try? Self.read(layout), known.catalogue == self { return false }
        let bytes = serialized.bytes
        guard bytes.count <= Self.byteLimit else {
            guard unlink(layout.published) == 0 || errno == ENOENT else {
                throw .system("cannot remove", path: layout.published)
            }
            return true
        }
        let draft = OwnName.temporary()
        do throws(CacheError) {
            let root = try OpenFolder(path: layout.root)
            try root.replace(CacheLayout.publishedName, with: bytes, by: try root.folder("staging"), as: draft)
            try Folders.syncNames(layout.root)
        } catch {
            unlink(layout.staging + "/" + draft)
            var error = error
            error.message += "; the change was made, but readers see it only after the next one"
            throw error
        }
        return true
    }

    // MARK: Format

    private static let head = Array(#"{"sha256":""#.utf8)
    private static let middle = Array(#"","catalogue":"#.utf8)
    private static let version: Int64 = 1

    /// The bytes of the file, and the first bytes of the digest in them.
    var serialized: (bytes: [UInt8], stamp: UInt64) {
        let packages = packages.map { package in
            JSONValue.object(
                [
                    ("name", .string(package.name))
                ] + package.settings.json + [
                    ("current", package.current.json), ("previous", package.previous?.json ?? .null),
                    ("origins", .array((origins[package.current.id] ?? []).map(\.json))),
                ]
            )
        }
        let document = JSONValue.object([
            ("version", .number("\(Self.version)")),
            (
                "limits",
                .object([("bytes", .number(limits.bytes)), ("entries", .number(limits.entries.map { Int64($0) }))])
            ),
            ("packages", .array(packages)),
        ])
        var rest: [UInt8] = []
        document.write(to: &rest)
        let digest = Array(SHA256.hash(data: rest))
        let head = Self.head + Array(Hexadecimal.text(digest).utf8) + Self.middle
        return (head + rest + Array("}\n".utf8), Self.stamp(digest))
    }

    private static func stamp(_ digest: [UInt8]) -> UInt64 { digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    static func parse(_ bytes: [UInt8], path: String) throws(CacheError) -> (PublishedCatalogue, UInt64)? {
        let start = head.count + 64 + middle.count
        guard bytes.count > start + 2, bytes.starts(with: head), bytes[(head.count + 64)...].starts(with: middle),
            bytes.suffix(2) == [UInt8(ascii: "}"), 0x0A]
        else { return nil }
        let rest = Array(bytes[start..<(bytes.count - 2)])
        let digest = Array(SHA256.hash(data: rest))
        guard Hexadecimal.text(digest).utf8.elementsEqual(bytes[head.count..<(head.count + 64)]) else { return nil }
        // The digest is right, so only another version of the program can have written something else.
        guard let json = try? JSONValue(parsing: rest), let found = json["version"]?.integer else { return nil }
        guard found <= version else {
            throw CacheError(
                .newerCache,
                subject: path,
                message: "the catalogue has version \(found), but this program reads versions up to \(version); "
                    + "use a newer afcache"
            )
        }
        guard let catalogue = PublishedCatalogue(json) else { return nil }
        return (catalogue, stamp(digest))
    }

    private init?(_ json: JSONValue) {
        limits = CacheLimits(
            bytes: json["limits"]?["bytes"]?.integer,
            entries: json["limits"]?["entries"]?.integer.map { Int($0) }
        )
        for package in json["packages"]?.array ?? [] {
            guard let name = package["name"]?.string, let settings = PackageSettings(package),
                let current = package["current"].flatMap({ Generation($0) })
            else { return nil }
            var previous: Generation?
            if let json = package["previous"], json != .null {
                guard let generation = Generation(json) else { return nil }
                previous = generation
            }
            packages.append(
                CataloguedPackage(
                    name: name,
                    settings: settings,
                    current: current,
                    previous: previous
                )
            )
            for json in package["origins"]?.array ?? [] {
                guard let origin = CataloguedOrigin(json) else { return nil }
                origins[current.id, default: []].append(origin)
            }
        }
    }
}

extension JSONValue {
    fileprivate static func number(_ value: Int64?) -> JSONValue { value.map { .number("\($0)") } ?? .null }
    fileprivate static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    // The file is untrusted, and sums of its values must not overflow.

    /// Returns a number of bytes, up to 8 TiB.
    fileprivate func bytes(_ key: String) -> Int64? {
        self[key]?.integer.flatMap { (0...(1 << 43)).contains($0) ? $0 : nil }
    }

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
            ("indexDigest", .string(indexDigest)), ("source", .text(source)),
            ("signers", .array(signers.map { .string($0) })), ("displaced", .string(NumberRuns.text(evicted))),
            ("displacedBytes", .number("\(evictedBytes)")),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.integer, let folder = json["folder"]?.string, OwnName.mayBeGeneration(folder),
            let loaded = json.time("loaded"), let resources = json.count("resources"),
            let bodyBytes = json.bytes("bodyBytes"), let sharedBytes = json.bytes("sharedBytes"),
            let evictedBytes = json.bytes("displacedBytes"), let indexDigest = json["indexDigest"]?.string,
            let evicted = json["displaced"]?.string.flatMap({ NumberRuns.numbers($0, upTo: resources) })
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
            indexDigest: indexDigest,
            source: json["source"]?.string,
            signers: (json["signers"]?.array ?? []).compactMap(\.string),
            evicted: evicted,
            evictedBytes: evictedBytes
        )
    }

}

extension CataloguedOrigin {
    fileprivate var json: JSONValue {
        .object([
            ("origin", .string(origin)), ("host", .string(host)), ("resources", .number("\(resources)")),
            ("bytes", .number("\(bytes)")), ("start", .text(start)),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let origin = json["origin"]?.string, let host = json["host"]?.string,
            let resources = json.count("resources"), let bytes = json.bytes("bytes")
        else { return nil }
        self.init(origin: origin, host: host, resources: resources, bytes: bytes, start: json["start"]?.string)
    }
}

/// A set of numbers as text: `0-5,7`.
private enum NumberRuns {
    static func text(_ numbers: Set<UInt32>) -> String {
        var runs: [ClosedRange<UInt32>] = []
        for number in numbers.sorted() {
            if let last = runs.last, last.upperBound &+ 1 == number {
                runs[runs.count - 1] = last.lowerBound...number
            } else {
                runs.append(number...number)
            }
        }
        return runs.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    /// Parses the numbers; nil if the text is malformed or has a number that no entry has.
    static func numbers(_ text: String, upTo resources: Int) -> Set<UInt32>? {
        // No package has more entries, so a short text can't expand to gigabytes.
        let limit = min(resources, 1 << 22)
        var numbers: Set<UInt32> = []
        for run in text.split(separator: ",") {
            let bounds = run.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last,
                Int(last) < limit
            else { return nil }
            numbers.formUnion(first...last)
        }
        return numbers
    }
}
