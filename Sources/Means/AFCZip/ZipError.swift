public import AFCFiles
import AFCPlatform
internal import AFCText

/// An error of reading or writing an archive.
public struct ZipError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// A system call failed.
        case inputOutput
        /// The archive's records can't be trusted.
        case refused
        /// A member's data differs from what its header says.
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
    /// A sentence that says what is wrong; lower case, no full stop, without raw control characters.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, rule: String, message: String) {
        self.code = code
        self.rule = rule
        self.message = message
    }

    /// Creates an error for a file that can't be read or written.
    package init(inputOutput message: String) { self.init(.inputOutput, rule: Self.unreadable, message: message) }

    /// The identifier of errors about files that can't be read or written.
    package static let unreadable = "io"

    /// The message.
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

    #if !Encryption
    static let withoutEncryption = ZipError(
        .locked,
        rule: "zip.encrypted",
        message: "this program was built without encryption; use a package that isn't encrypted"
    )
    #endif

    static let cancelled = ZipError(.cancelled, rule: "cancelled", message: "cancelled")
}

extension ZipError {
    /// Converts the error of a file that reading or writing the archive needs.
    public init(_ error: FileError) {
        switch error.code {
        case .inputOutput, .misplaced: self.init(inputOutput: error.message)
        case .truncated:
            self = .refused("truncated", "the file ends within a record; it is truncated")
        }
    }
}

/// Runs file operations and converts their errors.
package func onFile<Value: ~Copyable>(_ work: () throws(FileError) -> Value) throws(ZipError) -> Value {
    do throws(FileError) { return try work() } catch { throw ZipError(error) }
}
