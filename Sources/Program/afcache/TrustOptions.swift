import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

/// Whose packages are taken, and what decrypts them: for commands that read packages.
struct TrustOptions: ParsableArguments {
    @Flag(help: "Refuse a package that none of the trusted keys signed.")
    var requireSignature = false

    @Option(help: "A file of public keys to trust, one a line. Repeatable.", completion: .file())
    var trust: [String] = []

    @Option(
        help: "A file whose first line is the password of an encrypted package. (default: AFCACHE_PASSWORD, or typed)",
        completion: .file()
    )
    var passwordFile: String?

    /// Whether the user cares who signed.
    var isUsed: Bool { requireSignature || !trust.isEmpty }

    /// The error for options that are for packages, used with a cache.
    var areForPackagesOnly: ValidationError {
        ValidationError(
            "'--trust', '--require-signature' and '--password-file' are for packages; a cache was checked when it was "
                + "loaded"
        )
    }

    func validate() throws {
        guard !requireSignature || !trust.isEmpty else {
            throw ValidationError("--require-signature needs --trust with a file of public keys")
        }
    }

    /// The policy, with the trust files read.
    func policy() throws -> TrustPolicy {
        TrustPolicy(requiresSignature: requireSignature, trusted: try trust.flatMap { try KeyFile.publicKeys($0) })
    }
}

extension SignatureVerdict {
    /// Who signed, as the end of a sentence, or nil where nobody did.
    var words: String? {
        guard isSigned else { return nil }
        let known = trusted.map { signature in
            let comment = signature.key.comment.map { "\(PrintableText.quoted($0)) " } ?? ""
            return "\(comment)\(signature.key.id) on \(signature.created.iso8601)"
        }
        let others = unknown.map { "\($0.key.id) (not trusted) on \($0.created.iso8601)" }
        return "signed by " + (known + others).joined(separator: " and ")
    }
}
