extension Span<UInt8> {
    /// Two bytes as a number; like every read through a span, it stops the program rather than read outside.
    @inline(__always)
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

    @inline(__always)
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

    @inline(__always)
    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

    /// Whether the bytes from the offset on begin with these.
    func matches(_ bytes: borrowing Span<UInt8>, at offset: Int) -> Bool {
        guard offset + bytes.count <= count else { return false }
        for index in bytes.indices where self[offset + index] != bytes[index] { return false }
        return true
    }
}
