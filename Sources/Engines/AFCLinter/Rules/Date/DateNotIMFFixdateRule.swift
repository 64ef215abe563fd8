internal import AFCPackageFormat

enum DateNotIMFFixdateRule: LoadRule {
    static let id = "date.not-imf-fixdate"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a date in another form than HTTP's"
    static let explanation = """
        This reader also understands what packagers wrote over the years: 'GMT+00:00', ISO 8601, seconds since 1970, \
        a one-digit day. Other readers of the format know only the form of HTTP, and may read another time or none. \
        A weekday that isn't the date's is reported, too: the date counts, but one of the two is a mistake. Write the \
        form that the finding names.
        """
    static let bad = LintExample.manifest("http://d.example/a ; 2004-03-27T18:43:30Z ; NULL ; text/plain\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
}
