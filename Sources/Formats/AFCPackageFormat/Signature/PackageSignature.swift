public import AFCHTTP
internal import AFCText

/// One line of `.afcache/signature`: the signer's key, the time, and the signature.
public struct PackageSignature: Equatable, Sendable {
    /// The key that verifies the signature.
    public var key: PublicKey
    /// The time of signing, according to the signer.
    public var created: Timestamp
    /// The 64 bytes of the signature (RFC 8032).
    public var bytes: [UInt8]

    private static let header = "afcache-signature-1"

    /// Signs a package; nil if the system has no randomness for signing.
    ///
    /// - Parameters:
    ///   - digest: The package's digest.
    ///   - key: The signer's key.
    ///   - created: The time of signing.
    public init?(_ digest: PackageDigest, by key: SigningKey, created: Timestamp) {
        guard let bytes = key.signature(for: Self.message(digest, created: created)) else { return nil }
        self.key = key.publicKey
        self.created = created
        self.bytes = bytes
    }

    /// Returns true if the key made the signature for this package and time.
    public func isValid(for digest: PackageDigest) -> Bool {
        key.isValid(bytes, for: Self.message(digest, created: created))
    }

    /// The line, including its line end.
    public var line: String {
        "\(Self.header) ed25519 \(Base64.encode(key.bytes)) \(created.iso8601) \(Base64.encode(bytes))\n"
    }

    /// Reads the signatures of a package.
    ///
    /// - Parameter text: The member `.afcache/signature`.
    /// - Returns: At least one signature, no two by the same key.
    /// - Throws: ``SignatureRefusal/malformed(line:reason:)`` for the first line that is not a signature.
    public static func list(_ text: [UInt8]) throws(SignatureRefusal) -> [PackageSignature] {
        var signatures: [PackageSignature] = []
        guard text.last == UInt8(ascii: "\n") else { throw .malformed(line: 1, reason: "is empty or cut off") }
        let lines = text.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let signature = try PackageSignature(line: Array(bytes), number: index + 1)
            guard !signatures.contains(where: { $0.key == signature.key }) else {
                throw .malformed(line: index + 1, reason: "has the key of an earlier line")
            }
            signatures.append(signature)
        }
        return signatures
    }

    private init(line bytes: [UInt8], number: Int) throws(SignatureRefusal) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(line: number, reason: "is not UTF-8")
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == Self.header, words[1] == "ed25519" else {
            throw .malformed(line: number, reason: "is not a signature that this program knows; use a newer afcache")
        }
        guard words.count == 5, let keyBytes = Base64.decode(words[2]), let key = PublicKey(bytes: keyBytes),
            let created = Timestamp(iso8601: String(words[3])), created.iso8601 == words[3],
            let signature = Base64.decode(words[4]), signature.count == 64
        else { throw .malformed(line: number, reason: "is malformed") }
        self.key = key
        self.created = created
        self.bytes = signature
    }

    private static func message(_ digest: PackageDigest, created: Timestamp) -> [UInt8] {
        Array("afcache package signature 1\ncreated \(created.iso8601)\ndigest \(digest.hexadecimal)\n".utf8)
    }
}
