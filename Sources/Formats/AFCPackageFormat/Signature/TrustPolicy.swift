/// Whose packages are taken.
public struct TrustPolicy: Sendable, Equatable {
    /// Whether a package must be signed by a trusted key.
    public var requiresSignature: Bool
    /// The keys that are trusted; without any, nothing satisfies ``requiresSignature``.
    public var trusted: [PublicKey]

    /// Creates a policy; by default packages need no signature.
    public init(requiresSignature: Bool = false, trusted: [PublicKey] = []) {
        self.requiresSignature = requiresSignature
        self.trusted = trusted
    }

    /// Decides, as far as that is possible before a body is read, whether a package may be taken.
    ///
    /// - Parameter signatures: What the package claims; nobody has checked it.
    /// - Throws: ``SignatureRefusal`` where it is required that a trusted key signs, and none claims to.
    public func requireSigner(among signatures: [PackageSignature]) throws(SignatureRefusal) {
        guard requiresSignature else { return }
        guard !signatures.isEmpty else { throw .missing }
        guard signatures.contains(where: { trusted.contains($0.key) }) else {
            throw .untrusted(signatures.map(\.key))
        }
    }

    /// Decides whether a package may be taken.
    ///
    /// - Parameters:
    ///   - signatures: What the package claims.
    ///   - digest: All that matters in the package, computed from what was read.
    /// - Returns: Who signed.
    /// - Throws: ``SignatureRefusal`` where a signature is wrong, or no trusted key signed and that is required.
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

/// Who signed a package; every signature in it was checked.
public struct SignatureVerdict: Sendable, Equatable {
    /// Signatures by keys that are trusted, with the comments of those.
    public var trusted: [PackageSignature] = []
    /// Signatures by keys that nobody vouches for.
    public var unknown: [PackageSignature] = []

    /// The verdict on a package that isn't signed.
    public init() {}

    /// Whether anybody signed.
    public var isSigned: Bool { !trusted.isEmpty || !unknown.isEmpty }
}
