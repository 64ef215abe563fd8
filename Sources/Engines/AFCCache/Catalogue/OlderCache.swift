internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText

/// Caches of earlier versions of this program, whose catalogue was an SQLite database.
///
/// They are recognized, refused, and rebuilt by a repair from what lies beside the database: a document of version 1,
/// published for readers and kept as a record in each generation.
enum OlderCache {
    /// The database and its companions.
    static let names = ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"]

    /// Returns true if a folder contains the database of a cache, which bears the application ID "afch" (SQLite's file
    /// format, 1.3).
    static func isThere(_ root: OpenFolder) -> Bool {
        guard let descriptor = (try? root.file(names[0])) ?? nil else { return false }
        defer { close(descriptor) }
        return CatalogueFile.contents(descriptor, 72)?.suffix(4).elementsEqual("afch".utf8) ?? false
    }

    /// The values in a document of version 1.
    struct Document {
        var packages: [CataloguedPackage] = []
        var limits: CacheLimits
        /// The evicted entries and the size of their bodies, by the generation's folder.
        var evicted: [String: (bitmap: EvictionBitmap, bytes: Int64)] = [:]

        /// Reads a document; nil if it is damaged, or of another version.
        init?(_ bytes: [UInt8]) {
            guard let (json, _) = CatalogueFormat.document(bytes), json["version"]?.integer == 1 else { return nil }
            limits = CatalogueFormat.limits(json)
            for item in json["packages"]?.array ?? [] {
                guard let name = item["name"]?.string, let settings = PackageSettings(item),
                    let current = item["current"].flatMap({ generation($0) })
                else { return nil }
                var package = CataloguedPackage(name: name, settings: settings, current: current)
                if let found = item["previous"], found != .null {
                    guard let previous = generation(found) else { return nil }
                    package.older = [previous]
                }
                // Those of the previous generation are counted from its index.
                package.current.origins = (item["origins"]?.array ?? []).compactMap { CataloguedOrigin($0) }
                packages.append(package)
            }
        }

        private mutating func generation(_ json: JSONValue) -> Generation? {
            guard let generation = Generation(json), let text = json["displaced"]?.string,
                let bytes = json.bytes("displacedBytes"),
                let bitmap = Self.bitmap(text, entries: generation.resources)
            else { return nil }
            if bitmap.count > 0 { evicted[generation.folder] = (bitmap, bytes) }
            return generation
        }

        /// Reads runs of numbers, as in `0-5,7`; nil if the text is malformed or has a number that no entry has.
        private static func bitmap(_ text: String, entries: Int) -> EvictionBitmap? {
            guard !text.isEmpty else { return EvictionBitmap(entries: 0) }
            // No package has more entries, so a short text can't take gigabytes.
            guard entries <= 1 << 22 else { return nil }
            var bitmap = EvictionBitmap(entries: entries)
            for run in text.split(separator: ",") {
                let bounds = run.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
                guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last,
                    Int(last) < entries
                else { return nil }
                for number in first...last { bitmap.insert(number) }
            }
            return bitmap
        }
    }
}
