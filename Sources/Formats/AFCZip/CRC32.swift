internal import CLibdeflate

/// The checksum of zip members.
public struct CRC32: Sendable {
    /// The checksum of what was added so far.
    public private(set) var value: UInt32 = 0

    /// The checksum of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        value = libdeflate_crc32(value, bytes.baseAddress, bytes.count)
    }
}
