package import AFCFiles
public import AFCPackageFile
public import AFCText

/// Why the store can't do what it was asked: what failed, on which file, in one sentence.
public typealias CacheError = CodedError<CacheErrorCode>

/// The kinds of failure, for exit codes.
public enum CacheErrorCode: ErrorCode {
    /// The folder is not a store, or there is none.
    case noCache
    /// The store was written by a newer program.
    case newerCache
    /// A file can't be opened, read or written; also a full disk.
    case inputOutput
    /// The store's index is damaged.
    case damaged
    /// Another process writes to the store.
    case busy
    /// The store has no package of the name.
    case noPackage
    /// The package has no previous generation.
    case noPrevious
    /// A name that a package can't have.
    case badName
    /// A path that names no folder.
    case badPath
    /// The store's limits leave no room.
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
