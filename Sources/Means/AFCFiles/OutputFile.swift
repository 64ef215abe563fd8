internal import AFCText

/// A file that is written sequentially through one buffer.
package struct OutputFile: ~Copyable {
    /// The size of the buffer; larger pieces bypass it.
    private static let bufferSize = 1 << 20
    /// The minimum size of a part of another file that is copied within the kernel if possible.
    private static let leastCopied = 256 << 10

    package let file: OpenFile
    /// The number of bytes appended.
    package private(set) var position: Int64 = 0
    private let buffer: UnsafeMutableRawBufferPointer
    private var filled = 0

    package init(_ file: OpenFile) {
        self.file = file
        buffer = .allocate(byteCount: Self.bufferSize, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    package mutating func append(_ bytes: [UInt8]) throws(FileError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
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
    package mutating func append(_ extent: FileExtent, of source: OpenFile) throws(FileError) {
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
                throw FileError(
                    source.path,
                    "\(PrintableText.quoted(source.path)) changed while it was read"
                )
            }
            done += wanted
            filled += wanted
            position += Int64(wanted)
        }
    }

    /// Writes the contents of the buffer.
    package mutating func flush() throws(FileError) {
        try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), at: position - Int64(filled))
        filled = 0
    }
}
