internal import AFCURL

/// Spellings of a URL that mean the same (RFC 3986 §6.2.2.1 and §6.2.2.2): the case of hexadecimal digits, and escapes of what
/// needs none.
package enum EquivalentSpelling {
    /// The spelling with digits in capitals and without needless escapes.
    ///
    /// - Parameter text: A URL as it is serialised.
    /// - Returns: The spelling; nil where it is the text itself.
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
            if PercentDecoding.isUnreserved(byte) {
                normal.append(byte)
            } else {
                PercentEncodeSet.appendEscape(byte, to: &normal)
            }
            position += 3
        }
        return normal == bytes ? nil : String(decoding: normal, as: UTF8.self)
    }
}

/// The URLs of a generation that are not spelt in the normal form, by that form.
struct OddSpellings: Sendable {
    /// The most bytes of URLs that are kept; those behind them are found by their own spelling only.
    private static let byteLimit = 16 << 20

    private var stored: [String: String] = [:]
    private var bytes = 0

    /// Reads all URLs of an index; takes about as long as reading its file.
    ///
    /// - Throws: ``CacheError`` where the file can't be read or is damaged.
    init(_ index: GenerationIndex) throws(CacheError) {
        try index.forEachURL { url in
            guard let normal = EquivalentSpelling.normal(url) else { return true }
            bytes += normal.utf8.count + url.utf8.count
            guard bytes <= Self.byteLimit else { return false }
            // Of several the first in the order of URLs, so that it is always the same one.
            if stored[normal] == nil { stored[normal] = url }
            return true
        }
    }

    /// The stored URL whose normal form is a text.
    subscript(normal: String) -> String? { stored[normal] }
}

extension Snapshot {
    /// What is stored under another spelling of a URL, of which nothing is stored as it is spelt.
    ///
    /// - Parameter key: The resource.
    /// - Returns: The response that is served; nil where there is none.
    /// - Throws: ``CacheError`` where an index can't be read or is damaged.
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
