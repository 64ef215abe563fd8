internal import AFCText
internal import Crypto

/// A private key that signs.
///
/// It is never printed, except into its own file.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// The reason why a text is not a private key.
    public enum Malformation: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text is not one line in the form `afcache-ed25519-private SEED COMMENT`.
        case notAKey
        /// The text is a public key.
        case publicKey

        /// A description of the error, as the end of a sentence.
        public var description: String {
            switch self {
            case .notAKey: "it is not a private key in afcache's form"
            case .publicKey: "it is a public key; signing needs the file without '.pub'"
            }
        }
    }

    private let key: Curve25519.Signing.PrivateKey
    /// The public key that verifies signatures by this key.
    public let publicKey: PublicKey

    package static let prefix = PrivateKeyFile.prefix

    /// Creates a key from its seed; nil unless there are 32 bytes.
    ///
    /// - Parameters:
    ///   - seed: 32 random bytes that nobody can guess.
    ///   - comment: The comment to write after the key.
    public init?(seed: [UInt8], comment: String? = nil) {
        guard seed.count == 32, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            let publicKey = PublicKey(bytes: Array(key.publicKey.rawRepresentation), comment: comment)
        else { return nil }
        self.key = key
        self.publicKey = publicKey
    }

    /// Reads the file of a private key.
    ///
    /// - Parameter file: The text of the file: one key; blank lines and lines that begin with `#` are skipped.
    /// - Throws: ``Malformation`` if the text is not a private key.
    public init(file: [UInt8]) throws(Malformation) {
        var found: SigningKey?
        for bytes in file.split(separator: UInt8(ascii: "\n")) {
            guard let line = KeyLine(bytes) else { throw .notAKey }
            if line.isSkipped { continue }
            guard line.kind != PublicKey.prefix else { throw .publicKey }
            guard found == nil, line.kind == Self.prefix, let seed = line.value,
                let key = SigningKey(seed: seed, comment: line.comment)
            else { throw .notAKey }
            found = key
        }
        guard let found else { throw .notAKey }
        self = found
    }

    /// The text of the key's file.
    ///
    /// Anyone who has it can sign.
    public var secretLine: String {
        let seed = Base64.encode(Array(key.rawRepresentation))
        return "\(Self.prefix) \(seed)" + (publicKey.comment.map { " \($0)" } ?? "") + "\n"
    }

    /// The ID of the public key, so that the private key never gets into a log.
    public var description: String { "private key of \(publicKey.id)" }

    /// Signs a message; returns nil if the system has no randomness for signing.
    package func signature(for message: [UInt8]) -> [UInt8]? {
        guard let signature = try? key.signature(for: message) else { return nil }
        return Array(signature)
    }
}
