internal import AFCPackageFormat

enum UnreadableFileRule: LoadRule {
    static let id = "io"
    static let severity = PackageProblem.Severity.error
    static let summary = "a file that can't be read"
    static let explanation = """
        What can't be read can't be checked, and 'afcache load' couldn't read it either. The system's own words \
        follow the path: look whether it is right, whether the file's mode lets you read it, and whether its disk is \
        well.
        """
    static let bad = LintExample.words("a path at which there is no file")
    static let good = LintExample.words("a file that may be read")
}
