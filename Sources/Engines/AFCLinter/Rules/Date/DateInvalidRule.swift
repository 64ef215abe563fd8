internal import AFCPackageFormat

enum DateInvalidRule: LoadRule {
    static let id = "date.invalid"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a date that can't be understood"
    static let explanation = """
        The field counts as NULL: without last-modified an origin can't be asked whether something changed, and \
        without expires the entry is never fresh. Impossible dates, such as the 31st of April, are among these. \
        Write an IMF-fixdate (RFC 9110, section 5.6.7), for example 'Sun, 06 Nov 1994 08:49:37 GMT', or NULL.
        """
    static let bad = LintExample.manifest("http://d.example/a ; tomorrow ; NULL ; text/plain\n")
    static let good = LintExample.manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
}
