internal import AFCText
internal import Crypto

/// A key that signs; it is never printed but into its own file.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// Why a text is no private key.
    public enum Malformation: Error, Equatable, Sendable, CustomStringConvertible {
        /// It isn't one line `afcache-ed25519-private SEED COMMENT`.
        case notAKey
        /// It is a public key.
        case publicKey

        /// What is wrong, as the end of a sentence.
        public var description: String {
            switch self {
            case .notAKey: "it is not a private key in afcache's form"
            case .publicKey: "it is a public key; signing needs the file without '.pub'"
            }
        }
    }

    private let key: Curve25519.Signing.PrivateKey
    /// The key that checks what this one signs.
    public let publicKey: PublicKey

    static let prefix = "afcache-ed25519-private"

    /// Makes a key of its seed, or nil where there aren't 32 bytes.
    ///
    /// - Parameters:
    ///   - seed: 32 bytes that nobody can guess.
    ///   - comment: What is written behind the key.
    public init?(seed: [UInt8], comment: String? = nil) {
        guard seed.count == 32, let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
            let publicKey = PublicKey(bytes: Array(key.publicKey.rawRepresentation), comment: comment)
        else { return nil }
        self.key = key
        self.publicKey = publicKey
    }

    /// Reads the file of a private key.
    ///
    /// - Parameter file: One line; blank lines and those that begin with `#` are skipped.
    /// - Throws: ``Malformation`` where that isn't what it has.
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

    /// The text of the key's file: whoever has it can sign.
    public var secretLine: String {
        let seed = Base64.encode(Array(key.rawRepresentation))
        return "\(Self.prefix) \(seed)" + (publicKey.comment.map { " \($0)" } ?? "") + "\n"
    }

    /// The id of the public key, so that no log gets the private one.
    public var description: String { "private key of \(publicKey.id)" }

    /// Signs a message, or returns nil where the system has no randomness to do so.
    func signature(for message: [UInt8]) -> [UInt8]? {
        guard let signature = try? key.signature(for: message) else { return nil }
        return Array(signature)
    }
}
