internal import AFCFiles

/// Reads small records at mostly ascending positions in a file, many of them with one system call.
struct RecordWindow: ~Copyable {
    private let file: OpenFile
    private let fileSize: Int64
    private let step: Int
    private var start: Int64 = 0
    private var end: Int64 = 0
    /// The bytes read last, preceded by older content.
    private(set) var bytes: [UInt8]

    /// - Parameters:
    ///   - file: The file.
    ///   - fileSize: The size of the file.
    ///   - stride: The average distance between records: near ones are read in large pieces, distant ones one by one.
    init(_ file: OpenFile, fileSize: Int64, stride: Int64) {
        self.file = file
        self.fileSize = fileSize
        // A local header with a name and the usual extra fields rarely has more than 200 bytes.
        step = stride < 2048 ? 128 << 10 : 256
        bytes = [UInt8](repeating: 0, count: step)
    }

    /// Makes a number of bytes at a position available.
    ///
    /// - Returns: The index of the first one in ``bytes``.
    /// - Throws: ``ZipError`` if reading fails or the file is too short.
    mutating func load(_ count: Int, at offset: Int64) throws(ZipError) -> Int {
        if offset >= start, offset + Int64(count) <= end { return Int(offset - start) }
        guard offset + Int64(count) <= fileSize else { throw .refused(.endsWithinRecord) }
        if bytes.count < count { bytes = [UInt8](repeating: 0, count: count) }
        end = 0
        let wanted = Int(min(Int64(max(count, step)), fileSize - offset))
        let read = bytes.withUnsafeMutableBytes { [file] buffer in
            Result { () throws(ZipError) in
                try onFile { () throws(FileError) in
                    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
                }
            }
        }
        let got = try read.get()
        guard got >= count else { throw .refused(.endsWithinRecord) }
        start = offset
        end = offset + Int64(got)
        return 0
    }
}

extension Span<UInt8> {
    /// Returns two bytes as a number.
    ///
    /// Like all reads through a span, it traps instead of reading out of bounds.
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

    /// Returns true if the bytes at an offset equal these.
    func matches(_ bytes: borrowing Span<UInt8>, at offset: Int) -> Bool {
        guard offset + bytes.count <= count else { return false }
        for index in bytes.indices where self[offset + index] != bytes[index] { return false }
        return true
    }
}
