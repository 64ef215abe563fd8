package import AFCFiles
public import AFCPackageFile
internal import AFCPlatform
public import AFCText

/// An error of the cache: the cause, the file, and one sentence.
public typealias CacheError = CodedError<CacheErrorCode>

/// The kinds of failure, for exit codes.
public enum CacheErrorCode: ErrorCode {
    /// The folder is not a cache, or doesn't exist.
    case noCache
    /// The cache was written by a newer program.
    case newerCache
    /// The cache was written by an older program, and must be rebuilt.
    case olderCache
    /// A file can't be opened, read or written, or the disk is full.
    case inputOutput
    /// The cache's index is damaged.
    case damaged
    /// Another process writes to the cache.
    case busy
    /// The cache has no package with the name.
    case noPackage
    /// The package has no previous generation.
    case noPrevious
    /// The name is not valid for a package.
    case badName
    /// The path doesn't name a folder.
    case badPath
    /// The cache's limits leave no room.
    case full
    /// The package can't be loaded, for the given reason.
    case package(PackageError.Code)
    /// The package is signed, and older than the one that it would replace.
    case olderPackage
    /// The package brings only what the cache didn't hold, and the cache no longer holds the rest.
    case bodyMissing
    /// The work was cancelled; nothing changed.
    case cancelled

    /// True if a package that lacked bodies (``InstallOptions/held``) may have been refused for that alone.
    public var isCuredByWholePackage: Bool {
        switch self {
        case .bodyMissing, .package(.invalidArchive), .package(.invalidPackage), .package(.untrusted): true
        default: false
        }
    }
}

extension CacheError {
    /// Converts an error about a package.
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

/// An open folder of the cache.
typealias OpenFolder = Folder<CacheError>
/// Operations on the cache's folders by path.
typealias Folders = FolderTree<CacheError>

/// Runs file operations and converts their errors.
func onDisk<Value: ~Copyable>(_ work: () throws(FileError) -> Value) throws(CacheError) -> Value {
    do throws(FileError) { return try work() } catch { throw CacheError(error) }
}

extension CacheError {
    /// Creates the error for a folder without a cache.
    static func noCache(_ layout: CacheLayout) -> CacheError {
        CacheError(
            .noCache,
            subject: layout.root,
            message: "there is no cache here",
            remedy: .loadPackage(layout.root)
        )
    }

    /// Creates the error for a folder with generations but without a catalogue.
    static func lostCatalogue(_ layout: CacheLayout) -> CacheError {
        CacheError(
            .damaged,
            subject: layout.catalogue,
            message: "the catalogue is lost, but not the packages; repairing the cache rebuilds it from them",
            remedy: .repairCache(layout.root)
        )
    }

    /// Creates the error for a cache of an earlier version.
    static func olderCache(_ layout: CacheLayout) -> CacheError {
        CacheError(
            .olderCache,
            subject: layout.root,
            message: "an earlier version of afcache made this cache, whose catalogue this version doesn't read",
            remedy: .upgradeCache(layout.root)
        )
    }

    /// Creates the error for a write that would use the disk's reserve.
    static func diskFull(path: String) -> CacheError {
        var error = CacheError(
            .inputOutput,
            subject: path,
            message: "the disk is full, apart from a reserve for deletions; free some space"
        )
        error.number = ENOSPC
        return error
    }

    /// True if the disk, or the user's share of it, has no room.
    var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

    /// Creates an error from the last failed system call.
    static func system(_ what: String, path: String, number: Int32 = errno) -> CacheError {
        CacheError(FileError.system(what, path, number: number))
    }
}
