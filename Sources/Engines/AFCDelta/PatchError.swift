public import AFCPackageFile
public import AFCText
public import AFCZip

/// An error of making or applying a patch: the cause, the file, and one sentence.
public typealias PatchError = CodedError<PatchErrorCode>

/// The kinds of failure, for exit codes.
public enum PatchErrorCode: ErrorCode {
    /// A package, or the patch as an archive, can't be read or written.
    case package(PackageError.Code)
    /// The patch isn't as docs/reference/patches.md says; the identifier names the rule.
    case invalid(rule: String)
    /// The patch needs bodies that aren't there.
    case misfit
    /// No patch can be made of these packages.
    case unsuitable
    /// The work was cancelled.
    case cancelled
}

extension PatchError {
    /// Converts an error about a package.
    public init(_ error: PackageError) {
        let code: Code = error.code == .cancelled ? .cancelled : .package(error.code)
        self.init(code, subject: error.subject, message: error.message, remedy: error.remedy)
    }

    /// Converts an error of reading or writing an archive.
    public init(_ error: ZipError, subject: String) { self.init(PackageError(error, subject: subject)) }

    /// Creates the error for a patch that isn't as documented.
    static func invalid(_ rule: String, _ subject: String, _ message: String) -> PatchError {
        PatchError(
            .invalid(rule: "patch.\(rule)"),
            subject: subject,
            message: message + "; make the patch again, or load the whole package"
        )
    }
}

/// Runs operations on an archive and converts their errors.
func onArchive<Value: ~Copyable>(
    _ subject: String,
    _ work: () throws(ZipError) -> Value
) throws(PatchError) -> Value {
    do throws(ZipError) { return try work() } catch { throw PatchError(error, subject: subject) }
}

/// Runs operations on a package and converts their errors.
func onPackage<Value: ~Copyable>(_ work: () throws(PackageError) -> Value) throws(PatchError) -> Value {
    do throws(PackageError) { return try work() } catch { throw PatchError(error) }
}
