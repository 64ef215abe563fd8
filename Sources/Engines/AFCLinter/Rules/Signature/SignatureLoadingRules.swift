extension LintRules {
    /// The rules about signatures that loading also checks.
    static let signatureLoading = [
        refused(
            "signature.malformed",
            "an invalid line in `.afcache/signature`",
            """
            Each line has five words: 'afcache-signature-1 ed25519', the key, the time and the signature. No key may \
            sign twice. An invalid line is damaged or comes from a newer program. The package isn't treated as \
            unsigned, because otherwise anyone could remove a signature by damaging it. Update afcache, or download \
            the package again.
            """,
            bad: "a '.afcache/signature' that contains 'signed'",
            good: "a '.afcache/signature' that the packager wrote"
        ),
        refused(
            "signature.missing",
            "an unsigned package where a signature is required",
            """
            You required a signature, and without one nobody can tell who made the package or whether it was changed. \
            Ask the publisher to sign the package, or get it from someone who does.
            """,
            bad: "an unsigned package, where a signature is required",
            good: "a package signed by a trusted key, where a signature is required"
        ),
        refused(
            "signature.undated",
            "a signed package without `created` in its `package.json`",
            """
            The date of the package decides how long responses without a Date field are fresh. Without 'created', the \
            date would be the manifest's time in the zip. The signature doesn't cover that time, so anyone could \
            change it. Rebuild the package and sign it.
            """,
            bad: "a signed package whose '.afcache/package.json' is '{\"format\":1}'",
            good: "a signed package that the packager wrote"
        ),
        refused(
            "signature.untrusted",
            "a package without a signature by a trusted key, where a signature is required",
            """
            Anyone can create a key and sign with it, so a signature proves something only if you know the key. The \
            finding lists the identifiers of the keys. Compare them with those that the publisher lists elsewhere, for \
            example on a website. If they match, trust that key.
            """,
            bad: "a signed package, where a signature is required and another key is trusted",
            good: "a signed package, where a signature is required and its key is trusted"
        ),
        refused(
            "signature.wrong",
            "a signature that doesn't match the package",
            """
            The signature covers the names, sizes and bodies of all members, and one of them has changed since the \
            package was signed, by accident or on purpose. The package is refused, even if no signature is required. \
            Get it again from its publisher.
            """,
            bad: "a signed package in which a body was changed",
            good: "a signed package whose members were compressed again"
        ),
    ]
}
