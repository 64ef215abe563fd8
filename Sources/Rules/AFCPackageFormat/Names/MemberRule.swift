internal import AFCText
public import AFCURL

/// AFCache's rule for the name of a body's member: `hostname/path`.
///
/// Scheme, port, query and fragment are left out, runs of `/` become one, and percent-escapes are kept. See
/// docs/reference/format.md.
public enum MemberRule {
    /// Applies the rule to a parsed URL.
    public static func name(for url: WebURL) -> String {
        folded((url.host ?? "") + "/" + url.path)
    }

    /// Returns true if a name is the rule's name for a URL, without creating that name.
    ///
    /// - Returns: False also if that isn't obvious.
    static func isName(_ name: String, for url: WebURL) -> Bool {
        guard url.isHTTP, !url.hasCredentials, url.port == nil else { return false }
        let isName = name.utf8.withContiguousStorageIfAvailable { name in
            url.description.utf8.withContiguousStorageIfAvailable { bytes in
                // Host and path are adjacent in the text, after http:// or https://.
                let start = bytes[4] == UInt8(ascii: ":") ? 7 : 8
                let end = start + name.count
                guard end <= bytes.count, end == bytes.count || bytes[end] == UInt8(ascii: "?") else { return false }
                let rule = UnsafeBufferPointer(rebasing: bytes[start..<end])
                return ByteCursor.isEqual(name, rule) && !hasRunOfSlashes(rule)
            }
        }
        return isName == true
    }

    private static func hasRunOfSlashes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "/"), previous == byte { return true }
            previous = byte
        }
        return false
    }

    /// Returns the names under which a body may be, best first.
    ///
    /// The Python packager encoded neither names nor URLs; the other packager encoded both.
    ///
    /// - Parameters:
    ///   - text: The URL as written in the line.
    ///   - url: The parsed URL.
    /// - Returns: The names, each once.
    public static func candidates(text: String, url: WebURL) -> [String] {
        let rest = afterScheme(text)
        var names = [folded(withoutPort(cut(rest))), name(for: url)]
        if let decoded = decoded(names[1]) { names.append(decoded) }
        names.append(folded(withoutPort(rest)))
        var unique: [String] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        return unique
    }

    private static func afterScheme(_ text: String) -> Substring {
        guard let colon = text.firstIndex(of: ":") else { return text[...] }
        return text[text.index(after: colon)...].drop { $0 == "/" }
    }

    private static func cut(_ rest: Substring) -> Substring {
        rest.prefix { $0 != "?" && $0 != "#" }
    }

    private static func withoutPort(_ rest: Substring) -> String {
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let host = rest[..<slash]
        guard let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) else {
            return String(rest)
        }
        return String(host[..<colon]) + rest[slash...]
    }

    private static func folded(_ name: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8.count)
        for byte in name.utf8 {
            if byte == UInt8(ascii: "/"), bytes.last == byte { continue }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func decoded(_ name: String) -> String? {
        guard name.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return String(validating: PercentDecoding.decode(name.utf8), as: UTF8.self)
    }
}
