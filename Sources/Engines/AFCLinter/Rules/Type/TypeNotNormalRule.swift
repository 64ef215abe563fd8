internal import AFCPackageFormat

enum TypeNotNormalRule: LoadRule {
    static let id = "type.not-normal"
    static let severity = PackageProblem.Severity.info
    static let summary = "a media type in another spelling than the normal one"
    static let explanation = """
        Types in capitals and spaces around semicolons mean the same, and are understood. A space before a semicolon \
        is the exception to be careful with: space, semicolon, space separates fields, so other readers would cut \
        the type there. Write the form that the finding names.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; Text/HTML;charset=utf-8\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8\n"
    )
}
