internal import AFCCredentials
internal import AFCHTTP
public import AFCText
internal import AFCURL
internal import HTTPTypes

/// A small file on a web server or in a bucket, which several programs change without losing each other's changes.
///
/// A change is sent with the entity tag of what it was made from (If-Match, RFC 9110 §13.1.1), so that the server refuses
/// it if the file has changed in between; then it is made again from the new file.
public struct RemoteFile: Sendable {
    private let url: WebURL
    private let limit: Int
    private let options: PackageDownload.Options

    /// Creates the way to a file; nothing is requested.
    ///
    /// - Parameters:
    ///   - text: An https or http URL, or `s3://BUCKET/KEY`.
    ///   - limit: The largest file that is accepted, in bytes.
    ///   - options: The settings of the requests, of which those for conditions and digests aren't used.
    ///   - variable: Returns the value of an environment variable; see ``BucketAccess/init(_:)``.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    public init(
        _ text: String,
        limit: Int,
        options: PackageDownload.Options,
        variable: (String) -> String?
    ) throws(DeliveryError) {
        var options = options
        if text.hasPrefix(BucketAccess.prefix) {
            url = try options.find(text, in: try BucketAccess(variable))
        } else {
            guard let found = try? WebURL(text) else {
                throw DeliveryError(.badURL, subject: text, message: "this is not a valid URL")
            }
            url = found
        }
        try PackageDownload.check(url, of: "a file", remedy: .allowPlainHTTP, options)
        (self.limit, self.options) = (limit, options)
    }

    /// Reads the file.
    ///
    /// - Returns: Its bytes.
    /// - Throws: ``DeliveryError``.
    public func read() async throws -> [UInt8] { try await connected { try await $0.get().body } }

    /// Replaces the file by what a body makes of it; the body is called again if the file has changed in between.
    ///
    /// - Parameters:
    ///   - patience: The longest time for which the change is made again; nil for no limit.
    ///   - body: Returns the new bytes, and a value for the caller.
    /// - Returns: The value.
    /// - Throws: ``DeliveryError``: with the code `protocolViolation` if the server can't make sure that no change is
    ///   lost, and `busy` if others changed the file all the time; and the body's error. The file is then unchanged,
    ///   unless the connection was lost before the last answer.
    public func change<Value>(within patience: Duration?, _ body: ([UInt8]) throws -> ([UInt8], Value)) async throws
        -> Value
    {
        try await connected { connection in
            let started = ContinuousClock.now
            var attempts = 0
            while true {
                let old = try await connection.version()
                // Otherwise, a server that ignores conditions would lose changes, and nobody would hear of it.
                if attempts == 0 { try await connection.requireConditions(old) }
                let (new, value) = try body(old.bytes)
                if try await connection.put(new, .unchanged(old.entityTag)) { return value }
                // The answer to an earlier attempt may have been lost.
                if try await connection.version().bytes == new { return value }
                attempts += 1
                let pause = Duration.milliseconds(Int64.random(in: 10...50 * Int64(min(attempts, 20))))
                if let patience, ContinuousClock.now + pause - started > patience {
                    throw connection.exchanges.failure(.busy, "others are changing the file", remedy: .waitLonger)
                }
                try await connection.exchanges.sleep(for: pause)
            }
        }
    }

    /// Creates the file.
    ///
    /// - Parameter bytes: Its contents.
    /// - Returns: False if there is a file already, which is unchanged then.
    /// - Throws: ``DeliveryError``.
    public func create(_ bytes: [UInt8]) async throws -> Bool {
        try await connected { connection in
            // Not every server obeys the condition.
            let answer = try await connection.ask()
            guard answer.status == 404 else {
                guard answer.status == 200 else { throw connection.refusal(answer, isWriting: false) }
                return false
            }
            if try await connection.put(bytes, .missing) { return true }
            // The answer to an earlier attempt may have been lost.
            return try await connection.get().body == bytes
        }
    }

    private func connected<Value>(_ body: (RemoteFileConnection) async throws -> Value) async throws -> Value {
        let exchanges = try SmallExchanges("server", subject: url.shown, url, options)
        let connection = RemoteFileConnection(url: url, limit: limit, options: options, exchanges: exchanges)
        return try await exchanges.closing { try await body(connection) }
    }
}

/// The requests for one file.
private struct RemoteFileConnection {
    /// One version of the file.
    struct Version {
        var bytes: [UInt8]
        var entityTag: EntityTag
    }

    /// What must hold for a file to be written.
    enum Condition {
        /// The file has this tag (RFC 9110 §13.1.1).
        case unchanged(EntityTag)
        /// There is no such file (RFC 9110 §13.1.2).
        case missing

        var field: (name: String, value: String) {
            switch self {
            case .unchanged(let tag): (name: "if-match", value: tag.description)
            case .missing: (name: "if-none-match", value: "*")
            }
        }
    }

    let url: WebURL
    let limit: Int
    let options: PackageDownload.Options
    let exchanges: SmallExchanges

    func version() async throws -> Version {
        let answer = try await get()
        guard let text = answer.fields[.eTag], let tag = EntityTag(text), !tag.isWeak else {
            throw exchanges.failure(
                .protocolViolation,
                "the server states no strong entity tag (ETag), so that a change by somebody else could be lost; "
                    + "change the file where it lies, or use a server or bucket that has one"
            )
        }
        return Version(bytes: answer.body, entityTag: tag)
    }

    func get() async throws -> SmallExchanges.Answer {
        let answer = try await ask()
        guard answer.status == 200 else { throw refusal(answer, isWriting: false) }
        return answer
    }

    /// Asks for the file.
    func ask() async throws -> SmallExchanges.Answer {
        // A cache on the way may have an older version.
        try await send("GET", [(name: "cache-control", value: "no-cache")], nil)
    }

    /// Writes the file if a condition holds.
    ///
    /// - Returns: False if it doesn't.
    func put(_ bytes: [UInt8], _ condition: Condition) async throws -> Bool {
        let answer = try await send("PUT", [condition.field], bytes)
        switch answer.status {
        case 200..<300: return true
        // A bucket answers 409 if another change is under way.
        case 409, 412: return false
        default: throw refusal(answer, isWriting: true)
        }
    }

    /// Makes sure that the server obeys If-Match, by a request that it must refuse.
    func requireConditions(_ version: Version) async throws {
        let other = "\"\(Hexadecimal.text((0..<16).map { _ in UInt8.random(in: .min ... .max) }))\""
        guard let tag = EntityTag(other), try await put(version.bytes, .unchanged(tag)) else { return }
        throw exchanges.failure(
            .protocolViolation,
            "the server accepts changes, but ignores If-Match, so that a change by somebody else could be lost; change "
                + "the file where it lies, or use a server or bucket that obeys conditions"
        )
    }

    private func send(
        _ method: String,
        _ own: [(name: String, value: String)],
        _ body: [UInt8]?
    ) async throws(DeliveryError) -> SmallExchanges.Answer {
        guard let verb = HTTPRequest.Method(method) else { preconditionFailure("\(method) is a method") }
        return try await exchanges.repeated(url) {
            var all = own
            if let access = options.bucket?.access {
                all += access.fields(for: url, own, method: method, body: body ?? [], at: options.requestTime)
            } else if let credential = options.servers.credentials.first(where: { $0.origin == url.origin }) {
                all.append((name: "authorization", value: credential.fieldValue))
            }
            var fields = HTTPFields()
            for field in all {
                if let name = HTTPField.Name(field.name) { fields[name] = field.value }
            }
            return try await exchanges.once(verb, url, fields, body, limit: limit)
        }
    }

    func refusal(_ answer: SmallExchanges.Answer, isWriting: Bool) -> DeliveryError {
        let status = answer.status
        if let access = options.bucket?.access,
            let refusal = BucketRefusal(status: status, fields: answer.fields, body: answer.body)
        {
            return exchanges.failure(
                .status(status),
                refusal.sentence(isSigned: access.isSigning, isWriting: isWriting)
            )
        }
        let hasLogin = options.servers.credentials.contains { $0.origin == url.origin }
        switch status {
        case 301, 302, 303, 307, 308:
            let place = answer.fields[.location].map { " to \(PrintableText.quoted($0))" } ?? ""
            return exchanges.failure(.refusedRedirect, "the server redirects\(place); name the file's own URL")
        case 401 where !hasLogin:
            return exchanges.failure(.status(401), "the server wants a login (status 401)", remedy: .giveLogin)
        case 401, 403:
            let what = hasLogin ? "the login that was given" : isWriting ? "the change" : "access"
            return exchanges.failure(.status(status), "the server refuses \(what) (status \(status))")
        case 405, 501:
            return exchanges.failure(
                .status(status),
                "the server doesn't accept \(isWriting ? "changes by PUT" : "GET") (status \(status))"
            )
        default:
            return exchanges.failure(
                .status(status),
                "the server answered with status \(status) to \(isWriting ? "the change" : "the request for the file")"
            )
        }
    }
}
