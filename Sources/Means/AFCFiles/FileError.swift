internal import AFCPlatform
package import AFCText

/// The reason why a file can't be opened, read, written or replaced.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The system refused, or the file isn't of the needed kind.
        case inputOutput
        /// The file ends before the requested bytes.
        case truncated
        /// Something else is in the file's place, or the path leads out of the folder.
        case misplaced
    }

    /// The kind of failure.
    public var code: Code
    /// The path of the file.
    public var path: String
    /// The sentence; lower case, no full stop, names in quotes.
    public var message: String
    /// The system's error number; nil if the error isn't the system's.
    public var number: Int32?
    /// The sentence without the path, for errors that name it themselves.
    package private(set) var reason: String

    /// Creates an error that isn't the system's.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - message: The sentence.
    ///   - code: The kind of failure.
    public init(_ path: String, _ message: String, _ code: Code = .inputOutput) {
        (self.path, self.message, self.code, reason) = (path, message, code, message)
    }

    /// Creates an error of the system.
    ///
    /// - Parameters:
    ///   - action: The action that failed, for example `cannot open`.
    ///   - path: The path of the file.
    ///   - number: The system's error number.
    /// - Returns: The error.
    package static func system(_ action: String, _ path: String, number: Int32 = errno) -> FileError {
        let why = String(cString: strerror(number))
        var error = FileError(path, "\(action) \(PrintableText.quoted(path)): \(why)")
        (error.number, error.reason) = (number, "\(action): \(why)")
        return error
    }

    /// The sentence.
    public var description: String { message }
}

/// An error type to which file errors can be converted.
package protocol FileFailure: Error {
    /// Converts a file error.
    init(_ error: FileError)
}

extension FileError: FileFailure {
    /// Creates the error from itself.
    package init(_ error: FileError) { self = error }
}

/// The kinds of failure of a module that uses files.
package protocol FileErrorCode: ErrorCode {
    /// Converts the kind of a file error.
    init(_ code: FileError.Code)
}

extension CodedError: FileFailure where Kind: FileErrorCode {
    /// Converts a file error; its file becomes the subject.
    package init(_ error: FileError) {
        self.init(Kind(error.code), subject: error.path, message: error.reason)
        number = error.number
    }
}
