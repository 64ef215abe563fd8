/// Why a package's signatures keep it from being taken.
public enum SignatureRefusal: Error, Equatable, Sendable {
    /// A signature is required, and the package has none.
    case missing
    /// A signature is required, and only keys signed that aren't trusted.
    case untrusted([PublicKey])
    /// A signature doesn't fit the package.
    case wrong(PublicKey)
    /// A line, from 1, of `.afcache/signature` is no signature.
    case malformed(line: Int, reason: String)
    /// The package's date stands outside of what is signed.
    case undated

    /// The stable identifier.
    public var rule: String {
        switch self {
        case .missing: "signature.missing"
        case .untrusted: "signature.untrusted"
        case .wrong: "signature.wrong"
        case .malformed: "signature.malformed"
        case .undated: "signature.undated"
        }
    }

    /// What is wrong and the remedy; lower case, no full stop.
    public var sentence: String {
        switch self {
        case .missing: return "the package is not signed; get it from somebody who signs"
        case .untrusted(let keys):
            let ids = keys.prefix(4).map(\.id).joined(separator: ", ") + (keys.count > 4 ? ", …" : "")
            return "the package is signed by \(ids), and no trusted key is among them"
        case .wrong(let key):
            return "the signature by \(key.id) doesn't fit; the package was changed after it was signed"
        case .malformed(let line, let reason): return "line \(line) of '\(PackageLayout.signature)' \(reason)"
        case .undated:
            return "the package is signed, but has no valid 'created' in '\(PackageLayout.info)', and so no signed date"
        }
    }
}
