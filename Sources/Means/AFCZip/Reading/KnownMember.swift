package import AFCFiles

extension ZipMember {
    /// Describes a file that a reader found in an archive earlier, which isn't encrypted.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - method: The compression method of the data.
    ///   - crc32: The checksum of the body.
    ///   - dataOffset: The offset of the data in the archive.
    ///   - compressedSize: The size of the data, in bytes.
    ///   - uncompressedSize: The size of the body, in bytes.
    package init(
        knownAs name: String,
        method: Method,
        crc32: UInt32,
        dataOffset: Int64,
        compressedSize: Int64,
        uncompressedSize: Int64
    ) {
        self.init(
            name: name,
            method: method,
            crc32: crc32,
            compressedSize: compressedSize,
            uncompressedSize: uncompressedSize,
            dataOffset: dataOffset,
            isDirectory: false,
            dosDateTime: 0,
            encryption: nil
        )
    }
}

extension ZipReader {
    /// Creates a reader for members whose places are known, without reading the archive's directory.
    ///
    /// Only the methods that take a member may be called.
    ///
    /// - Parameter file: The archive.
    package init(readingKnownMembersOf file: OpenFile) { self.init(salvaging: file) }
}

/// The form of a gzip file with one member (RFC 1952 §2.3), made from deflate data that exists already.
package enum GzipFrame {
    /// The bytes before the data: deflate, no name, no time, unknown system.
    package static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    /// The number of bytes that head and tail add to the data.
    package static let overhead: Int64 = 18

    /// Returns the bytes after the data: the checksum of the body, and its size modulo 2^32.
    ///
    /// - Parameters:
    ///   - crc32: The checksum.
    ///   - size: The size of the body, in bytes.
    /// - Returns: The bytes.
    package static func tail(crc32: UInt32, size: Int64) -> [UInt8] {
        [crc32, UInt32(truncatingIfNeeded: size)].flatMap { number in
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }
}
