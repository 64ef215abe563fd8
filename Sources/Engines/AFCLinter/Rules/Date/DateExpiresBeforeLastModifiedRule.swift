internal import AFCPackageFormat

enum DateExpiresBeforeLastModifiedRule: LoadRule {
    static let id = "date.expires-before-last-modified"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an entry that expires before it was modified"
    static let explanation = """
        A response can't be out of date before its body existed, so one of the two dates is wrong; often fields were \
        swapped, or a clock was. The entry is stale from the beginning. Set expires to the time until which it may \
        be used without asking, or to NULL.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Fri, 26 Mar 2004 18:43:30 GMT ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
    )
}
