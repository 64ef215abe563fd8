internal import AFCPackageFormat

extension LintRules {
    /// The rules about signatures that loading checks, too.
    static let signatureLoading: [Description] = [
        Description(
            "signature.malformed",
            .error,
            "a line of `.afcache/signature` that is no signature",
            """
            Each line has five words: 'afcache-signature-1 ed25519', the key, the time and the signature, and no key \
            signs twice. A line that can't be read may be of a newer program or be damaged; taking the package as not \
            signed would make removing a signature easy. Update afcache, or get the package again.
            """,
            bad: .words("a '.afcache/signature' that says 'signed'"),
            good: .words("a '.afcache/signature' that 'afcache pack --sign' wrote")
        ),
        Description(
            "signature.missing",
            .error,
            "a package that isn't signed where `--require-signature` asks for that",
            """
            Without a signature nobody can tell who made the package, or whether it was changed on its way. You asked \
            for one; get the package from somebody who signs, or have its maker sign it with 'afcache pack --sign'.
            """,
            bad: .words("a package that isn't signed, with '--require-signature'"),
            good: .words("a package signed by a key that '--trust' names, with '--require-signature'")
        ),
        Description(
            "signature.undated",
            .error,
            "a signed package without `created` in its `package.json`",
            """
            A response without a Date gets the package's own, so that date decides how long it is fresh. Without \
            'created' it would come from the zip's time of the manifest, which no signature covers, and anyone who hands \
            the package on could change it. Rebuild the package with 'afcache pack --sign'.
            """,
            bad: .words("a signed package whose '.afcache/package.json' is '{\"format\":1}'"),
            good: .words("a signed package that 'afcache pack' wrote")
        ),
        Description(
            "signature.untrusted",
            .error,
            "a package that only keys signed which `--trust` doesn't name, likewise",
            """
            Anybody can make a key and sign with it, so a signature proves something only where the key is one that you \
            know. The finding names the keys' identifiers: compare them with what the maker publishes elsewhere, and \
            then name that key with '--trust'.
            """,
            bad: .words("a signed package, with '--require-signature' and another key in '--trust'"),
            good: .words("a signed package, with '--require-signature' and its key in '--trust'")
        ),
        Description(
            "signature.wrong",
            .error,
            "a signature that doesn't fit the package",
            """
            Names, sizes and bodies of all members are signed; one of them isn't what it was. The package was changed \
            after it was signed, by accident or on purpose, so it is refused whether or not a signature is required. Get \
            it again from its maker.
            """,
            bad: .words("a signed package in which a body was changed"),
            good: .words("a signed package whose members were compressed again")
        ),
    ]
}
