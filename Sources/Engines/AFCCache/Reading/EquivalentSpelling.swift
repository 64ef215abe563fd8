internal import AFCURL

/// Spellings of a URL with the same meaning (RFC 3986 §6.2.2.1 and §6.2.2.2).
///
/// They differ in the case of hexadecimal digits, or in escapes of characters that need none. Brackets outside a host are
/// such characters, too: frameworks name files after parameters (`[slug].js`), and their scripts escape them.
package enum EquivalentSpelling {
    /// Returns the spelling with upper-case digits and without needless escapes.
    ///
    /// - Parameter text: A URL as serialized.
    /// - Returns: The spelling; nil if it is the text itself.
    package static func normal(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        let bytes = Array(text.utf8)
        var normal: [UInt8] = []
        normal.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let byte = PercentDecoding.byte(bytes[position + 1], bytes[position + 2])
            else {
                normal.append(bytes[position])
                position += 1
                continue
            }
            if PercentDecoding.isUnreserved(byte) || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
                normal.append(byte)
            } else {
                PercentEncodeSet.appendEscape(byte, to: &normal)
            }
            position += 3
        }
        return normal == bytes ? nil : String(decoding: normal, as: UTF8.self)
    }
}

/// The URLs of a generation that are not in the normal form, by that form.
struct OddSpellings: Sendable {
    /// The maximum size of the URLs that are kept; those after them are found only by their own spelling.
    private static let byteLimit = 16 << 20

    private var stored: [String: String] = [:]
    private var bytes = 0

    /// Reads all URLs of an index, which takes about as long as reading its file.
    ///
    /// - Throws: ``CacheError`` if the file can't be read or is damaged.
    init(_ index: GenerationIndex) throws(CacheError) {
        try index.forEachURL { url in
            guard let normal = EquivalentSpelling.normal(url) else { return true }
            bytes += normal.utf8.count + url.utf8.count
            guard bytes <= Self.byteLimit else { return false }
            // Of several, take the first in the order of URLs, so that it is always the same one.
            if stored[normal] == nil { stored[normal] = url }
            return true
        }
    }

    /// True if all URLs are in the normal form.
    var isEmpty: Bool { stored.isEmpty }

    /// Returns the stored URL with a normal form.
    subscript(normal: String) -> String? { stored[normal] }
}

extension Snapshot {
    /// Finds a response under another spelling of a URL, if there is none under its own spelling.
    ///
    /// - Parameter key: The key of the resource.
    /// - Returns: The response to serve; nil if there is none.
    /// - Throws: ``CacheError`` if an index can't be read or is damaged.
    func findEquivalent(_ key: ResourceKey) throws(CacheError) -> Found? {
        let normal = EquivalentSpelling.normal(key.text)
        if let key = normal.flatMap(ResourceKey.init(stored:)), let found = try find(key) { return found }
        for package in packages(withHost: key.host) {
            guard let stored = try package.files.oddSpellings()[normal ?? key.text], stored != key.text,
                let key = ResourceKey(stored: stored), let found = try find(key)
            else { continue }
            return found
        }
        return nil
    }
}
