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

    /// What a signature is for; a signature for one purpose is never valid for another.
    package enum Purpose: Sendable {
        case package
        case channel

        var header: String {
            switch self {
            case .package: "afcache-signature-1"
            case .channel: "afcache-channel-signature-1"
            }
        }

        var title: String {
            switch self {
            case .package: "afcache package signature 1"
            case .channel: "afcache channel signature 1"
            }
        }
    }

    /// Signs a package; nil if the system has no randomness for signing.
    ///
    /// - Parameters:
    ///   - digest: The package's digest.
    ///   - key: The signer's key.
    ///   - created: The time of signing.
    public init?(_ digest: PackageDigest, by key: SigningKey, created: Timestamp) {
        self.init(digest.hexadecimal, for: .package, by: key, created: created)
    }

    /// Signs a digest for a purpose; nil if the system has no randomness for signing.
    ///
    /// - Parameters:
    ///   - digest: The digest in lower-case hexadecimal digits.
    ///   - purpose: What the signature is for.
    ///   - key: The signer's key.
    ///   - created: The time of signing.
    package init?(_ digest: String, for purpose: Purpose, by key: SigningKey, created: Timestamp) {
        guard let bytes = key.signature(for: Self.message(digest, purpose, created: created)) else { return nil }
        self.key = key.publicKey
        self.created = created
        self.bytes = bytes
    }

    /// Returns true if the key made the signature for this package and time.
    public func isValid(for digest: PackageDigest) -> Bool { isValid(for: digest.hexadecimal, .package) }

    /// Returns true if the key made the signature for this digest, purpose and time.
    package func isValid(for digest: String, _ purpose: Purpose) -> Bool {
        key.isValid(bytes, for: Self.message(digest, purpose, created: created))
    }

    /// The line, including its line end.
    public var line: String { line(for: .package) }

    /// Returns the line of a signature for a purpose, including its line end.
    package func line(for purpose: Purpose) -> String {
        "\(purpose.header) ed25519 \(Base64.encode(key.bytes)) \(created.iso8601) \(Base64.encode(bytes))\n"
    }

    /// Reads the signatures of a package.
    ///
    /// - Parameter text: The member `.afcache/signature`.
    /// - Returns: At least one signature, no two by the same key.
    /// - Throws: ``SignatureRefusal/malformed(line:reason:)`` for the first line that is not a signature.
    public static func list(_ text: [UInt8]) throws(SignatureRefusal) -> [PackageSignature] {
        try list(text, for: .package, after: 0)
    }

    /// Reads the signatures for a purpose.
    ///
    /// - Parameters:
    ///   - text: The lines of signatures.
    ///   - purpose: What they are for.
    ///   - count: The number of lines before them, for errors.
    /// - Returns: At least one signature, no two by the same key.
    /// - Throws: ``SignatureRefusal/malformed(line:reason:)`` for the first line that is not a signature.
    package static func list(
        _ text: [UInt8],
        for purpose: Purpose,
        after count: Int
    ) throws(SignatureRefusal) -> [PackageSignature] {
        var signatures: [PackageSignature] = []
        guard text.last == UInt8(ascii: "\n") else {
            throw .malformed(line: count + 1, reason: "is empty or cut off")
        }
        let lines = text.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let number = count + index + 1
            let signature = try PackageSignature(line: Array(bytes), purpose, number: number)
            guard !signatures.contains(where: { $0.key == signature.key }) else {
                throw .malformed(line: number, reason: "has the key of an earlier line")
            }
            signatures.append(signature)
        }
        return signatures
    }

    private init(line bytes: [UInt8], _ purpose: Purpose, number: Int) throws(SignatureRefusal) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed(line: number, reason: "is not UTF-8")
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[0] == purpose.header, words[1] == "ed25519" else {
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

    private static func message(_ digest: String, _ purpose: Purpose, created: Timestamp) -> [UInt8] {
        Array("\(purpose.title)\ncreated \(created.iso8601)\ndigest \(digest)\n".utf8)
    }
}
