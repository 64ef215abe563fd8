extension Span<UInt8> {
    /// Two bytes as a number; like every read through a span, it stops the program rather than read outside.
    @inline(__always)
    func u16(_ offset: Int) -> UInt16 {
        UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    func u32(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func u64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the bytes from the offset on begin with these.
    func matches(_ bytes: borrowing Span<UInt8>, at offset: Int) -> Bool {
        guard offset + bytes.count <= count else { return false }
        for index in bytes.indices where self[offset + index] != bytes[index] { return false }
        return true
    }
}
