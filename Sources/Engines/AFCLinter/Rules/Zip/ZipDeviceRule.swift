internal import AFCPackageFormat

enum ZipDeviceRule: LoadRule {
    static let id = "zip.device"
    static let severity = PackageProblem.Severity.error
    static let summary = "a device, pipe, socket or volume label"
    static let explanation = """
        Programs that unpack such members as they are make devices or pipes, which block or do harm when they are \
        opened. None of these has a body that could be served. Leave it out and pack the files alone.
        """
    static let bad = LintExample.words("a member whose Unix mode is that of a pipe")
    static let good = LintExample.words("a member whose Unix mode is that of a file")
}
