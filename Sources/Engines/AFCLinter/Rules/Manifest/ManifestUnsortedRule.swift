internal import AFCPackageFormat

enum ManifestUnsortedRule: LoadRule {
    static let id = "manifest.unsorted"
    static let severity = PackageProblem.Severity.info
    static let summary = "an entry that sorts before the one above"
    static let explanation = """
        Entries are sorted by the bytes of their URLs, capitals before small letters. Then two packs of one site can \
        be compared line by line, and reading takes the least time and memory, since a URL that comes twice is seen \
        at once. Sort the lines with 'LC_ALL=C sort', below a header.
        """
    static let bad = LintExample.manifest(
        "http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/B ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
}
