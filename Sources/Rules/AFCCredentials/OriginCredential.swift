internal import AFCText
public import AFCURL

/// A text that must not appear in packages, logs, reports or errors; its descriptions hide it.
public struct Secret: Sendable, Equatable {
    /// The text, to be used in requests only.
    package let value: String

    /// Creates a secret.
    public init(_ value: String) { self.value = value }

    /// True if the text is allowed in a header field (RFC 9110 §5.5).
    package var isFieldValue: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder for the text.
    public var description: String { "(secret)" }

    /// A placeholder for the text.
    public var debugDescription: String { "(secret)" }

    /// An empty mirror, because `dump` and assertions inspect values through it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A user's name and password, as the Basic scheme sends them (RFC 7617).
public struct BasicCredentials: Sendable, Equatable {
    private let pair: Secret

    /// The reason why a text is not a pair of user and password; it doesn't contain the text.
    public enum Malformation: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text has no colon.
        case noPassword
        /// The text contains a control character.
        case controlCharacter

        /// The reason in words; lower case, no full stop.
        public var description: String {
            switch self {
            case .noPassword: "the colon between user and password is missing"
            case .controlCharacter: "it contains a control character"
            }
        }
    }

    /// Parses `user:password`; the password may contain colons.
    ///
    /// - Parameter text: The pair, sent in UTF-8.
    /// - Throws: ``Malformation`` if the colon is missing, or there is a control character.
    public init(_ text: some StringProtocol) throws(Malformation) {
        guard text.contains(":") else { throw .noPassword }
        pair = Secret(String(text))
        guard pair.isFieldValue else { throw .controlCharacter }
    }

    /// The pair, encoded for the scheme.
    package var encoded: String { Base64.encode(Array(pair.value.utf8)) }

    /// The value of Authorization or Proxy-Authorization.
    package var fieldValue: String { "Basic " + encoded }
}

/// The credential that only one origin gets, in Authorization (RFC 9110 §11.6.2).
public struct OriginCredential: Sendable, Equatable {
    private enum Scheme: Sendable, Equatable {
        case basic(BasicCredentials)
        case bearer(Secret)
    }

    /// Scheme, host and port, as in `https://docs.example:8443`.
    public let origin: String
    private let scheme: Scheme

    /// Creates a credential from user and password (RFC 7617).
    public init(for url: WebURL, basic credentials: BasicCredentials) {
        origin = url.origin
        scheme = .basic(credentials)
    }

    /// Creates a credential from a token (RFC 6750).
    ///
    /// - Parameters:
    ///   - url: A URL of the origin.
    ///   - token: The token; the result is nil if it is empty or contains a space or a control character.
    public init?(for url: WebURL, bearer token: String) {
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        origin = url.origin
        scheme = .bearer(Secret(token))
    }

    /// The value of Authorization.
    package var fieldValue: String {
        switch scheme {
        case .basic(let credentials): credentials.fieldValue
        case .bearer(let token): "Bearer " + token.value
        }
    }
}
