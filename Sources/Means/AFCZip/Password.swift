/// The password that encrypts and decrypts members.
///
/// Its descriptions never reveal it.
public struct Password: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The maximum length with which an archive is encrypted, in bytes: 7-Zip accepts no more.
    public static let portableByteLimit = 99
    /// The maximum length of a password, in bytes.
    public static let byteLimit = 1024

    let bytes: [UInt8]

    /// Creates a password; nil if it is empty, longer than ``byteLimit``, or contains a NUL.
    ///
    /// - Parameter bytes: The password. Programs disagree about the encoding of letters beyond ASCII.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.byteLimit).contains(bytes.count), !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    /// True if other programs accept a password of this length.
    public var isPortable: Bool { bytes.count <= Self.portableByteLimit }

    /// A text that doesn't reveal the password.
    public var description: String { "password" }

    /// A text that doesn't reveal the password.
    public var debugDescription: String { "password" }

    /// Calls a body with the password as a NUL-terminated C string.
    func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // The buffer contains at least the NUL, so it has a base address.
            buffer.baseAddress.map(body) ?? body([0])
        }
    }
}
