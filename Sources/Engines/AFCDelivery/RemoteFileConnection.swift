internal import AFCCredentials
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The requests for one file.
struct RemoteFileConnection {
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

    func send(
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
