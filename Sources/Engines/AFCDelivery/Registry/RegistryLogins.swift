internal import AFCText

/// The credentials in Docker's `config.json`, by registry.
///
/// Pure. They are never printed.
public struct RegistryLogins: Sendable, CustomStringConvertible {
    private var basic: [String: String] = [:]

    /// Knows no credentials.
    public init() {}

    /// Reads the file; nil if it isn't a JSON object.
    ///
    /// - Parameter bytes: The file.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), case .object = json else { return nil }
        guard case .object(let auths) = json["auths"] ?? .object([]) else { return nil }
        for (name, entry) in auths {
            guard let host = Self.host(name), basic[host] == nil else { continue }
            if let auth = entry["auth"]?.string, let decoded = Base64.decode(auth), decoded.contains(UInt8(ascii: ":"))
            {
                basic[host] = auth
            } else if let user = entry["username"]?.string, let password = entry["password"]?.string,
                !user.contains(":")
            {
                basic[host] = Base64.encode(Array("\(user):\(password)".utf8))
            }
        }
    }

    /// Returns the value of Authorization for a registry, given as host and port.
    func authorization(for authority: String) -> String? { basic[authority].map { "Basic " + $0 } }

    /// The number of registries, so that no credentials get into a log.
    public var description: String { "credentials for \(basic.count) registries" }

    /// Returns the host of an entry, which may be written as a URL.
    private static func host(_ name: String) -> String? {
        var rest = name[...]
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        let host = rest.prefix { $0 != "/" }.lowercased()
        return host.isEmpty ? nil : host
    }
}
