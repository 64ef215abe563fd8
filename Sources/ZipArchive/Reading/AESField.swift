/// The extra field 0x9901 of a member that is encrypted in the way of WinZip.
///
/// See https://www.winzip.com/en/support/aes-encryption/.
struct AESField: Equatable {
    /// Stands for the method in the headers of an encrypted member.
    static let method: UInt16 = 99

    /// 1 for AE-1, whose members have a checksum, 2 for AE-2, whose don't.
    var version: UInt16
    /// How the data is compressed below the encryption.
    var method: UInt16

    /// Reads how a member is encrypted.
    ///
    /// - Parameters:
    ///   - body: The extra field, or nil where there is none.
    ///   - flags: The header's flags.
    ///   - headerMethod: The header's method.
    ///   - shown: The member, for errors.
    /// - Returns: nil for a member that isn't encrypted.
    /// - Throws: ``ZipError`` for every encryption but AES-256, and for contradictions.
    static func read(
        _ body: [UInt8]?,
        flags: UInt16,
        headerMethod: UInt16,
        _ shown: String
    ) throws(ZipError) -> AESField? {
        guard flags & 0x2040 == 0 else {
            throw .refused("encrypted", "\(shown) is encrypted in PKWARE's way; only AES-256 as of WinZip is read")
        }
        switch (flags & 1 != 0, headerMethod == method, body) {
        case (false, false, nil): return nil
        case (true, false, nil):
            throw .refused(
                "encrypted",
                "\(shown) is encrypted in PKZIP's way, which is broken; pack it anew with '--encrypt', or without"
            )
        case (true, true, .some(let body)):
            guard body.count == 7, (1...2).contains(body.u16(0)), body[2...3].elementsEqual("AE".utf8) else {
                throw .refused("extra-field", "\(shown) has a malformed field on its encryption")
            }
            guard body[4] == 3 else {
                throw .refused("encrypted", "\(shown) is encrypted with a shorter key than that of AES-256")
            }
            return AESField(version: body.u16(0), method: body.u16(5))
        default:
            throw .refused("encrypted", "\(shown) has headers that contradict each other whether it is encrypted")
        }
    }
}

extension ZipMember {
    /// How a member is encrypted.
    public enum Encryption: Sendable, Equatable {
        /// AES-256 with a checksum of the body (AE-1).
        case aes256WithChecksum
        /// AES-256 (AE-2).
        case aes256
    }

    /// What encryption adds to the data: salt, check of the password, code.
    static let encryptionOverhead: Int64 = 16 + 2 + 10

    /// The bytes of the compressed data without what encryption adds.
    var dataSize: Int64 { compressedSize - (encryption == nil ? 0 : Self.encryptionOverhead) }
}

extension Directory {
    /// Refuses an archive whose members are encrypted in part: who added the others didn't need the password.
    func checkEncryption() throws(ZipError) {
        guard members.contains(where: { $0.encryption != nil }) else { return }
        guard let plain = members.first(where: { $0.encryption == nil && $0.uncompressedSize > 0 }) else { return }
        throw .refused(
            "partly-encrypted",
            "member \(ZipError.quoted(plain.name)) is not encrypted, though others are; it was added without the password"
        )
    }
}
