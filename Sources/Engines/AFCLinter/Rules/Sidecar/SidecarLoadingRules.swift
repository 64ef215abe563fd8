internal import AFCPackageFormat

extension LintRules {
    /// The rules about the sidecar that loading checks, too.
    static let sidecarLoading: [Description] = [
        Description(
            .sidecarBadInfo,
            "a `package.json` that can't be read",
            """
            '.afcache/package.json' says by which version of the format the package is to be understood; where it is \
            damaged, or lacks 'format', that is unknown, and guessing could serve wrong responses. It must be a JSON \
            object with '"format": 1'. Rebuild the package, or leave the whole folder '.afcache/' out: a package loads \
            without.
            """,
            bad: .words("a '.afcache/package.json' of '{}'"),
            good: .words("a '.afcache/package.json' of '{\"format\":1}'")
        ),
        Description(
            .sidecarBadRecord,
            "a line of `resources.jsonl` that is no record",
            """
            Each line of '.afcache/resources.jsonl' is one JSON object with at least 'url' and 'status', and with values \
            of the kinds that docs/format.md lists. Records hold what a response had besides its body, so one that can't \
            be read may be a redirect that is lost or a field that is served wrongly. Rebuild the package, or leave \
            '.afcache/' out.
            """,
            bad: .words("a record without 'status'"),
            good: .words("a record with 'url' and 'status' alone")
        ),
        Description(
            .sidecarDigest,
            "a record with a different SHA-256 than the body",
            """
            The body isn't the one that the packager fetched, though the zip's own checksum may fit: somebody exchanged \
            or edited it after packing. This is noticed only where bodies are read. Rebuild \
            the package; where you edited the body on purpose, remove 'sha256' and 'size' from its record.
            """,
            bad: .words("a record whose 'sha256' is that of another body"),
            good: .words("a record whose 'sha256' is that of its body")
        ),
        Description(
            .sidecarDisagrees,
            "a value that differs between manifest and record",
            """
            The manifest is what people edit, so it wins: its media type and dates replace those of the record, and an \
            expires that differs also removes max-age and s-maxage. That is how a package is corrected by hand, and \
            needs nothing done; where nobody edited it, look which value is right.
            """,
            bad: .words("an entry with 'text/plain' whose record has the content-type 'text/html'"),
            good: .words("an entry with 'text/plain' whose record has the content-type 'text/plain'")
        ),
        Description(
            .sidecarDuplicateRecord,
            "two records for one URL",
            """
            One URL has one response. With two records readers would choose differently, so the package is refused, even \
            where the records agree. Keep one of the lines, or rebuild the package.
            """,
            bad: .words("two records with one 'url'"),
            good: .words("two records whose URLs differ in the scheme alone")
        ),
        Description(
            .sidecarNewerFormat,
            "a package that needs a newer program",
            """
            The number 'format' in '.afcache/package.json' grows when an old program would misunderstand a package. This \
            program reads version 1. Update afcache, or ask whoever made the package for one in the older format.
            """,
            bad: .words("a '.afcache/package.json' of '{\"format\":2}'"),
            good: .words("a '.afcache/package.json' of '{\"format\":1}'")
        ),
        Description(
            .sidecarRecordWithoutEntry,
            "a record of a resource that has no entry",
            """
            Only redirects have a record and no entry, since they have no body. Any other record without one is ignored, \
            and its URL isn't served. Somebody may have removed the line from the manifest, and then the record is a \
            leftover; else add the entry again.
            """,
            bad: .words("a record of status 200 whose URL no entry has"),
            good: .words("a record of status 301, with 'location', whose URL no entry has")
        ),
        Description(
            .sidecarSize,
            "a record with another size than the body",
            """
            The record says how many bytes the body had when it was fetched; the member has another number, so one of \
            them was changed or cut off since, or the package was put together by hand. Which one is right can't be told \
            from here: rebuild the package.
            """,
            bad: .words("a record with '\"size\":5' for a body of 4 bytes"),
            good: .words("a record with '\"size\":4' for a body of 4 bytes")
        ),
    ]
}
