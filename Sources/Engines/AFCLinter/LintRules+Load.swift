internal import AFCPackageFormat
internal import AFCZip

extension LintRules {
    /// The rules about problems that are found while a package is read, so that loading also finds them.
    ///
    /// They have no code here; each is a row that describes it.
    static let loading: [Description] =
        [unreadable] + dateLoading + manifestLoading + memberLoading + sidecarLoading + signatureLoading + typeLoading
        + urlLoading + zip

    /// Describes a rule whose finding keeps the package from being opened, so that no manifest can be its example.
    static func refused(_ id: String, _ summary: String, _ explanation: String, bad: String, good: String)
        -> Description
    {
        Description(id, .error, summary, explanation, bad: .words(bad), good: .words(good))
    }

    private static let unreadable = Description(
        ZipError.unreadable,
        .error,
        "a file that can't be read",
        """
        The file can't be read, so it can't be checked or loaded. The finding shows the system's error message. Check \
        that the path is right, that you have permission to read the file, and that the disk works.
        """,
        bad: .words("a path where no file exists"),
        good: .words("a file that you have permission to read")
    )
}
