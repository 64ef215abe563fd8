public import AFCURL
internal import Crypto

/// Gives each body of a package a name that is readable, ASCII, portable, and depends only on the set of URLs.
///
/// The member rule's name is used if it is portable and unique; otherwise a name is made. See docs/reference/format.md.
public struct MemberNaming: Sendable {
    /// A member's name, and whether the manifest must state it.
    public struct Name: Equatable, Sendable {
        /// The member's name.
        public var member: String
        /// True if the name differs from the member rule's, so that the entry needs its fifth field.
        public var isMade: Bool
    }

    /// The folders of all names that the URLs ask for.
    private var folders: Set<NameHash> = []
    private var taken: Set<NameHash> = []
    /// The folder that was noted last; neighboring URLs mostly share their folder.
    private var lastFolder: [UInt8] = []

    /// Creates a naming that knows no URL.
    ///
    /// Names are given in two passes: first every URL is noted, then every URL is named. A 128-bit hash is kept of each
    /// URL.
    public init() {}

    /// Notes a URL.
    ///
    /// All URLs must be noted before any is named.
    public mutating func note(_ url: WebURL) {
        var name = NameHash.folded(Self.candidate(for: url).member)
        guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return }
        name.removeSubrange(slash...)
        guard name != lastFolder else { return }
        lastFolder = name
        while folders.insert(NameHash(name)).inserted, let slash = name.lastIndex(of: UInt8(ascii: "/")) {
            name.removeSubrange(slash...)
        }
    }

    /// Names a URL.
    ///
    /// URLs must come sorted by their bytes, each once, and all must have been noted.
    public mutating func name(for url: WebURL) -> Name {
        var name = Self.candidate(for: url)
        var key = NameHash(NameHash.folded(name.member))
        var attempt = 1
        while folders.contains(key) || !taken.insert(key).inserted {
            name = Name(member: Self.hashed(url, attempt: attempt), isMade: true)
            key = NameHash(NameHash.folded(name.member))
            attempt += 1
        }
        return name
    }

    /// Returns names for sorted, distinct URLs, in the same order.
    public static func names(forSorted urls: [WebURL]) -> [Name] {
        var naming = MemberNaming()
        for url in urls { naming.note(url) }
        return urls.map { naming.name(for: $0) }
    }

    /// Returns true if Linux, macOS and Windows can all hold a file with this name.
    public static func isPortable(_ name: String) -> Bool {
        name[...].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { PortableName.isFileName($0) }
    }

    static func candidate(for url: WebURL) -> Name {
        let ruleName = MemberRule.name(for: url)
        if isUsable(ruleName, for: url) { return Name(member: ruleName, isMade: false) }
        let isOnlyMoved = url.query == nil && parts(of: url).allSatisfy { PortableName.isPortable(part: $0) }
        let plain = folder(of: url) + leaf(of: url, hash: nil)
        if isOnlyMoved, PortableName.isPortable(host: url.host ?? ""), plain.utf8.count <= PortableName.nameByteLimit {
            return Name(member: plain, isMade: true)
        }
        return Name(member: hashed(url, attempt: 1), isMade: true)
    }

    private static func isUsable(_ name: String, for url: WebURL) -> Bool {
        guard url.query == nil, url.port == nil, !url.path.utf8.isEmpty, url.path.utf8.last != UInt8(ascii: "/"),
            let host = url.host, PortableName.isPortable(host: host), name.utf8.count <= PortableName.nameByteLimit
        else { return false }
        return parts(of: url).allSatisfy { PortableName.isPortable(part: $0) }
    }

    /// Returns the parts of the path between its slashes; runs of slashes count as one.
    private static func parts(of url: WebURL) -> [Substring.UTF8View] {
        url.path[...].utf8.split(separator: UInt8(ascii: "/"))
    }

    static func hashed(_ url: WebURL, attempt: Int) -> String {
        let digest = SHA256.hash(data: Array(url.description.utf8))
        var hash = ""
        for byte in digest.prefix(6) { hash += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        if attempt > 1 { hash += "-\(attempt)" }
        return folder(of: url) + leaf(of: url, hash: hash)
    }

    /// Returns the host and the folders, each made portable and followed by a slash.
    private static func folder(of url: WebURL) -> String {
        var host = url.host ?? ""
        if !PortableName.isPortable(host: host) {
            let readable = PortableName.readable(host, limit: 60)
            host = "~" + (readable.hasPrefix(".") ? String(readable.dropFirst()) : readable)
        }
        if let port = url.port { host += "+\(port)" }
        var result = host + "/"
        var folders = parts(of: url)
        if url.path.utf8.last != UInt8(ascii: "/") { _ = folders.popLast() }
        for part in folders {
            let text = Substring(part)
            let name = PortableName.isPortable(part: part) ? String(text) : PortableName.readable(text, limit: 40) + "~"
            guard result.utf8.count + name.utf8.count < 120 else { break }
            result += name + "/"
        }
        return result
    }

    private static func leaf(of url: WebURL, hash: String?) -> String {
        let isFolder = url.path.utf8.last == UInt8(ascii: "/") || url.path.utf8.isEmpty
        var stem = isFolder ? "~index" : parts(of: url).last.map { String(Substring($0)) } ?? "~index"
        guard let hash else { return stem }
        var suffix = ""
        if let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
            let text = stem[stem.index(after: dot)...]
            if (1...12).contains(text.utf8.count), text.utf8.allSatisfy(PortableName.isPlain) {
                suffix = "." + text
                stem = String(stem[..<dot])
            }
        }
        if !isFolder { stem = PortableName.readable(stem, limit: 40) }
        if let query = url.query {
            let text = PortableName.readable(query, limit: 32)
            if !text.isEmpty { stem += "~" + text }
        }
        return stem + "~" + hash + suffix
    }
}

/// A hash of a name for detecting repetitions: 128 bits of its SHA-256, so that collisions can't be constructed.
struct NameHash: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ name: [UInt8]) {
        let digest = SHA256.hash(data: name)
        (high, low) = digest.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    static func == (one: NameHash, other: NameHash) -> Bool { one.high == other.high && one.low == other.low }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// Returns the bytes of an ASCII name in lower case.
    static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
