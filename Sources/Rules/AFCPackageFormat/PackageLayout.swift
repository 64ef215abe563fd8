/// The fixed names inside a package, and the limits on what reading it may cost.
///
/// See docs/reference/format.md.
public enum PackageLayout {
    /// The member with one line for each resource that has a body.
    public static let manifest = "manifest.afcache"
    /// The member with format version, generator, seeds and counts.
    public static let info = ".afcache/package.json"
    /// The member with one JSON record per line.
    public static let records = ".afcache/resources.jsonl"
    /// The member that describes the crawl that made the package.
    public static let crawl = ".afcache/crawl.json"
    /// The member with the rules for parameters that make no difference.
    public static let match = ".afcache/match.json"
    /// The member with the pages for navigations to URLs that the package doesn't have.
    public static let fallback = ".afcache/fallback.json"
    /// The member with the URLs that the site doesn't have.
    public static let absent = ".afcache/absent"
    /// The member with one signature per line.
    public static let signature = ".afcache/signature"
    /// The member that only patches have, which aren't packages; see docs/reference/patches.md.
    public static let patch = ".afcache/delta"
    /// The folder of the sidecar, with its slash.
    public static let sidecarFolder = ".afcache/"
    /// The folder of user data, which is never served, with its slash.
    public static let userDataFolder = ".userdata/"
    /// The members of the sidecar that a WACZ of the package keeps.
    package static let keptInCollection = [info, crawl, match, fallback, absent, records]

    /// Returns the name that a WACZ gives a member of the sidecar: validators read every file with a suffix.
    package static func collectionName(of member: String) -> String {
        "afcache/" + member.dropFirst(sidecarFolder.count).prefix { $0 != "." }
    }
    /// The version of the format that this program writes, and the newest version that it reads.
    public static let formatVersion = 1

    /// The maximum size of the manifest, or of one part of the sidecar, in bytes.
    public static let metadataByteLimit = 512 << 20
    /// The maximum size of all bodies together, in bytes.
    public static let bodyByteLimit: Int64 = 64 << 30
    /// The maximum size of the member that describes the crawl, in bytes.
    public static let crawlByteLimit = 16 << 20
    /// The maximum size of the member with the rules for parameters, in bytes.
    public static let matchByteLimit = 64 << 10
    /// The maximum size of the member with the fallbacks, in bytes.
    public static let fallbackByteLimit = 64 << 10
    /// The maximum size of the member with the URLs that the site doesn't have, in bytes.
    public static let absentByteLimit = 4 << 20
    /// The maximum size of the member with the signatures, in bytes.
    public static let signatureByteLimit = 64 << 10
    /// The maximum length of a line of the manifest or of the sidecar, in bytes.
    public static let lineByteLimit = 64 << 10
    /// The maximum length of a URL, in bytes.
    public static let urlByteLimit = 8 << 10
    /// The minimum size of a body that several entries share, in bytes: a smaller one isn't worth a fifth field in the
    /// manifest.
    public static let sharedBodySize: Int64 = 1 << 10

    /// Returns true if a member describes the package, and so isn't a body or user data.
    ///
    /// - Parameter name: The name of the member.
    /// - Returns: True for the manifest and for members of the sidecar.
    public static func isDescription(_ name: String) -> Bool { name == manifest || name.hasPrefix(sidecarFolder) }
}
