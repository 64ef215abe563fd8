internal import AFCPackageFormat

extension LintRules {
    /// The rules about the sidecar that loading also checks.
    static let sidecarLoading: [Description] = [
        Description(
            .sidecarBadAbsent,
            "a list of absent URLs that can't be used",
            """
            '.afcache/absent' lists the URLs that the crawl requested and the site doesn't have, so that they get status \
            404 or 410 offline, too. Each line must be '404 URL' or '410 URL', sorted by URL. A URL must not be in the \
            package, and the package must have something from its origin. Without that, the package is refused. Correct \
            the member, or remove it.
            """,
            bad: .words("an '.afcache/absent' that lists a URL of the package"),
            good: .words("an '.afcache/absent' that lists another URL of the same site")
        ),
        Description(
            .sidecarBadFallback,
            "a `fallback.json` that can't be used",
            """
            '.afcache/fallback.json' names the pages that answer navigations to URLs that the package doesn't have. \
            It must be a JSON object with 'base', a URL that ends in '/', and 'application' or 'missing' or both: URLs \
            below the base that the package has with status 200. Without that, the package is refused. Correct the \
            member, or remove it.
            """,
            bad: .words("a fallback.json whose 'missing' names a URL that isn't in the package"),
            good: .words("a fallback.json whose 'missing' names a page of the package")
        ),
        Description(
            .sidecarBadInfo,
            "a `package.json` that can't be read",
            """
            '.afcache/package.json' gives the version of the package format. It is damaged or lacks 'format', so the \
            version is unknown, and a wrong guess could serve wrong responses. It must be a JSON object with \
            '"format": 1'. Rebuild the package, or remove the whole '.afcache/' folder; a package loads without it.
            """,
            bad: .words("a '.afcache/package.json' of '{}'"),
            good: .words("a '.afcache/package.json' of '{\"format\":1}'")
        ),
        Description(
            .sidecarBadMatch,
            "a `match.json` that can't be used",
            """
            '.afcache/match.json' says which URL parameters make no difference, so a wrong rule would serve wrong \
            pages. It must be a JSON object whose 'rules' each have a 'path' and either 'ignore' or 'keep', as \
            docs/reference/format.md describes. Without that, the package is refused. Correct the member, or remove it.
            """,
            bad: .words("a rule with a 'path' and neither 'ignore' nor 'keep'"),
            good: .words("a rule '{\"path\":\"/api/*\",\"ignore\":[\"nonce\"]}'")
        ),
        Description(
            .sidecarBadRecord,
            "an invalid line in `resources.jsonl`",
            """
            Each line of '.afcache/resources.jsonl' must be a JSON object with at least 'url' and 'status', and with \
            values of the types that docs/reference/format.md lists. Without a valid record, a redirect could be lost or wrong \
            header fields could be served, so the package is refused. Rebuild it, or remove the '.afcache/' folder.
            """,
            bad: .words("a record without 'status'"),
            good: .words("a record with only 'url' and 'status'")
        ),
        Description(
            .sidecarDigest,
            "a body whose SHA-256 differs from its record",
            """
            The body isn't the one that was packed, even if the zip's checksum matches: it was replaced or edited \
            afterwards. Only a check that reads the bodies finds this. Rebuild the package; if you edited the body on \
            purpose, repacking can accept that.
            """,
            bad: .words("a record whose 'sha256' is that of another body"),
            good: .words("a record whose 'sha256' is that of its body")
        ),
        Description(
            .sidecarDisagrees,
            "a value that differs between the manifest and the record",
            """
            The manifest overrides the record: its media type and dates are used, and a different expires date also \
            removes max-age and s-maxage. If you edited the manifest on purpose, nothing needs to be done; otherwise \
            check which value is correct.
            """,
            bad: .words("an entry with 'text/plain' whose record has the content-type 'text/html'"),
            good: .words("an entry with 'text/plain' whose record has the content-type 'text/plain'")
        ),
        Description(
            .sidecarDuplicateRecord,
            "two records for the same URL",
            """
            A URL has one response. With two records, programs could choose differently, so the package is refused \
            even if the records agree. Keep one of the lines, or rebuild the package.
            """,
            bad: .words("two records with the same 'url'"),
            good: .words("two records whose URLs differ only in the scheme")
        ),
        Description(
            .sidecarNewerFormat,
            "a package in a newer format",
            """
            The number 'format' in '.afcache/package.json' increases when an older program would misread the package. \
            This program reads version 1. Update afcache, or ask for a package in the older format.
            """,
            bad: .words("a '.afcache/package.json' of '{\"format\":2}'"),
            good: .words("a '.afcache/package.json' of '{\"format\":1}'")
        ),
        Description(
            .sidecarPatch,
            "a zip that is a patch",
            """
            The member '.afcache/delta' says that the zip is a patch, which leads from one package to another. With a \
            manifest beside it, the zip could be read as a package, or as a patch with other contents, so every reader \
            refuses it. Load a patch into a cache that holds the old package; from a package, remove the member.
            """,
            bad: .words("a package with a member '.afcache/delta'"),
            good: .words("the same package without it")
        ),
        Description(
            .sidecarRecordWithoutEntry,
            "a record that has no entry",
            """
            Only redirects have a record without an entry, because they have no body. Any other such record is \
            ignored, and its URL isn't served. If the line was removed from the manifest on purpose, remove the \
            record; otherwise restore the line.
            """,
            bad: .words("a record of status 200 without an entry"),
            good: .words("a record of status 301 with 'location' and without an entry")
        ),
        Description(
            .sidecarSize,
            "a record whose size differs from the body's",
            """
            The record says how many bytes the body had when it was fetched, but the member has another size. One of \
            them was changed or cut off, or the package was assembled by hand. Rebuild the package; if \
            you edited it on purpose, repacking can accept that.
            """,
            bad: .words("a record with '\"size\":5' for a body of 4 bytes"),
            good: .words("a record with '\"size\":4' for a body of 4 bytes")
        ),
    ]
}
