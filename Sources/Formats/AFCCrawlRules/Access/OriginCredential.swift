internal import AFCText
public import AFCURL

/// A text that stays out of packages, logs, reports and errors: whatever describes it tells nothing.
public struct Secret: Sendable, Equatable {
    /// The text itself, for a request and for nothing else.
    package let value: String

    /// Creates a secret.
    public init(_ value: String) { self.value = value }

    /// Whether the text can stand in a field (RFC 9110 §5.5).
    package var isFieldValue: Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A word in the text's place.
    public var description: String { "(secret)" }

    /// A word in the text's place.
    public var debugDescription: String { "(secret)" }

    /// Nothing: `dump` and assertions look into values by this.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A user's name and password as the Basic scheme sends them (RFC 7617).
public struct BasicCredentials: Sendable, Equatable {
    private let pair: Secret

    /// Why a text is no pair of user and password; it doesn't tell the text.
    public enum Malformation: Error, Equatable, Sendable, CustomStringConvertible {
        /// There is no colon.
        case noPassword
        /// There is a control character.
        case controlCharacter

        /// The reason in words; lower case, no full stop.
        public var description: String {
            switch self {
            case .noPassword: "the colon between user and password is missing"
            case .controlCharacter: "it contains a control character"
            }
        }
    }

    /// Reads `user:password`; the password may have colons.
    ///
    /// - Parameter text: The pair, sent in UTF-8.
    /// - Throws: ``Malformation`` where there is no colon, or a control character.
    public init(_ text: some StringProtocol) throws(Malformation) {
        guard text.contains(":") else { throw .noPassword }
        pair = Secret(String(text))
        guard pair.isFieldValue else { throw .controlCharacter }
    }

    /// The pair as the scheme encodes it.
    package var encoded: String { Base64.encode(Array(pair.value.utf8)) }

    /// What Authorization or Proxy-Authorization says.
    package var fieldValue: String { "Basic " + encoded }
}

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
    package var fieldValue: String {
        switch scheme {
        case .basic(let credentials): credentials.fieldValue
        case .bearer(let token): "Bearer " + token.value
        }
    }
}
