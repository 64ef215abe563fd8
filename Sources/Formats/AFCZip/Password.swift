/// What encrypts and decrypts members; it never shows itself as text.
public struct Password: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The most bytes with which an archive is encrypted: 7-Zip takes no more.
    public static let portableByteLimit = 99
    /// The most bytes that a password may have.
    public static let byteLimit = 1024

    let bytes: [UInt8]

    /// Creates a password, or nil where there are no bytes, more than ``byteLimit``, or a NUL among them.
    ///
    /// - Parameter bytes: The password as it is; programs disagree about the encoding of letters beyond ASCII.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.byteLimit).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    /// Whether other programs take so long a password.
    public var isPortable: Bool { bytes.count <= Self.portableByteLimit }

    /// Nothing of the password.
    public var description: String { "password" }

    /// Nothing of the password.
    public var debugDescription: String { "password" }

    /// Hands the password to a C function, ended by NUL.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // A buffer with at least the NUL in it has a base.
            buffer.baseAddress.map(body) ?? body([0])
        }
    }
}
