/// The reason why a package is refused because of its signatures.
public enum SignatureRefusal: Error, Equatable, Sendable {
    /// A signature is required, but the package has none.
    case missing
    /// A signature is required, but only untrusted keys signed.
    case untrusted([PublicKey])
    /// A signature doesn't match the package.
    case wrong(PublicKey)
    /// A line of `.afcache/signature`, from 1, is not a signature.
    case malformed(line: Int, reason: String)
    /// The package's date is not part of what is signed.
    case undated

    /// The stable identifier of the broken rule.
    public var rule: String {
        switch self {
        case .missing: "signature.missing"
        case .untrusted: "signature.untrusted"
        case .wrong: "signature.wrong"
        case .malformed: "signature.malformed"
        case .undated: "signature.undated"
        }
    }

    /// A sentence that says what is wrong and what to do; lower case, no full stop.
    public var sentence: String {
        switch self {
        case .missing: return "the package is not signed; get a signed package from its publisher"
        case .untrusted(let keys):
            let ids = keys.prefix(4).map(\.id).joined(separator: ", ") + (keys.count > 4 ? ", …" : "")
            return "the package is signed by \(ids), but not by a trusted key"
        case .wrong(let key):
            return "the signature by \(key.id) doesn't match; the package was changed after it was signed"
        case .malformed(let line, let reason): return "line \(line) of '\(PackageLayout.signature)' \(reason)"
        case .undated:
            return "the package is signed, but its date is not: '\(PackageLayout.info)' has no valid 'created'"
        }
    }
}
