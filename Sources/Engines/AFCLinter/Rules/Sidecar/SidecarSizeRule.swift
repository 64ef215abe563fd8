internal import AFCPackageFormat

enum SidecarSizeRule: LoadRule {
    static let id = "sidecar.size"
    static let severity = PackageProblem.Severity.error
    static let summary = "a record with another size than the body"
    static let explanation = """
        The record says how many bytes the body had when it was fetched; the member has another number, so one of \
        them was changed or cut off since, or the package was put together by hand. Which one is right can't be told \
        from here: rebuild the package.
        """
    static let bad = LintExample.words("a record with '\"size\":5' for a body of 4 bytes")
    static let good = LintExample.words("a record with '\"size\":4' for a body of 4 bytes")
}
