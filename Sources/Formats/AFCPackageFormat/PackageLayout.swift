/// The fixed names inside a package, and what a package may cost its reader; see docs/format.md.
public enum PackageLayout {
    /// The member that holds one line for each resource with a body.
    public static let manifest = "manifest.afcache"
    /// The member with format version, generator, seeds and counts.
    public static let info = ".afcache/package.json"
    /// The member with one JSON record a line.
    public static let records = ".afcache/resources.jsonl"
    /// The member that says which crawl brought the package.
    public static let crawl = ".afcache/crawl.json"
    /// The member with one signature a line.
    public static let signature = ".afcache/signature"
    /// The folder of what the manifest has no room for, with its slash.
    public static let sidecarFolder = ".afcache/"
    /// The folder of what is carried along and never served, with its slash.
    public static let userDataFolder = ".userdata/"
    /// The version of the format that this program writes, and the newest that it reads.
    public static let formatVersion = 1

    /// The most bytes that the manifest, or one part of the sidecar, may have.
    public static let metadataByteLimit = 512 << 20
    /// The most bytes that all bodies may have.
    public static let bodyByteLimit: Int64 = 64 << 30
    /// The most bytes that the member with the crawl may have.
    public static let crawlByteLimit = 16 << 20
    /// The most bytes that the member with the signatures may have.
    public static let signatureByteLimit = 64 << 10
    /// The most bytes that a line of the manifest or of the sidecar may have.
    public static let lineByteLimit = 64 << 10
    /// The most bytes that a URL may have.
    public static let urlByteLimit = 8 << 10
    /// The fewest bytes of a body that several entries share: for less it isn't worth a member's name in the manifest.
    public static let sharedBodySize: Int64 = 1 << 10
}
