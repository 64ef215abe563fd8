/// A file that is written from its beginning to its end, through one buffer.
struct OutputFile: ~Copyable {
    /// So large a piece goes past the buffer.
    private static let bufferSize = 1 << 20
    /// So large a part of another file is copied within the kernel where that can be.
    private static let leastCopied = 256 << 10

    let file: OpenFile
    /// How many bytes were appended.
    private(set) var position: Int64 = 0
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0

    init(_ file: OpenFile) {
        self.file = file
        buffer = .allocate(byteCount: Self.bufferSize, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    mutating func append(_ bytes: [UInt8]) throws(ZipError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in try append(bytes) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
        if bytes.count > buffer.count - filled { try flush() }
        if bytes.count >= buffer.count {
            try file.write(bytes, at: position)
        } else {
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: bytes)
            filled += bytes.count
        }
        position += Int64(bytes.count)
    }

    /// Appends a part of another file.
    mutating func append(_ extent: DeflatedBody.Extent, of source: OpenFile) throws(ZipError) {
        var done = 0
        if extent.count >= Self.leastCopied {
            try flush()
            done = try file.copy(extent.count, of: source, at: extent.offset, to: position)
            position += Int64(done)
        }
        while done < extent.count {
            if filled == buffer.count { try flush() }
            let wanted = min(extent.count - done, buffer.count - filled)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + wanted)])
            guard try source.read(into: part, at: extent.offset + Int64(done)) == wanted else {
                throw ZipError(
                    .inputOutput,
                    rule: "io",
                    message: "\(ZipError.quoted(source.path)) changed while it was read"
                )
            }
            done += wanted
            filled += wanted
            position += Int64(wanted)
        }
    }

    /// Writes what the buffer holds.
    mutating func flush() throws(ZipError) {
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: position - Int64(filled))
        filled = 0
    }
}
