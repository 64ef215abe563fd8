internal import AFCPackageFormat

extension LintRules {
    /// The rules about URLs that loading checks, too.
    static let urlLoading: [Description] = [
        Description(
            .urlCredentials,
            "a URL with a user name or password",
            """
            Everybody who has the package can read them, and nobody asks for such a URL: browsers send credentials in a \
            field, not in the request's target. Remove them and rebuild the package; where they were real, change the \
            password.
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
            What follows '#' never leaves the browser: the request is for the URL without it. The fragment is dropped, \
            and where another entry has the same URL without one, they are duplicates. Remove it; where '#' is a part of \
            the path, write '%23'.
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
            "a URL that is not absolute by the WHATWG URL Standard",
            """
            An entry is found by its URL, so a URL that browsers can't parse is one that nobody can ask for. Relative \
            ones have no host; this also refuses ports above 65535, hosts with characters that none may have, and URLs \
            of more than 8 KiB. Write it with scheme and host, as a browser shows it when it is copied from the address \
            bar.
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
            "a URL that is not written as the standard serialises it",
            """
            Spaces, letters outside ASCII, capitals in the host, a default port and '..' are all rewritten when a \
            browser parses a URL. This reader does the same, so the entry is found; AFCache's readers compare the text, \
            and never find it. Write the form that the finding names.
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
