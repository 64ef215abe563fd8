internal import AFCPackageFormat

enum ZipUnicodePathRule: LoadRule {
    static let id = "zip.unicode-path"
    static let severity = PackageProblem.Severity.error
    static let summary = "an extra field that renames the member"
    static let explanation = """
        The field 0x7075 gives a member's name in UTF-8, for archives whose names are in an old code page. Readers \
        that know it use that name and others don't, so one member is two files. Rewrite the archive with names in \
        UTF-8.
        """
    static let bad = LintExample.words("a field 0x7075 with another name than the header")
    static let good = LintExample.words("a field 0x7075 with the name that the header has")
}
