public import AFCText

/// An error that prevents packing, with the file or option it concerns.
public typealias PackagingError = CodedError<PackagingErrorCode>

/// The kinds of failure, for exit codes.
public enum PackagingErrorCode: ErrorCode {
    /// A file or folder can't be read.
    case inputOutput
    /// An invalid option or argument.
    case badOption
    /// A file changed while it was packed.
    case changed
    /// There is nothing to pack.
    case nothing
    /// The saved state belongs to a different interrupted crawl.
    case otherCrawl
    /// The package to update can't be used.
    case olderPackage
    /// The folder that the jobs of a crawl share, or something in it, can't be used.
    case sharedFolder
}
