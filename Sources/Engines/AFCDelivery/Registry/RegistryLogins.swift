internal import AFCCredentials
internal import AFCText

/// The credentials in Docker's `config.json`, by registry, and the programs that keep others.
///
/// Pure. Credentials are never printed.
public struct RegistryLogins: Sendable, CustomStringConvertible {
    /// What a registry takes for a login.
    enum Login: Equatable {
        /// The value of Authorization.
        case basic(String)
        /// A token that the server of tokens exchanges for others (RFC 6749 §6).
        case identity(Secret)
    }

    private var logins: [String: Login] = [:]
    private var helpers: [String: String] = [:]
    private var store: String?

    /// Knows no credentials.
    public init() {}

    /// Reads the file; nil if it isn't a JSON object.
    ///
    /// - Parameter bytes: The file.
    public init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), case .object = json else { return nil }
        guard case .object(let auths) = json["auths"] ?? .object([]),
            case .object(let helpers) = json["credHelpers"] ?? .object([])
        else { return nil }
        for (name, entry) in auths {
            guard let host = Self.host(name), logins[host] == nil else { continue }
            if let token = entry["identitytoken"]?.string, let login = Self.identity(token) {
                logins[host] = login
            } else if let auth = entry["auth"]?.string, let decoded = Base64.decode(auth),
                decoded.contains(UInt8(ascii: ":"))
            {
                logins[host] = .basic("Basic " + auth)
            } else if let user = entry["username"]?.string, let password = entry["password"]?.string {
                logins[host] = Self.basic(user, password)
            }
        }
        for (name, helper) in helpers {
            if let host = Self.host(name), let helper = helper.string { self.helpers[host] = helper }
        }
        store = json["credsStore"]?.string
    }

    /// Returns the suffix of the program that keeps a registry's credentials, as in `docker-credential-SUFFIX`.
    ///
    /// - Parameter reference: An artifact of the registry.
    /// - Returns: The suffix, which may name any program; nil if there is none.
    public func helper(for reference: RegistryReference) -> String? {
        helpers[reference.authority] ?? store.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Adds what such a program printed; it wins over the file.
    ///
    /// - Parameters:
    ///   - answer: A JSON object with `Username` and `Secret`.
    ///   - reference: An artifact of the registry.
    /// - Returns: False if the answer isn't one.
    public mutating func add(answer: [UInt8], for reference: RegistryReference) -> Bool {
        guard let json = try? JSONValue(parsing: answer), let user = json["Username"]?.string,
            let secret = json["Secret"]?.string,
            let login = user == "<token>" ? Self.identity(secret) : Self.basic(user, secret)
        else { return false }
        logins[reference.authority] = login
        return true
    }

    /// Returns the login for a registry, given as host and port.
    func login(for authority: String) -> Login? { logins[authority] }

    /// The number of registries, so that no credentials get into a log.
    public var description: String { "credentials for \(logins.count) registries" }

    private static func basic(_ user: String, _ password: String) -> Login? {
        guard !user.contains(":"), let pair = try? BasicCredentials(user + ":" + password) else { return nil }
        return .basic(pair.fieldValue)
    }

    private static func identity(_ token: String) -> Login? {
        token.isEmpty ? nil : .identity(Secret(token))
    }

    /// Returns the host of an entry, which may be written as a URL.
    private static func host(_ name: String) -> String? {
        var rest = name[...]
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        let host = rest.prefix { $0 != "/" }.lowercased()
        return host.isEmpty ? nil : host
    }
}
