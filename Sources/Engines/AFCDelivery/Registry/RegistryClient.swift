internal import AFCCredentials
internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import HTTPTypes
internal import Synchronization

/// Requests to one repository of a registry, with the credentials that it wants (OCI distribution specification 1.1, and
/// Docker's token authentication).
final class RegistryClient: Sendable {
    /// The largest answer that isn't a manifest, in bytes.
    static let answerLimit = 1 << 20

    typealias Answer = SmallExchanges.Answer

    let reference: RegistryReference
    /// The root of the repository's API, which ends in a slash.
    let root: WebURL
    private let logins: RegistryLogins
    private let options: PackageDownload.Options
    private let exchanges: SmallExchanges
    /// The value of Authorization that the registry accepted last.
    private let authorization = Mutex<String?>(nil)

    init(_ reference: RegistryReference, logins: RegistryLogins, options: PackageDownload.Options) throws(DeliveryError)
    {
        guard let root = reference.root(allowsPlainHTTP: options.servers.allowsPlainHTTP) else {
            throw DeliveryError(.badURL, subject: reference.description, message: "the registry's host is not one")
        }
        self.reference = reference
        self.root = root
        self.logins = logins
        self.options = options
        exchanges = try SmallExchanges("registry", subject: reference.description, root, options)
    }

    /// Calls a body with a client, whose connections are closed afterwards.
    ///
    /// - Throws: ``DeliveryError``: that of the body, or `badURL` if the registry's host can't be one.
    static func with<Value: Sendable>(
        _ reference: RegistryReference,
        logins: RegistryLogins,
        options: PackageDownload.Options,
        _ body: (RegistryClient) async throws(DeliveryError) -> Value
    ) async throws(DeliveryError) -> Value {
        let client = try RegistryClient(reference, logins: logins, options: options)
        let result: Result<Value, DeliveryError>
        do throws(DeliveryError) {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        await client.exchanges.pool.shutDown()
        return try result.get()
    }

    /// The value of Authorization for the registry, for requests that others send to it.
    var accepted: String? { authorization.withLock { $0 } }

    func failure(_ code: DeliveryErrorCode, _ message: String, remedy: Remedy? = nil) -> DeliveryError {
        exchanges.failure(code, message, remedy: remedy)
    }

    /// Returns a URL below the repository's root, or the one that the registry names, on the same origin.
    func url(_ text: String, _ what: String) throws(DeliveryError) -> WebURL {
        guard let url = try? WebURL(text, base: root), url.isHTTP, !url.hasCredentials else {
            throw failure(.protocolViolation, "the registry names no valid URL for \(what)")
        }
        return url
    }

    /// Sends a request, again with credentials if the registry demands them, and again after a failure that may pass.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - fields: The fields, without credentials.
    ///   - body: The body.
    ///   - actions: What the request does, in the words of a token's scope: `pull` or `pull,push`.
    ///   - limit: The largest body that is accepted, in bytes.
    /// - Returns: The answer, whatever its status is.
    /// - Throws: ``DeliveryError``.
    func send(
        _ method: HTTPRequest.Method,
        _ url: WebURL,
        _ fields: HTTPFields = [:],
        body: [UInt8]? = nil,
        actions: String,
        limit: Int = answerLimit
    ) async throws(DeliveryError) -> Answer {
        var hasAsked = false
        return try await exchanges.repeated(url) {
            while true {
                var fields = fields
                // Uploads may go elsewhere; credentials don't.
                if url.origin == root.origin, let accepted { fields[.authorization] = accepted }
                let answer = try await exchanges.once(method, url, fields, body, limit: limit)
                guard answer.status == 401, url.origin == root.origin, !hasAsked else { return answer }
                hasAsked = true
                let authorization = try await authorize(answer, actions)
                self.authorization.withLock { $0 = authorization }
            }
        }
    }

    // MARK: Credentials

    /// Answers the challenge of a 401.
    private func authorize(_ answer: Answer, _ actions: String) async throws(DeliveryError) -> String? {
        let login = self.login
        guard let challenge = RegistryChallenge(answer.fields[values: .wwwAuthenticate]) else {
            throw failure(.status(401), "the registry refuses access and names no way to log in")
        }
        guard challenge.isBearer else {
            // An identity token is of no use without a server of tokens.
            guard case .basic(let field) = login else {
                throw failure(.status(401), "the registry wants a login", remedy: .logIn)
            }
            return field
        }
        guard let realm = challenge.parameters["realm"], var url = try? WebURL(realm), url.isHTTP, !url.hasCredentials,
            url.scheme == "https" || url.hostIsLoopbackOrPrivate && root.scheme == "http"
        else { throw failure(.protocolViolation, "the registry names no https URL that hands out tokens") }
        let scope = challenge.parameters["scope"] ?? "repository:\(reference.repository):\(actions)"
        var query = challenge.parameters["service"].map { [("service", $0)] } ?? []
        query.append(("scope", scope))
        var fields: HTTPFields = [.accept: "application/json"]
        var method = HTTPRequest.Method.get
        var body: [UInt8]?
        if case .identity(let identity) = login {
            // https://distribution.github.io/distribution/spec/auth/oauth/
            method = .post
            query += [("grant_type", "refresh_token"), ("client_id", "afcache"), ("refresh_token", identity.value)]
            fields[.contentType] = "application/x-www-form-urlencoded"
            body = Array(Self.form(query).utf8)
        } else {
            let queries = (url.query.map { [$0] } ?? []) + [Self.form(query)]
            let target = url.description.prefix { $0 != "?" && $0 != "#" } + "?" + queries.joined(separator: "&")
            guard let found = try? WebURL(String(target)) else {
                throw failure(.protocolViolation, "the registry names no valid URL that hands out tokens")
            }
            url = found
            if case .basic(let field) = login { fields[.authorization] = field }
        }
        let token: Answer
        do {
            token = try await exchanges.once(method, url, fields, body, limit: Self.answerLimit)
        } catch let error as DeliveryError {
            throw error
        } catch {
            throw failure(.connection, "the server that hands out tokens failed: \(ConnectionFailure(error).message)")
        }
        guard token.status == 200, let json = try? JSONValue(parsing: token.body),
            let text = json["token"]?.string ?? json["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            let message = "the registry's token server refuses access (status \(token.status))"
            throw failure(.status(401), message, remedy: login == nil ? .logIn : nil)
        }
        return "Bearer " + text
    }

    /// What Docker's file has for the registry, or else the user's credential for its origin.
    private var login: RegistryLogins.Login? {
        logins.login(for: reference.authority)
            ?? options.servers.credentials.first { $0.origin == root.origin }.map { .basic($0.fieldValue) }
    }

    private static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(PercentEncodeSet.component.encode($0.value))" }.joined(separator: "&")
    }
}
