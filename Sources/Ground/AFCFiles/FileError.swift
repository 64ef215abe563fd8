internal import AFCText

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// The reason why a file can't be opened, read, written or replaced.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The system refused, or the file isn't what the caller needs.
        case inputOutput
        /// The file ends before the bytes that were asked for.
        case truncated
    }

    /// The kind of failure.
    public var code: Code
    /// The path of the file.
    public var path: String
    /// The sentence; lower case, no full stop, names quoted.
    public var message: String
    /// The system's number of the error; nil where the system didn't refuse.
    public var number: Int32?

    /// Creates an error that isn't the system's.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - message: The sentence.
    ///   - code: The kind of failure.
    public init(_ path: String, _ message: String, _ code: Code = .inputOutput) {
        (self.path, self.message, self.code) = (path, message, code)
    }

    /// Creates an error of the system.
    ///
    /// - Parameters:
    ///   - action: The action that failed, for example `cannot open`.
    ///   - path: The path of the file.
    ///   - number: The system's number of the error.
    /// - Returns: The error.
    package static func system(_ action: String, _ path: String, number: Int32 = errno) -> FileError {
        var error = FileError(path, "\(action) \(PrintableText.quoted(path)): \(String(cString: strerror(number)))")
        error.number = number
        return error
    }

    /// The sentence.
    public var description: String { message }
}
