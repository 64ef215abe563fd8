public import AFCText
public import AFCURL

/// The name of an artifact in a registry: `oci://HOST[:PORT]/NAME:TAG` or `oci://HOST[:PORT]/NAME@sha256:DIGEST`.
///
/// Pure. The grammar is that of the OCI distribution specification 1.1, "Pulling manifests".
public struct RegistryReference: Sendable, Equatable, CustomStringConvertible {
    /// The scheme of such names, with its slashes.
    public static let prefix = "oci://"

    /// The host, with its port if it isn't the default one.
    public let authority: String
    /// The name of the repository.
    public let repository: String
    /// The tag, or the digest with its algorithm.
    public let version: String

    /// Reads a name.
    ///
    /// - Parameter text: The name.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    public init(_ text: String) throws(DeliveryError) {
        func bad(_ message: String) -> DeliveryError { DeliveryError(.badURL, subject: text, message: message) }
        guard text.hasPrefix(Self.prefix) else { throw bad("the name of an artifact begins with 'oci://'") }
        let rest = text.dropFirst(Self.prefix.count)
        guard let slash = rest.firstIndex(of: "/") else { throw bad("write oci://HOST/NAME:TAG") }
        let host = String(rest[..<slash])
        guard !host.contains("@") else {
            var error = bad("other users of this machine can see a password in a name")
            error.remedy = .logIn
            throw error
        }
        guard let url = try? WebURL("https://\(host)/"), url.path == "/", url.query == nil, !host.isEmpty else {
            throw bad("\(PrintableText.quoted(host)) is not a host")
        }
        authority = url.authority
        var name = rest[rest.index(after: slash)...]
        if let at = name.firstIndex(of: "@") {
            version = String(name[name.index(after: at)...])
            name = name[..<at]
            guard Self.isDigest(version) else { throw bad("the digest must be sha256: and 64 hexadecimal digits") }
            // A tag beside a digest says nothing.
            if let colon = name.lastIndex(of: ":") { name = name[..<colon] }
        } else if let colon = name.lastIndex(of: ":") {
            version = String(name[name.index(after: colon)...])
            name = name[..<colon]
            guard Self.isTag(version) else {
                throw bad(
                    "a tag has 1 to 128 letters, digits, '_', '.' and '-', and begins with a letter, digit or '_'"
                )
            }
        } else {
            version = "latest"
        }
        guard Self.isRepository(name) else {
            let lower = name.lowercased()
            let meant =
                Self.isRepository(lower[...])
                ? "; did you mean '\(Self.prefix)\(host)/\(lower)\(text.dropFirst(Self.prefix.count + host.count + 1 + name.count))'?"
                : ""
            throw bad(
                "the name of a repository has lower-case letters and digits, separated by '.', '_', '-' and '/'" + meant
            )
        }
        repository = String(name)
    }

    /// True if the version is a digest.
    public var isPinned: Bool { version.contains(":") }

    /// The name, in full.
    public var description: String {
        "\(Self.prefix)\(authority)/\(repository)\(isPinned ? "@" : ":")\(version)"
    }

    /// The last part of the repository's name.
    public var lastPart: String { repository.split(separator: "/").last.map(String.init) ?? repository }

    /// Returns the root of the repository in the registry's API.
    ///
    /// - Parameter allowsPlainHTTP: True to ask a registry elsewhere over http.
    /// - Returns: The URL, which ends in a slash.
    public func root(allowsPlainHTTP: Bool) -> WebURL? {
        guard let url = try? WebURL("https://\(authority)/v2/\(repository)/") else { return nil }
        let host = url.host ?? ""
        let isLocal = host == "localhost" || host == "[::1]" || host.hasPrefix("127.")
        guard isLocal || allowsPlainHTTP else { return url }
        return try? WebURL("http://\(authority)/v2/\(repository)/")
    }

    static func isDigest(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("sha256:") && text.utf8.count == 71
            && text.utf8.dropFirst(7).allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    static func isTag(_ text: String) -> Bool {
        guard let first = text.utf8.first, (1...128).contains(text.utf8.count),
            isWord(first) || first == UInt8(ascii: "_")
        else { return false }
        return text.utf8.allSatisfy { isWord($0) || isSeparator($0) }
    }

    private static func isRepository(_ name: Substring) -> Bool {
        guard (1...255).contains(name.utf8.count) else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.utf8.first, let last = part.utf8.last, isLower(first), isLower(last) else {
                return false
            }
            return part.utf8.allSatisfy { isLower($0) || isSeparator($0) }
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { "._-".utf8.contains(byte) }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isWord(_ byte: UInt8) -> Bool { isLower(byte) || isLower(byte | 0x20) }
}
