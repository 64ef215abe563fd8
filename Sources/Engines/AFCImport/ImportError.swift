internal import AFCCrawlRules
internal import AFCFiles
internal import AFCSQLite
package import AFCText
internal import AFCZip

/// An error that prevents an import, with the file it concerns.
package typealias ImportError = CodedError<ImportErrorCode>

/// The kinds of failure, for exit codes.
package enum ImportErrorCode: ErrorCode {
    /// A file can't be read or written.
    case inputOutput
    /// A file isn't an archive, or not a sound one.
    case malformed
    /// A file has no record, which matters less beside others.
    case empty
    /// The archive is larger than a package may be.
    case tooLarge
    /// A package, which needs no import.
    case package
    /// The work was cancelled.
    case cancelled
}

extension CodedError where Kind == ImportErrorCode {
    /// Converts the error of a file that is read.
    init(_ error: FileError, subject: String) {
        self.init(.inputOutput, subject: subject, message: error.message)
    }

    /// Converts the error of a zip that is read.
    init(_ error: ZipError, subject: String) {
        let code: ImportErrorCode =
            switch error.code {
            case .inputOutput: .inputOutput
            case .refused, .damagedMember, .locked: .malformed
            case .cancelled: .cancelled
            }
        self.init(code, subject: subject, message: error.message)
    }

    /// Converts the error of the file for bodies.
    init(_ failure: FetchFailure, folder: String) {
        self.init(.inputOutput, subject: folder, message: failure.description)
    }

    /// Converts the error of the database for captures.
    init(_ error: DatabaseError) {
        self.init(
            .inputOutput,
            subject: OutputTarget.temporaryFolder,
            message: "the temporary database can't be written: \(error.message)"
        )
    }
}
