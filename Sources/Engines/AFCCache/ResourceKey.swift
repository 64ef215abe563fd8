internal import AFCURL
internal import Crypto

/// The name under which a cache has what belongs to a resource, made of its URL.
///
/// Whatever finds, receives or invalidates takes a key, so that this is the place of a rule that two URLs are one resource.
/// An index and the received responses keep text and hash of keys: such a rule is a new version of both.
struct ResourceKey: Hashable, Sendable {
    /// The URL as it is serialised.
    let text: String
    /// The host by which packages are found.
    let host: String
    /// The number by which it is found on the disk.
    let hash: UInt64

    /// Creates the key of a URL.
    init(_ url: WebURL) {
        text = url.description
        host = url.host ?? ""
        hash = Self.hash(text)
    }

    /// Creates the key of a URL that was stored; nil where that is none.
    init?(stored text: String) {
        guard let url = try? WebURL(text) else { return nil }
        self.init(url)
    }

    /// The hash of a URL: the first 8 bytes of its SHA-256.
    static func hash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in
            SHA256.hash(data: bytes).withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
    }
}
