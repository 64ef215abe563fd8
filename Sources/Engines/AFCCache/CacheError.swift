public import AFCPackageFile

/// Why the store can't do what it was asked: what failed, on which file, in one sentence.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, for exit codes.
    public enum Code: Sendable, Equatable {
        /// The folder is not a store, or there is none.
        case noStore
        /// The store was written by a newer program.
        case newerStore
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

    /// The kind of failure.
    public var code: Code
    /// The path of the store, package or file.
    public var subject: String
    /// What is wrong and the remedy; lower case, no full stop.
    public var message: String

    /// The system's number of the error, where it is one of the system's.
    var number: Int32?

    /// Creates an error.
    public init(_ code: Code, subject: String, message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }

    /// Wraps what was wrong with a package.
    public init(_ error: PackageError) {
        self.init(.package(error.code), subject: error.subject, message: error.message)
    }

    /// The subject and the message.
    public var description: String { "'\(subject)': \(message)" }
}
