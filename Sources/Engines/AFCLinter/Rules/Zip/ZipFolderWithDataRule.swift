internal import AFCPackageFormat

enum ZipFolderWithDataRule: LoadRule {
    static let id = "zip.folder-with-data"
    static let severity = PackageProblem.Severity.error
    static let summary = "a folder with data"
    static let explanation = """
        Readers that go by the name drop the data, others write it to a file, so it is a body that only some see. \
        Folders have no bytes. Rewrite the archive.
        """
    static let bad = LintExample.words("a member 'd.example/' of 4 bytes")
    static let good = LintExample.words("a member 'd.example/' of 0 bytes")
}
