extension LintRules {
    /// The rules about signatures that loading checks, too.
    static let signatureLoading = [
        refused(
            "signature.malformed",
            "a line of `.afcache/signature` that is no signature",
            """
            Each line has five words: 'afcache-signature-1 ed25519', the key, the time and the signature, and no key \
            signs twice. A line that can't be read may be of a newer program or be damaged; taking the package as not \
            signed would make removing a signature easy. Update afcache, or get the package again.
            """,
            bad: "a '.afcache/signature' that says 'signed'",
            good: "a '.afcache/signature' that the packager wrote"
        ),
        refused(
            "signature.missing",
            "a package that isn't signed where a signature is required",
            """
            Without a signature nobody can tell who made the package, or whether it was changed on its way. You asked \
            for one; get the package from somebody who signs, or ask its maker to sign it.
            """,
            bad: "a package that isn't signed, where a signature is required",
            good: "a package signed by a trusted key, where a signature is required"
        ),
        refused(
            "signature.undated",
            "a signed package without `created` in its `package.json`",
            """
            A response without a Date gets the package's own, so that date decides how long it is fresh. Without \
            'created' it would come from the zip's time of the manifest, which no signature covers, and anyone who hands \
            the package on could change it. Rebuild the package and sign it.
            """,
            bad: "a signed package whose '.afcache/package.json' is '{\"format\":1}'",
            good: "a signed package that the packager wrote"
        ),
        refused(
            "signature.untrusted",
            "a package that no trusted key signed where a signature is required",
            """
            Anybody can make a key and sign with it, so a signature proves something only where the key is one that you \
            know. The finding names the keys' identifiers: compare them with what the maker publishes elsewhere, and \
            then trust that key.
            """,
            bad: "a signed package, where a signature is required and another key is trusted",
            good: "a signed package, where a signature is required and its key is trusted"
        ),
        refused(
            "signature.wrong",
            "a signature that doesn't fit the package",
            """
            Names, sizes and bodies of all members are signed; one of them isn't what it was. The package was changed \
            after it was signed, by accident or on purpose, so it is refused whether or not a signature is required. Get \
            it again from its maker.
            """,
            bad: "a signed package in which a body was changed",
            good: "a signed package whose members were compressed again"
        ),
    ]
}
