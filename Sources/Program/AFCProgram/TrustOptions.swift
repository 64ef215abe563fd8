import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

/// The options for signatures and passwords, for commands that read packages.
struct TrustOptions: ParsableArguments {
    @Flag(help: "Refuse a package that isn't signed by a trusted key.")
    var requireSignature = false

    @OptionGroup var keys: TrustedKeysOption

    @OptionGroup var password: PasswordOption

    /// True if signatures are checked.
    var isUsed: Bool { requireSignature || !keys.trust.isEmpty }

    /// The error for options for packages that are used with a cache.
    var areForPackagesOnly: ValidationError {
        ValidationError(
            "'--trust', '--require-signature' and '--password-file' are for packages; remove them to read a cache, whose "
                + "packages were checked when they were loaded"
        )
    }

    func validate() throws {
        guard !requireSignature || !keys.trust.isEmpty else {
            throw ValidationError("'--require-signature' needs '--trust' with a file of public keys")
        }
    }

    /// Returns the policy, after reading the trust files.
    func policy() throws -> TrustPolicy {
        TrustPolicy(requiresSignature: requireSignature, trusted: try keys.publicKeys())
    }
}

/// The option for keys that sign packages and channels.
struct TrustedKeysOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Trust the public keys in this file, one per line. Repeatable.", valueName: "file"),
        completion: .file()
    )
    var trust: [String] = []

    /// Returns the keys in the files.
    func publicKeys() throws -> [PublicKey] { try trust.flatMap { try KeyFile.publicKeys($0) } }
}

/// The option for the password of a package.
struct PasswordOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file whose first line is the password of the package. (default: AFCACHE_PASSWORD, or a prompt)",
            valueName: "file"
        ),
        completion: .file()
    )
    var passwordFile: String?
}

extension SignatureVerdict {
    /// The signers as the end of a sentence, or nil if the package isn't signed.
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
