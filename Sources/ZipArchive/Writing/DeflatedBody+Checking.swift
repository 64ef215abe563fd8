extension DeflatedBody {
    /// Whether the data still is what the totals say; reads all of it.
    ///
    /// - Returns: Whether checksum and sizes are right.
    /// - Throws: ``ZipError`` where the file can't be read, or there is no memory.
    public func isSound() throws(ZipError) -> Bool {
        var crc = CRC32()
        var size: Int64 = 0
        var inflater = try Inflater()
        var output = [UInt8](repeating: 0, count: 64 << 10)
        for extent in extents {
            var offset = 0
            while offset < extent.count {
                var piece = try file.bytes(min(extent.count - offset, 256 << 10), at: extent.offset + Int64(offset))
                guard !piece.isEmpty else { return false }
                offset += piece.count
                guard method == .deflated else {
                    piece.withUnsafeBytes { crc.update($0) }
                    size += Int64(piece.count)
                    continue
                }
                let isGood = piece.withUnsafeMutableBytes { input in
                    inflater.give(input)
                    while !inflater.isFinished {
                        guard let count = output.withUnsafeMutableBytes({ inflater.fill($0) }) else { return false }
                        output.withUnsafeBytes { crc.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                        size += Int64(count)
                        if count < output.count { break }
                    }
                    return true
                }
                guard isGood else { return false }
            }
        }
        return crc.value == totals.crc32 && size == totals.uncompressedSize
    }
}
