package import AFCFiles
public import AFCPackageFile
public import AFCText

/// Why the cache can't do what it was asked: what failed, on which file, in one sentence.
public typealias CacheError = CodedError<CacheErrorCode>

/// The kinds of failure, for exit codes.
public enum CacheErrorCode: ErrorCode {
    /// The folder is not a cache, or there is none.
    case noCache
    /// The cache was written by a newer program.
    case newerCache
    /// A file can't be opened, read or written; also a full disk.
    case inputOutput
    /// The cache's index is damaged.
    case damaged
    /// Another process writes to the cache.
    case busy
    /// The cache has no package of the name.
    case noPackage
    /// The package has no previous generation.
    case noPrevious
    /// A name that a package can't have.
    case badName
    /// A path that names no folder.
    case badPath
    /// The cache's limits leave no room.
    case full
    /// The package can't be loaded; the kind says why.
    case package(PackageError.Code)
    /// The work was cancelled; nothing changed.
    case cancelled
}

extension CacheError {
    /// Wraps what was wrong with a package.
    public init(_ error: PackageError) {
        self.init(.package(error.code), subject: error.subject, message: error.message, remedy: error.remedy)
    }
}

extension CacheErrorCode: FileErrorCode {
    package init(_ code: FileError.Code) {
        switch code {
        case .inputOutput: self = .inputOutput
        case .truncated, .misplaced: self = .damaged
        }
    }
}

/// A folder of the cache, open.
typealias OpenFolder = Folder<CacheError>
/// Whole folders of the cache, by their paths.
typealias Folders = FolderTree<CacheError>

/// Does work on files, whose errors become the cache's.
func onDisk<Value: ~Copyable>(_ work: () throws(FileError) -> Value) throws(CacheError) -> Value {
    do throws(FileError) { return try work() } catch { throw CacheError(error) }
}

extension CacheError {
    /// There is no cache in a folder.
    static func noCache(_ layout: CacheLayout) -> CacheError {
        CacheError(
            .noCache,
            subject: layout.root,
            message: "there is no cache here",
            remedy: .loadPackage(layout.root)
        )
    }
}
