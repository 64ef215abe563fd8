public import AFCHTTP
internal import AFCText

/// What `.afcache/package.json` says of the whole package.
public struct PackageInfo: Equatable, Sendable {
    /// Why the member can't be used.
    public enum Malformation: Error, Equatable, Sendable {
        /// It is not JSON, or not an object.
        case notJSON
        /// It has no format version.
        case noVersion
        /// It was written for a newer reader.
        case newerVersion(Int64)
    }

    /// The version of the format.
    public var format: Int
    /// The program and its version, for example `afcache/0.1.0`.
    public var generator: String?
    /// When the package was made.
    public var created: Timestamp?
    /// The URLs that the crawl began with, or the base URL of a folder.
    public var seeds: [String]
    /// How many resources have an entry.
    public var resources: Int64?
    /// How many redirects are recorded.
    public var redirects: Int64?
    /// The bytes of all bodies.
    public var bodyBytes: Int64?

    /// Creates the description of a package in the present version of the format.
    public init(
        generator: String?,
        created: Timestamp?,
        seeds: [String] = [],
        resources: Int64? = nil,
        redirects: Int64? = nil,
        bodyBytes: Int64? = nil
    ) {
        format = PackageLayout.formatVersion
        self.generator = generator
        self.created = created
        self.seeds = seeds
        self.resources = resources
        self.redirects = redirects
        self.bodyBytes = bodyBytes
    }

    /// Reads the member.
    ///
    /// Values that aren't of the documented type are left out: nothing but the version decides whether a package loads.
    ///
    /// - Throws: ``Malformation`` where it can't be used.
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
        generator = json["generator"]?.string
        created = json["created"]?.string.flatMap { Timestamp(iso8601: $0) }
        seeds = json["seeds"]?.array?.compactMap(\.string) ?? []
        resources = json["resources"]?.integer
        redirects = json["redirects"]?.integer
        bodyBytes = json["bodyBytes"]?.integer
    }

    /// The member's text: an object with one member a line.
    public var bytes: [UInt8] {
        var members: [(String, JSONValue)] = [("format", .number(String(format)))]
        if let generator { members.append(("generator", .string(generator))) }
        if let created { members.append(("created", .string(created.iso8601))) }
        members.append(("seeds", .array(seeds.map { .string($0) })))
        if let resources { members.append(("resources", .number(String(resources)))) }
        if let redirects { members.append(("redirects", .number(String(redirects)))) }
        if let bodyBytes { members.append(("bodyBytes", .number(String(bodyBytes)))) }
        let lines = members.map { "  \(JSONValue.string($0.0).serialized): \($0.1.serialized)" }
        return Array(("{\n" + lines.joined(separator: ",\n") + "\n}\n").utf8)
    }
}
