internal import AFCPlatform
package import AFCText

/// The reason why a file can't be opened, read, written or replaced.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The system refused, or the file isn't what the caller needs.
        case inputOutput
        /// The file ends before the bytes that were asked for.
        case truncated
        /// Something else lies in the file's place, or its path leads out of the folder.
        case misplaced
    }

    /// The kind of failure.
    public var code: Code
    /// The path of the file.
    public var path: String
    /// The sentence; lower case, no full stop, names quoted.
    public var message: String
    /// The system's number of the error; nil where the system didn't refuse.
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
    ///   - number: The system's number of the error.
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

/// An error that can say why a file can't be used.
package protocol FileFailure: Error {
    /// Takes over the reason.
    init(_ error: FileError)
}

extension FileError: FileFailure {
    /// The error itself.
    package init(_ error: FileError) { self = error }
}

/// The kinds of failure of a module that uses files.
package protocol FileErrorCode: ErrorCode {
    /// The kind of failure that one of a file is.
    init(_ code: FileError.Code)
}

extension CodedError: FileFailure where Kind: FileErrorCode {
    /// Takes over the reason why a file can't be used; the file is the subject.
    package init(_ error: FileError) {
        self.init(Kind(error.code), subject: error.path, message: error.reason)
        number = error.number
    }
}
