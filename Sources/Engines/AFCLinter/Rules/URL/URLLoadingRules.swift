internal import AFCPackageFormat

extension LintRules {
    /// The rules about URLs that loading also checks.
    static let urlLoading: [Description] = [
        Description(
            .urlCredentials,
            "a URL with a user name or password",
            """
            Everyone who has the package can read the user name and password. The entry is also useless, because \
            browsers send credentials in a header field and not as part of the URL. Remove them, and rebuild the \
            package. If they are real, change the password.
            """,
            bad: .manifest(
                "http://user:secret@d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/@user ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .urlFragment,
            "a URL with a fragment",
            """
            Browsers never send the part after '#', so the fragment is dropped. If another entry has the same URL \
            without a fragment, the two are duplicates. Remove the fragment; if '#' is part of the path, write '%23'.
            """,
            bad: .manifest(
                "http://d.example/a#b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a%23b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .urlInvalid,
            "a URL that isn't a valid absolute URL by the WHATWG URL Standard",
            """
            Browsers can't parse this URL, so no request can reach the entry. Relative URLs, ports above 65535, hosts \
            with forbidden characters and URLs of more than 8 KiB are refused. Write the full URL with scheme and \
            host, as copied from a browser's address bar.
            """,
            bad: .manifest(
                "http://d.example:99999/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example:9999/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .urlNotNormal,
            "a URL that isn't in the normal form of the URL Standard",
            """
            Browsers rewrite spaces, letters outside ASCII, uppercase hosts, default ports and '..' when they parse a \
            URL. afcache does the same and finds the entry, but older AFCache versions compare the text and don't. \
            Write the URL as the finding shows it.
            """,
            bad: .manifest(
                "http://d.example/a b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a%20b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
    ]
}
