internal import AFCPackageFormat

enum ZipNameNotUTF8Rule: LoadRule {
    static let id = "zip.name-not-utf8"
    static let severity = PackageProblem.Severity.error
    static let summary = "a name that is not UTF-8"
    static let explanation = """
        Names are compared by their bytes and shown as UTF-8; bytes that aren't are another name in each code page, \
        so no manifest can name them safely. Old programs of Windows write names in the code page of their country. \
        Rewrite the archive with '7z a -tzip -mcu=on', or give members names in ASCII, as 'afcache pack' does.
        """
    static let bad = LintExample.words("a name with the byte 0xE4, which is 'ä' in Latin-1")
    static let good = LintExample.words("a name with the bytes 0xC3 0xA4, which is 'ä' in UTF-8")
}
