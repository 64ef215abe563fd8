internal import AFCPackageFormat

enum URLFragmentRule: LoadRule {
    static let id = "url.fragment"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a URL with a fragment"
    static let explanation = """
        What follows '#' never leaves the browser: the request is for the URL without it. The fragment is dropped, \
        and where another entry has the same URL without one, they are duplicates. Remove it; where '#' is a part of \
        the path, write '%23'.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a#b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a%23b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
