internal import AFCPackageFormat

extension LintRules {
    /// The rules about dates that loading checks, too.
    static let dateLoading: [Description] = [
        Description(
            .dateExpiresBeforeLastModified,
            "an entry that expires before it was modified",
            """
            A response can't be out of date before its body existed, so one of the two dates is wrong; often fields were \
            swapped, or a clock was. The entry is stale from the beginning. Set expires to the time until which it may \
            be used without asking, or to NULL.
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
            "the mistake of AFCache's 0.13 packager",
            """
            AFCache's 0.13 packager wrote the last-modified date into both fields, whatever it was asked for. Nobody \
            meant that: every entry is stale on arrival, and is served as such or not at all. Set expires to the time \
            until which the entry may be used without asking, or to NULL.
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
            "a date that can't be understood",
            """
            The field counts as NULL: without last-modified an origin can't be asked whether something changed, and \
            without expires the entry is never fresh. Impossible dates, such as the 31st of April, are among these. \
            Write an IMF-fixdate (RFC 9110, section 5.6.7), for example 'Sun, 06 Nov 1994 08:49:37 GMT', or NULL.
            """,
            bad: .manifest("http://d.example/a ; tomorrow ; NULL ; text/plain\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
        Description(
            .dateNotIMFFixdate,
            "a date in another form than HTTP's",
            """
            This reader also understands what packagers wrote over the years: 'GMT+00:00', ISO 8601, seconds since 1970, \
            a one-digit day. Other readers of the format know only the form of HTTP, and may read another time or none. \
            A weekday that isn't the date's is reported, too: the date counts, but one of the two is a mistake. Write the \
            form that the finding names.
            """,
            bad: .manifest("http://d.example/a ; 2004-03-27T18:43:30Z ; NULL ; text/plain\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
    ]
}
