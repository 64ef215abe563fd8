package import AFCText

/// An error of the search: the cause, the file, and one sentence.
package typealias SearchError = CodedError<SearchErrorCode>

/// The kinds of failure of a search.
package enum SearchErrorCode: ErrorCode {
    /// The search index can't be read or written.
    case inputOutput
    /// The search index is damaged, from another version, or of another generation; it can be made again.
    case unusable
    /// The search took too long.
    case tooSlow
    /// The search was stopped.
    case cancelled
    /// The cache can't be read.
    case cache
}
