public import AFCHTTP
internal import AFCText

/// The contents of `.afcache/package.json`, which describe the whole package.
public struct PackageInfo: Equatable, Sendable {
    /// The reason why the member can't be used.
    public enum Malformation: Error, Equatable, Sendable {
        /// The member is not JSON, or not an object.
        case notJSON
        /// The member has no format version.
        case noVersion
        /// The member was written for a newer reader.
        case newerVersion(Int64)
    }

    /// The version of the format.
    public var format: Int
    /// The name of the package, by which caches replace its older version; nil if it states none that can be used.
    public var name: String?
    /// True if the member states a name that can't be used.
    public private(set) var hasInvalidName = false
    /// The program and its version, for example `afcache/0.2.0`.
    public var generator: String?
    /// The time when the package was made.
    public var created: Timestamp?
    /// The URLs that the crawl began with, or the base URL of a folder.
    public var seeds: [String]
    /// The number of resources that have an entry.
    public var resources: Int64?
    /// The number of recorded redirects.
    public var redirects: Int64?
    /// The size of all bodies together, in bytes.
    public var bodyBytes: Int64?
    /// The number of URLs that the crawl requested and didn't get, without guesses; nil if none or unknown, or if
    /// `.afcache/crawl.json` lists them.
    package var missing: Int64?

    /// Creates the description of a package in the current version of the format.
    public init(
        name: String? = nil,
        generator: String?,
        created: Timestamp?,
        seeds: [String] = [],
        resources: Int64? = nil,
        redirects: Int64? = nil,
        bodyBytes: Int64? = nil
    ) {
        format = PackageLayout.formatVersion
        self.name = name
        self.generator = generator
        self.created = created
        self.seeds = seeds
        self.resources = resources
        self.redirects = redirects
        self.bodyBytes = bodyBytes
    }

    /// Reads the member.
    ///
    /// Values of another type than documented are ignored: only the version decides whether a package loads.
    ///
    /// - Throws: ``Malformation`` if the member can't be used.
    public init(_ bytes: [UInt8]) throws(Malformation) {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .notJSON
        }
        guard case .object = json else { throw .notJSON }
        guard let version = json["format"]?.integer, version >= 1 else { throw .noVersion }
        guard version <= PackageLayout.formatVersion else { throw .newerVersion(version) }
        format = Int(version)
        let stated = json["name"]
        name = stated?.string.flatMap { PackageName.isValidInside($0) ? $0 : nil }
        hasInvalidName = stated != nil && name == nil
        generator = json["generator"]?.string
        created = json["created"]?.string.flatMap { Timestamp(iso8601: $0) }
        seeds = json["seeds"]?.array?.compactMap(\.string) ?? []
        resources = json["resources"]?.integer
        redirects = json["redirects"]?.integer
        bodyBytes = json["bodyBytes"]?.integer
        missing = json["missing"]?.integer.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The text of the member: an object with one property per line.
    public var bytes: [UInt8] {
        var members: [(String, JSONValue)] = [("format", .number(String(format)))]
        if let name { members.append(("name", .string(name))) }
        if let generator { members.append(("generator", .string(generator))) }
        if let created { members.append(("created", .string(created.iso8601))) }
        members.append(("seeds", .array(seeds.map { .string($0) })))
        if let resources { members.append(("resources", .number(String(resources)))) }
        if let redirects { members.append(("redirects", .number(String(redirects)))) }
        if let bodyBytes { members.append(("bodyBytes", .number(String(bodyBytes)))) }
        if let missing { members.append(("missing", .number(String(missing)))) }
        let lines = members.map { "  \(JSONValue.string($0.0).serialized): \($0.1.serialized)" }
        return Array(("{\n" + lines.joined(separator: ",\n") + "\n}\n").utf8)
    }
}
