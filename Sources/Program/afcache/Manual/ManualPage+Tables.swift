extension ManualPage {
    /// The exit codes in the words of docs/exit-codes.md, which a test compares.
    static let exitCodes: [(code: Int32, meaning: String)] = [
        (0, "Done. get: the response is fresh, or doesn't say how long. lint: nothing as bad as --fail-on."),
        (
            1,
            "lint: a finding at least as bad as --fail-on. cache verify, cache repair: something in the store is wrong."
        ),
        (2, "get: the body was written, and the response has expired."),
        (3, "get: the store has nothing for the URL. cache: the store has no such package, or no previous generation."),
        (4, "get: the response was refused, since it has expired or isn't known to be fresh."),
        (5, "pack: the package was written, and some URLs failed. sync: some packages failed and stayed as they were."),
        (6, "pack: nothing could be fetched or found, so no package was written."),
        (10, "The package is invalid; nothing was changed."),
        (
            11,
            "A file, folder, address or the authority can't be used; nothing was changed. Or standard output can't be "
                + "written."
        ),
        (12, "There is no store, or it is damaged, or a newer program wrote it."),
        (13, "Another process is writing to the store, and --wait ended; nothing was changed."),
        (14, "The store's limits leave no room beside what is pinned; nothing was changed."),
        (15, "The package isn't signed as --require-signature asks, or its signature is wrong; nothing was changed."),
        (16, "The package is encrypted, and its password is missing or wrong; nothing was changed."),
        (17, "load: the package can't be downloaded in full; a partial download is kept if it can be resumed."),
        (64, "Wrong arguments, or a wrong sync file or configuration."),
        (130, "Interrupted by Control-C or SIGINT; nothing was changed. pack: what was fetched is kept."),
        (143, "pack: stopped by SIGTERM; what was fetched is kept."),
    ]

    /// The variables of the environment that the program reads.
    static let variables: [(word: String, meaning: String)] = [
        ("AFCACHE_CACHE", "The cache of commands without --cache."),
        ("AFCACHE_PASSWORD", "The password of encrypted packages, where --password-file isn't given."),
        ("AFCACHE_BASIC", "user:password for the starts' origin of a crawl."),
        ("AFCACHE_BEARER", "A token for the starts' origin of a crawl."),
        ("AFCACHE_PROXY_BASIC", "user:password for --proxy of a crawl."),
        ("SOURCE_DATE_EPOCH", "The time of packing, in seconds since 1970: the same input gives the same bytes."),
        ("XDG_CONFIG_HOME", "The folder above afcache/ca, the local authority; ~/.config without it."),
    ]

    /// The files that the program uses without being told.
    static let files: [(word: String, meaning: String)] = [
        ("~/.config/afcache/ca", "The local certificate authority, with which https is answered offline.")
    ]
}
