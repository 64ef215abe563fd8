internal import AFCFiles
internal import AFCText

/// A body ready to be written to the archive, outside of memory if it is large.
struct PreparedBody: Sendable {
    enum Storage: Sendable {
        case memory([UInt8])
        case extents(OpenFile, [FileExtent])
    }

    var totals: Deflater.Totals
    var method: ZipMember.Method
    var storage: Storage

    /// The maximum size of data that is kept in memory; larger data is kept in a file.
    static let memoryLimit = 1 << 20
    private static let bufferSize = 256 << 10

    /// Prepares a body.
    ///
    /// - Parameters:
    ///   - member: The member to prepare.
    ///   - deflater: Compresses bodies that are too large for memory; it is ready for the next body afterwards.
    ///   - whole: Compresses all other bodies.
    ///   - folder: The folder for data that is too large for memory.
    /// - Throws: ``ZipError`` if the body can't be read or spooled.
    init(
        _ member: NewMember,
        deflater: inout Deflater,
        whole: borrowing WholeDeflater,
        spoolFolder folder: String
    ) throws(ZipError) {
        switch member.content {
        case .deflated(let body):
            self = body.prepared
        case .bytes(let bytes):
            self = try Self.prepare(bytes, method: member.method, &deflater, whole)
        case .file(let path):
            let file = try onFile { () throws(FileError) in try OpenFile(reading: path) }
            let size = try onFile { () throws(FileError) in try file.size() }
            if size <= Int64(Self.memoryLimit) {
                let bytes = try Self.contents(of: file, size: size)
                self = try Self.prepare(bytes, method: member.method, &deflater, whole)
            } else if member.isCompressible {
                self = try Self.deflate(file, size: size, deflater: &deflater, folder: folder)
            } else {
                self = try Self.store(file, size: size)
            }
        }
    }

    init(totals: Deflater.Totals, method: ZipMember.Method, storage: Storage) {
        self.totals = totals
        self.method = method
        self.storage = storage
    }

    private static func prepare(
        _ bytes: [UInt8],
        method: ZipMember.Method,
        _ deflater: inout Deflater,
        _ whole: borrowing WholeDeflater
    ) throws(ZipError) -> PreparedBody {
        if method == .deflated, bytes.count > memoryLimit {
            // Compress as if the bytes came piece by piece, so that the result doesn't depend on the source of the
            // body.
            var data: [UInt8] = []
            let totals = try deflater.compress(bytes) { chunk throws(ZipError) in data.append(contentsOf: chunk) }
            return PreparedBody(totals: totals, method: .deflated, storage: .memory(data))
        }
        if method == .deflated {
            let (data, totals) = whole.compress(bytes)
            return PreparedBody(totals: totals, method: .deflated, storage: .memory(data))
        }
        var crc = CRC32()
        bytes.withUnsafeBytes { crc.update($0) }
        let size = Int64(bytes.count)
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        return PreparedBody(totals: totals, method: .stored, storage: .memory(bytes))
    }

    private static func contents(of file: OpenFile, size: Int64) throws(ZipError) -> [UInt8] {
        let bytes = try onFile { () throws(FileError) in try file.bytes(Int(size), at: 0) }
        guard try onFile({ () throws(FileError) in try file.size() }) == size else { throw changed(file) }
        return bytes
    }

    private static func deflate(
        _ file: OpenFile,
        size: Int64,
        deflater: inout Deflater,
        folder: String
    ) throws(ZipError) -> PreparedBody {
        let spool = try onFile { () throws(FileError) in try SpoolFile(in: folder) }
        var extents: [FileExtent] = []
        let sink = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in
            extents.append(try onFile { () throws(FileError) in try spool.append(chunk) })
        }
        do throws(ZipError) {
            try forEachChunk(of: file, size: size) { chunk throws(ZipError) in try deflater.append(chunk, to: sink) }
        } catch {
            deflater.reset()
            throw error
        }
        let totals = try deflater.finish(to: sink)
        let body = spool.body(extents: extents, totals: totals, method: .deflated)
        return PreparedBody(totals: totals, method: .deflated, storage: .extents(body.file, body.extents))
    }

    private static func store(_ file: OpenFile, size: Int64) throws(ZipError) -> PreparedBody {
        var crc = CRC32()
        try forEachChunk(of: file, size: size) { chunk throws(ZipError) in crc.update(chunk) }
        let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
        var extents: [FileExtent] = []
        var offset: Int64 = 0
        while offset < size {
            let count = Int(min(size - offset, 1 << 30))
            extents.append(FileExtent(offset: offset, count: count))
            offset += Int64(count)
        }
        return PreparedBody(totals: totals, method: .stored, storage: .extents(file, extents))
    }

    private static func forEachChunk(
        of file: OpenFile,
        size: Int64,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try onFile { () throws(FileError) in try file.read(into: buffer, at: offset) }
            guard count > 0 else { break }
            offset += Int64(count)
            guard offset <= size else { throw changed(file) }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard offset == size else { throw changed(file) }
    }

    private static func changed(_ file: OpenFile) -> ZipError {
        ZipError(
            inputOutput: "\(PrintableText.quoted(file.path)) changed while it was read; run the command again"
        )
    }
}

extension Deflater {
    /// Compresses bytes that are entirely in memory.
    mutating func compress(
        _ bytes: [UInt8],
        to sink: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) -> Totals {
        var failure: ZipError?
        bytes.withUnsafeBytes { buffer in
            do throws(ZipError) {
                try append(buffer, to: sink)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return try finish(to: sink)
    }
}

extension DeflatedBody {
    /// The body as it is written to the archive.
    var prepared: PreparedBody { PreparedBody(totals: totals, method: method, storage: .extents(file, extents)) }
}

extension FileReplacement {
    /// Appends a body's data.
    func append(_ body: PreparedBody) throws(FileError) {
        switch body.storage {
        case .memory(let bytes): try append(bytes)
        case .extents(let file, let extents):
            for extent in extents { try append(extent.offset..<extent.offset + Int64(extent.count), of: file) }
        }
    }
}
