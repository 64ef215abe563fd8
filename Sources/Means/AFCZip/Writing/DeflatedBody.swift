public import AFCFiles

/// A body that was compressed or stored before the archive is written.
public struct DeflatedBody: Sendable {
    let file: OpenFile
    /// The parts of the file that hold the data, in order.
    public let extents: [FileExtent]
    /// The checksum and sizes.
    public let totals: Deflater.Totals
    /// The compression method.
    public let method: ZipMember.Method
}

extension SpoolFile {
    /// Creates a body whose data is in this file.
    ///
    /// - Parameters:
    ///   - extents: The parts of the file that hold the data, in order; adjacent ones are merged.
    ///   - totals: The checksum and sizes.
    ///   - method: The compression method.
    /// - Returns: The body.
    public func body(extents: [FileExtent], totals: Deflater.Totals, method: ZipMember.Method) -> DeflatedBody {
        var joined: [FileExtent] = []
        joined.reserveCapacity(1)
        for extent in extents {
            if let last = joined.last, last.offset + Int64(last.count) == extent.offset {
                joined[joined.count - 1].count += extent.count
            } else {
                joined.append(extent)
            }
        }
        return DeflatedBody(file: file, extents: joined, totals: totals, method: method)
    }
}

extension DeflatedBody {
    /// Reads all of the data and returns true if it still matches its totals.
    ///
    /// - Returns: True if checksum and sizes are right.
    /// - Throws: ``ZipError`` if the file can't be read or there is not enough memory.
    public func isSound() throws(ZipError) -> Bool {
        var crc = CRC32()
        var size: Int64 = 0
        let isGood = try forEachPiece { piece in
            crc.update(piece)
            size += Int64(piece.count)
            return true
        }
        return isGood && crc.value == totals.crc32 && size == totals.uncompressedSize
    }

    /// Returns the first bytes of the body.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``ZipError`` if the file can't be read, the data is damaged, or there is not enough memory.
    public func beginning(_ limit: Int) throws(ZipError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(min(Int64(limit), totals.uncompressedSize)))
        let isGood = try forEachPiece { piece in
            bytes.append(contentsOf: piece.prefix(limit - bytes.count))
            return bytes.count < limit
        }
        guard isGood else {
            throw ZipError(.damagedMember, rule: "zip.data", message: "a body in the scratch file is damaged")
        }
        return bytes
    }

    /// Passes the body on piece by piece.
    ///
    /// - Parameter body: Receives the pieces, and returns whether it wants more.
    /// - Returns: True if the data could be inflated.
    /// - Throws: ``ZipError`` if the file can't be read or there is not enough memory.
    private func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Bool) throws(ZipError) -> Bool {
        var inflater = try Inflater()
        var output = [UInt8](repeating: 0, count: 64 << 10)
        for extent in extents {
            var offset = 0
            while offset < extent.count {
                var piece = try onFile { () throws(FileError) in
                    try file.bytes(min(extent.count - offset, 256 << 10), at: extent.offset + Int64(offset))
                }
                guard !piece.isEmpty else { return false }
                offset += piece.count
                guard method == .deflated else {
                    guard piece.withUnsafeBytes(body) else { return true }
                    continue
                }
                var isWanted = true
                let isGood = piece.withUnsafeMutableBytes { input in
                    inflater.give(input)
                    while !inflater.isFinished {
                        guard let count = output.withUnsafeMutableBytes({ inflater.fill($0) }) else { return false }
                        isWanted = output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                        if count < output.count || !isWanted { break }
                    }
                    return true
                }
                guard isGood else { return false }
                guard isWanted else { return true }
            }
        }
        return true
    }
}
