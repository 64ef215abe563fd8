internal import AFCText

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
            case .noPassword: "there is no colon between user and password"
            case .controlCharacter: "there is a control character in it"
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

    /// What Authorization or Proxy-Authorization says.
    var fieldValue: String { "Basic " + Base64.encode(Array(pair.value.utf8)) }
}
