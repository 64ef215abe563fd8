internal import AFCPackageFormat
internal import AFCZip

extension LintRules {
    /// The rules about what is found while a package is understood, so that loading finds it, too.
    ///
    /// They have no code here: a row tells people about each.
    static let loading: [Description] =
        [unreadable] + dateLoading + manifestLoading + memberLoading + sidecarLoading + signatureLoading + typeLoading
        + urlLoading + zip

    /// Describes a rule whose finding keeps the package from being opened, so that no manifest shows it.
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
        What can't be read can't be checked, and loading couldn't read it either. The system's own words \
        follow the path: look whether it is right, whether the file's mode lets you read it, and whether its disk is \
        well.
        """,
        bad: .words("a path at which there is no file"),
        good: .words("a file that may be read")
    )
}
