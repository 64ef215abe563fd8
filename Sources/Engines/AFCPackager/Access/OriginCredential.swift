public import AFCURL

/// What one origin, and no other, is told in Authorization (RFC 9110 §11.6.2).
public struct OriginCredential: Sendable, Equatable {
    private enum Scheme: Sendable, Equatable {
        case basic(BasicCredentials)
        case bearer(Secret)
    }

    /// Scheme, host and port, as in `https://docs.example:8443`.
    public let origin: String
    private let scheme: Scheme

    /// User and password (RFC 7617).
    public init(for url: WebURL, basic credentials: BasicCredentials) {
        origin = url.origin
        scheme = .basic(credentials)
    }

    /// A token (RFC 6750).
    ///
    /// - Parameters:
    ///   - url: A URL of the origin.
    ///   - token: The token; nil comes of an empty one, or one with a space or a control character.
    public init?(for url: WebURL, bearer token: String) {
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        origin = url.origin
        scheme = .bearer(Secret(token))
    }

    /// What Authorization says.
    var fieldValue: String {
        switch scheme {
        case .basic(let credentials): credentials.fieldValue
        case .bearer(let token): "Bearer " + token.value
        }
    }
}
