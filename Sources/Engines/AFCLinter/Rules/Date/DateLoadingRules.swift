internal import AFCPackageFormat

extension LintRules {
    /// The rules about dates that loading also checks.
    static let dateLoading: [Description] = [
        Description(
            .dateExpiresBeforeLastModified,
            "an entry whose expires date is before its last-modified date",
            """
            A response can't expire before its body existed, so one of the two dates is wrong. Often the two fields \
            were swapped, or a clock was wrong. The entry is stale from the start. Set expires to the time until which \
            the response is fresh, or to NULL.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Fri, 26 Mar 2004 18:43:30 GMT ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
            )
        ),
        Description(
            .dateExpiresEqualsLastModified,
            "an entry whose expires date equals its last-modified date",
            """
            AFCache's 0.13 packager wrote the last-modified date into both fields by mistake. Such an entry is stale \
            as soon as it is loaded. Set expires to the time until which the response is fresh, or to NULL.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sat, 27 Mar 2004 18:43:30 GMT ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
            )
        ),
        Description(
            .dateInvalid,
            "a date that can't be parsed",
            """
            The date counts as NULL. Without last-modified, a cache can't ask the origin whether the resource changed; \
            without expires, the entry is never fresh. Impossible dates such as April 31 are reported as well. Write \
            an IMF-fixdate (RFC 9110 §5.6.7), for example 'Sun, 06 Nov 1994 08:49:37 GMT', or NULL.
            """,
            bad: .manifest("http://d.example/a ; tomorrow ; NULL ; text/plain\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
        Description(
            .dateNotIMFFixdate,
            "a date that isn't in HTTP's format",
            """
            afcache understands formats that packagers have written over the years: 'GMT+00:00', ISO 8601, seconds \
            since 1970, a one-digit day. Other programs know only the HTTP format (IMF-fixdate) and may misread the \
            date or ignore it. A wrong weekday is reported as well, and the weekday is ignored. Write the date as the \
            finding shows it.
            """,
            bad: .manifest("http://d.example/a ; 2004-03-27T18:43:30Z ; NULL ; text/plain\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
    ]
}
