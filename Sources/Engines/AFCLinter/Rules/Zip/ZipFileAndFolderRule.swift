internal import AFCPackageFormat

enum ZipFileAndFolderRule: LoadRule {
    static let id = "zip.file-and-folder"
    static let severity = PackageProblem.Severity.error
    static let summary = "a name that is both file and folder"
    static let explanation = """
        No file system can hold a file 'guide' and files in a folder 'guide'; depending on the order one of them is \
        lost, or unpacking ends. 'afcache pack' gives the body of a URL above others a name of its own; pack the \
        site with it.
        """
    static let bad = LintExample.words("members 'd.example/a' and 'd.example/a/b'")
    static let good = LintExample.words("members 'd.example/a' and 'd.example/ab/c'")
}
