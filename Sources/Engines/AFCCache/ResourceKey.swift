internal import AFCURL
internal import Crypto

/// The key under which a cache stores data about a resource, computed from its URL.
///
/// Everything that finds, receives or invalidates responses uses a key, so a rule that two URLs are one resource
/// belongs here. The index and the received responses store texts and hashes of keys: such a rule needs a new version
/// of both.
struct ResourceKey: Hashable, Sendable {
    /// The URL as serialized.
    let text: String
    /// The host by which packages are found.
    let host: String
    /// The number by which the resource is found on disk.
    let hash: UInt64

    /// Creates the key of a URL.
    init(_ url: WebURL) {
        text = url.description
        host = url.host ?? ""
        hash = Self.hash(text)
    }

    /// Creates the key of a stored URL; nil if the text is not a URL.
    init?(stored text: String) {
        guard let url = try? WebURL(text) else { return nil }
        self.init(url)
    }

    /// The key of the equivalent spelling in normal form, under which received responses are stored.
    var normal: ResourceKey { EquivalentSpelling.normal(text).flatMap(Self.init(stored:)) ?? self }

    /// Returns the hash of a URL: the first 8 bytes of its SHA-256.
    static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in
            SHA256.hash(data: bytes).withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
    }
}
