internal import AFCPackageFormat

enum DateExpiresEqualsLastModifiedRule: LoadRule {
    static let id = "date.expires-equals-last-modified"
    static let severity = PackageProblem.Severity.warning
    static let summary = "the mistake of AFCache's 0.13 packager"
    static let explanation = """
        AFCache's 0.13 packager wrote the last-modified date into both fields, whatever it was asked for. Nobody \
        meant that: every entry is stale on arrival, and is served as such or not at all. Set expires to the time \
        until which the entry may be used without asking, or to NULL.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sat, 27 Mar 2004 18:43:30 GMT ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; Sun, 28 Mar 2094 18:43:30 GMT ; text/plain\n"
    )
}
