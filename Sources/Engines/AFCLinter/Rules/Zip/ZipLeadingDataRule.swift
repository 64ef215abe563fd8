internal import AFCPackageFormat

enum ZipLeadingDataRule: LoadRule {
    static let id = "zip.leading-data"
    static let severity = PackageProblem.Severity.error
    static let summary = "bytes before the first member"
    static let explanation = """
        A program, a picture or a page before the archive makes one file that is two things, depending on who opens \
        it; filters that look at the first bytes are deceived by it. Self-extracting archives are made like that, \
        too. Unpack it, and pack the files again.
        """
    static let bad = LintExample.words("an archive that begins with another archive")
    static let good = LintExample.words("an archive that begins with its first member")
}
