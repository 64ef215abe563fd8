public import AFCCache
internal import AFCDelivery
internal import AFCText

/// The origin of a loaded package, as the cache remembers it for the next update.
public struct PackageOrigin: Sendable, Equatable {
    /// The location that the package was downloaded from, for people; nil for a file.
    public let location: String?
    /// The SHA-256 of the file in hexadecimal digits; nil if it wasn't computed.
    public let sha256: String?
    /// The digest of the contents in hexadecimal digits; nil if an older version loaded the package.
    public let digest: String?
    /// The text that is remembered, without what may be secret in a URL.
    public let text: String

    /// True if the package was loaded from a file.
    var isFile: Bool { location == nil }

    /// Creates the origin of a file.
    init(sha256: String? = nil, digest: String? = nil) {
        (location, self.sha256, self.digest) = (nil, sha256, digest)
        text = [sha256.map { "sha256:" + $0 }, digest.map { "digest:" + $0 }].compactMap(\.self).joined(separator: " ")
    }

    private init(_ state: RemoteState) {
        (location, sha256, digest, text) = (state.location.shown, state.sha256, state.digest, state.text)
    }

    /// Reads a remembered text.
    init(text: String) {
        if let state = RemoteState(text: text) {
            self.init(state)
            return
        }
        func value(_ name: String) -> String? {
            text.split(separator: " ").last { $0.hasPrefix(name) }.map { String($0.dropFirst(name.utf8.count)) }
        }
        self.init(sha256: value("sha256:"), digest: value("digest:"))
    }
}

extension InstalledPackage {
    /// The origin of the package; nil if whoever loaded it stated none.
    public var origin: PackageOrigin? { source.map { PackageOrigin(text: $0) } }
}
