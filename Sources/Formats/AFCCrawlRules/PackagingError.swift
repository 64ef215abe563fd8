public import AFCText

/// Why nothing can be packed: what failed, on which file or option, in one sentence.
public typealias PackagingError = CodedError<PackagingErrorCode>

/// The kinds of failure, for exit codes.
public enum PackagingErrorCode: ErrorCode {
    /// A file or folder can't be read.
    case inputOutput
    /// What was asked for makes no sense.
    case badOption
    /// A file changed while it was packed.
    case changed
    /// There is nothing to pack.
    case nothing
    /// An interrupted crawl is kept that is another one.
    case otherCrawl
    /// The package that is to be updated can't be.
    case olderPackage
}
