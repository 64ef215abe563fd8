internal import HTTPTypes

/// The fields in which a gateway tells its origin who the client is, and what it asked for: X-Forwarded-For, -Host and
/// -Proto.
///
/// What clients send in such fields is dropped unless they are trusted proxies: origins believe them.
struct ForwardedFields: Sendable {
    /// The clients that are proxies of the operator.
    var trusted: [AddressRange] = []

    /// Returns a request as the origin may see it.
    ///
    /// - Parameters:
    ///   - request: The client's request.
    ///   - host: The host and port that the client asked for, if they are part of the resource's URL. Otherwise
    ///     responses for all hosts are the same, and the origin must not learn it.
    /// - Returns: The request with the fields.
    func applied(to request: ServerRequest, host: String?) -> ServerRequest {
        var request = request
        let peer = request.remoteAddress
        if !isTrusted(peer) { request.fields.removeAll { Self.isForwarded($0.name) } }
        if let peer {
            // A field that Vary may name, and that otherwise makes no difference.
            Self.append(peer, to: .xForwardedFor, &request.fields)
            if request.fields.contains(.forwarded) { Self.append(Self.element(peer), to: .forwarded, &request.fields) }
        }
        // The scheme is the same for all clients of this server.
        if !request.fields.contains(.xForwardedProto) {
            request.originFields[.xForwardedProto] = request.isSecure ? "https" : "http"
        }
        if let host, !request.fields.contains(.xForwardedHost) { request.originFields[.xForwardedHost] = host }
        return request
    }

    /// Returns true if the answer to a request depends on more than its head, so that it can't be repeated for the same
    /// bytes of another client.
    func dependsOnClient(_ request: ServerRequest, _ answer: ServerAnswer) -> Bool {
        if answer.fields[values: .vary].contains(where: { $0.lowercased().contains("forwarded") }) { return true }
        return !trusted.isEmpty && request.fields.contains { Self.isForwarded($0.name) }
    }

    private func isTrusted(_ peer: String?) -> Bool {
        guard let peer else { return false }
        return trusted.contains { $0.contains(peer) }
    }

    /// Returns true for fields about the client or the request that a proxy received.
    private static func isForwarded(_ name: HTTPField.Name) -> Bool {
        guard let first = name.canonicalName.utf8.first, "fx".utf8.contains(first) else { return false }
        // CGI and WSGI take the one for the other.
        let name = name.canonicalName.replacing("_", with: "-")
        return name == "forwarded" || name == "x-real-ip" || name.hasPrefix("x-forwarded-")
    }

    /// Appends an element to a list, in one line.
    private static func append(_ element: String, to name: HTTPField.Name, _ fields: inout HTTPFields) {
        fields[name] = (fields[values: name] + [element]).joined(separator: ", ")
    }

    /// Returns the element of Forwarded for this hop (RFC 7239 §4, §6).
    private static func element(_ peer: String) -> String { peer.contains(":") ? "for=\"[\(peer)]\"" : "for=\(peer)" }
}

extension HTTPField.Name {
    static let forwarded = registered("Forwarded")
    static let xForwardedFor = registered("X-Forwarded-For")
    static let xForwardedHost = registered("X-Forwarded-Host")
    static let xForwardedProto = registered("X-Forwarded-Proto")

    /// Returns a name that is written in this file, and so is a token.
    private static func registered(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is not a field name") }
        return name
    }
}
