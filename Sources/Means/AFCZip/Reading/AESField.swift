/// The extra field 0x9901 of a member with WinZip's AES encryption.
///
/// See https://www.winzip.com/en/support/aes-encryption/.
struct AESField: Equatable {
    /// The method in the headers of an encrypted member.
    static let method: UInt16 = 99

    /// The version: 1 for AE-1, whose members have a checksum, or 2 for AE-2, whose members have none.
    var version: UInt16
    /// The compression method of the data before encryption.
    var method: UInt16

    /// Reads the encryption of a member.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that hold the extra field.
    ///   - field: The range of the field, or nil if there is none.
    ///   - flags: The header's flags.
    ///   - headerMethod: The header's method.
    /// - Returns: The field, or nil for a member that isn't encrypted.
    /// - Throws: ``Refusal`` for any encryption other than AES-256, and for contradictions.
    static func read(
        _ bytes: borrowing Span<UInt8>,
        _ field: Range<Int>?,
        flags: UInt16,
        headerMethod: UInt16
    ) throws(Refusal) -> AESField? {
        guard flags & 0x2040 == 0 else { throw .encryptedByPKWARE }
        switch (flags & 1 != 0, headerMethod == method, field) {
        case (false, false, nil): return nil
        case (true, false, nil): throw .encryptedByPKZIP
        case (true, true, .some(let field)):
            let start = field.lowerBound
            guard field.count == 7, (1...2).contains(bytes.u16(start)), bytes[start + 2] == UInt8(ascii: "A"),
                bytes[start + 3] == UInt8(ascii: "E")
            else { throw .malformedAES }
            guard bytes[start + 4] == 3 else { throw .shortKey }
            return AESField(version: bytes.u16(start), method: bytes.u16(start + 5))
        default: throw .encryptionContradicts
        }
    }
}

extension ZipMember {
    /// The encryption of a member.
    public enum Encryption: Sendable, Equatable {
        /// AES-256 with a checksum of the body (AE-1).
        case aes256WithChecksum
        /// AES-256 (AE-2).
        case aes256
    }

    /// The number of bytes that encryption adds to the data: salt, password check and authentication code.
    static let encryptionOverhead: Int64 = 16 + 2 + 10

    /// The size of the compressed data, without the bytes that encryption adds.
    var dataSize: Int64 { compressedSize - (encryption == nil ? 0 : Self.encryptionOverhead) }
}
