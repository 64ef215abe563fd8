/// The rules for which signers are trusted.
public struct TrustPolicy: Sendable, Equatable {
    /// True if a package must be signed by a trusted key.
    public var requiresSignature: Bool
    /// The trusted keys; if empty, no package satisfies ``requiresSignature``.
    public var trusted: [PublicKey]

    /// Creates a policy.
    ///
    /// By default, packages need no signature.
    public init(requiresSignature: Bool = false, trusted: [PublicKey] = []) {
        self.requiresSignature = requiresSignature
        self.trusted = trusted
    }

    /// Checks who claims to have signed a package, before any body is read.
    ///
    /// - Parameter signatures: The signatures in the package, not verified yet.
    /// - Throws: ``SignatureRefusal`` if a trusted key must sign, and none claims to have done so.
    public func requireSigner(among signatures: [PackageSignature]) throws(SignatureRefusal) {
        guard requiresSignature else { return }
        guard !signatures.isEmpty else { throw .missing }
        guard signatures.contains(where: { trusted.contains($0.key) }) else {
            throw .untrusted(signatures.map(\.key))
        }
    }

    /// Verifies the signatures of a package.
    ///
    /// - Parameters:
    ///   - signatures: The signatures in the package.
    ///   - digest: The digest, computed from the package as read.
    /// - Returns: The verified signers.
    /// - Throws: ``SignatureRefusal`` if a signature is wrong, or if a trusted key must sign and none did.
    public func judge(
        _ signatures: [PackageSignature],
        for digest: PackageDigest
    ) throws(SignatureRefusal) -> SignatureVerdict {
        try requireSigner(among: signatures)
        var verdict = SignatureVerdict()
        for var signature in signatures {
            guard signature.isValid(for: digest) else { throw .wrong(signature.key) }
            if let known = trusted.first(where: { $0 == signature.key }) {
                signature.key.comment = known.comment
                verdict.trusted.append(signature)
            } else {
                verdict.unknown.append(signature)
            }
        }
        return verdict
    }
}

/// The signers of a package, after all its signatures were verified.
public struct SignatureVerdict: Sendable, Equatable {
    /// The signatures by trusted keys, with the comments of those keys.
    public var trusted: [PackageSignature] = []
    /// The signatures by keys that aren't trusted.
    public var unknown: [PackageSignature] = []

    /// Creates the verdict on an unsigned package.
    public init() {}

    /// True if the package has a signature.
    public var isSigned: Bool { !trusted.isEmpty || !unknown.isEmpty }
}
