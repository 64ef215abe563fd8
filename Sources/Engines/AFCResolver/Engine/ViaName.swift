internal import AFCURL
internal import HTTPTypes

/// The names of one resolver in Via fields (RFC 9110 §7.6.3), by which it recognizes requests that come back to it.
///
/// Each resolver has other names, since several caches in a row are no loop. They also differ by origin, so that
/// origins can't recognize the users of a proxy by them.
struct ViaName: Sendable {
    private let prefix: String
    private let secret = UInt64.random(in: .min ... .max)

    /// Creates the names of a resolver.
    ///
    /// - Parameter prefix: The first part of each name.
    init(prefix: String) { self.prefix = prefix }

    /// Returns the name in requests for the origin of a URL.
    func name(for url: WebURL) -> String {
        // The hasher of each process has a random key.
        var hasher = Hasher()
        hasher.combine(secret)
        hasher.combine(url.origin)
        return prefix + "-" + String(UInt(bitPattern: hasher.finalize()), radix: 36)
    }

    /// Returns true if a request for a URL has been sent by this resolver before.
    func isIn(_ fields: HTTPFields, for url: WebURL) -> Bool {
        let lines = fields[values: .via]
        guard lines.contains(where: { $0.contains(prefix) }) else { return false }
        let name = name(for: url)
        return lines.contains { line in
            line.split(separator: ",").contains { member in
                member.split { $0 == " " || $0 == "\t" }.dropFirst().first.map(String.init) == name
            }
        }
    }
}
