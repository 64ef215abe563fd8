public import AFCFiles
import AFCPlatform
internal import AFCText

/// Why an archive can't be read or written.
public struct ZipError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// A system call failed.
        case inputOutput
        /// The archive's records can't be trusted.
        case refused
        /// A member's data is not what its header says.
        case damagedMember
        /// The password is missing or wrong.
        case locked
        /// The work was cancelled.
        case cancelled
    }

    /// The kind of failure.
    public var code: Code
    /// The stable identifier of the rule that refuses the archive, for example `zip.overlap`.
    public var rule: String
    /// What is wrong; lower case, no full stop, without raw control characters.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, rule: String, message: String) {
        self.code = code
        self.rule = rule
        self.message = message
    }

    /// Creates the error of a file that can't be read or written.
    package init(inputOutput message: String) { self.init(.inputOutput, rule: Self.unreadable, message: message) }

    /// The identifier of what is wrong with a file that can't be read or written.
    package static let unreadable = "io"

    /// What is wrong.
    public var description: String { message }

    static func refused(_ rule: String, _ message: String) -> ZipError {
        ZipError(.refused, rule: "zip." + rule, message: message)
    }

    static func damaged(_ rule: String, member: String, _ message: String) -> ZipError {
        ZipError(.damagedMember, rule: "zip." + rule, message: "member \(PrintableText.quoted(member)) \(message)")
    }

    static func system(_ what: String, _ path: String, number: Int32 = errno) -> ZipError {
        let reason = String(cString: strerror(number))
        return ZipError(inputOutput: "\(what) \(PrintableText.quoted(path)): \(reason)")
    }

    static let cancelled = ZipError(.cancelled, rule: "cancelled", message: "cancelled")
}

extension ZipError {
    /// Takes over the reason why the archive's file, or another one that the work needs, can't be used.
    public init(_ error: FileError) {
        switch error.code {
        case .inputOutput, .misplaced: self.init(inputOutput: error.message)
        case .truncated:
            self = .refused("truncated", "the file ends within a record; it is truncated")
        }
    }
}

/// Does work on files, whose errors become the archive's.
package func onFile<Value: ~Copyable>(_ work: () throws(FileError) -> Value) throws(ZipError) -> Value {
    do throws(FileError) { return try work() } catch { throw ZipError(error) }
}
