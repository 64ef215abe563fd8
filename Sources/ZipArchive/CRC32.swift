internal import CZlib

/// The checksum of zip members.
public struct CRC32: Sendable {
    /// The checksum of what was added so far.
    public private(set) var value: UInt32 = 0

    /// The checksum of nothing.
    public init() {}

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let base = bytes.bindMemory(to: UInt8.self).baseAddress
        value = UInt32(truncatingIfNeeded: crc32_z(uLong(value), base, bytes.count))
    }
}
