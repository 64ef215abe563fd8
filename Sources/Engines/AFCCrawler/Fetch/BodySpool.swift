internal import AFCCrawlRules
internal import AFCFiles
internal import AFCText
internal import AFCZip

/// Where bodies wait for their package: compressed, in a file without a name, so that memory holds none of them.
struct BodySpool: Sendable {
    private let file: SpoolFile
    private let level: Int32

    /// Creates a spool around a file.
    ///
    /// - Parameters:
    ///   - file: Where bodies go.
    ///   - level: Deflate's level, 1 to 9.
    init(file: SpoolFile, level: Int32) {
        self.file = file
        self.level = level
    }

    /// Puts in a body that is at hand: deflated where that makes it smaller.
    func store(_ bytes: [UInt8], isCompressible: Bool) throws(FetchFailure) -> DeflatedBody {
        do throws(ZipError) {
            if isCompressible, !bytes.isEmpty {
                let (data, totals) = try WholeDeflater(level: level).compress(bytes)
                if totals.compressedSize < totals.uncompressedSize {
                    let extent = try data.span.bytes.withUnsafeBytes { data throws(ZipError) in
                        try onFile { () throws(FileError) in try file.append(data) }
                    }
                    return file.body(extents: [extent], totals: totals, method: .deflated)
                }
            }
            let stream = BodyStream(file: file, deflater: nil)
            try stream.put(bytes)
            return try stream.end()
        } catch {
            throw .storage(error.message)
        }
    }

    /// Begins a body that is put in piece by piece.
    ///
    /// Whether it is deflated is decided by its beginning: where deflating takes less than an eighth off that, the body is
    /// stored.
    ///
    /// - Parameters:
    ///   - bytes: The body's beginning, long enough to judge by.
    ///   - isCompressible: Whether deflating is worth its time.
    /// - Returns: What takes the rest.
    /// - Throws: ``FetchFailure`` where the file can't be written.
    func stream(beginning bytes: [UInt8], isCompressible: Bool) throws(FetchFailure) -> BodyStream {
        do throws(ZipError) {
            if isCompressible {
                var deflater = try Deflater(level: level)
                var data: [UInt8] = []
                try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
                    try deflater.append(bytes) { chunk throws(ZipError) in data.append(contentsOf: chunk) }
                }
                // zlib holds some of it back still, so a little less is not yet less.
                if data.count < bytes.count / 8 * 7 {
                    let stream = BodyStream(file: file, deflater: deflater)
                    try stream.keep(data)
                    return stream
                }
            }
            let stream = BodyStream(file: file, deflater: nil)
            try stream.put(bytes)
            return stream
        } catch {
            throw .storage(error.message)
        }
    }
}

/// A body on its way into the spool; belongs to one task.
final class BodyStream {
    private let file: SpoolFile
    private var deflater: Deflater?
    private var crc = CRC32()
    private var size: Int64 = 0
    private var extents: [FileExtent] = []

    fileprivate init(file: SpoolFile, deflater: consuming Deflater?) {
        self.file = file
        self.deflater = deflater
    }

    /// Puts in the next bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        do throws(ZipError) {
            try put(bytes)
        } catch {
            throw .storage(error.message)
        }
    }

    /// Ends the body.
    func finish() throws(FetchFailure) -> DeflatedBody {
        do throws(ZipError) {
            return try end()
        } catch {
            throw .storage(error.message)
        }
    }

    /// Keeps data that is compressed already.
    fileprivate func keep(_ data: [UInt8]) throws(ZipError) {
        try data.span.bytes.withUnsafeBytes { data throws(ZipError) in
            extents.append(try onFile { () throws(FileError) in try file.append(data) })
        }
    }

    fileprivate func put(_ bytes: [UInt8]) throws(ZipError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in try put(bytes) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
        if deflater == nil {
            crc.update(bytes)
            size += Int64(bytes.count)
            if !bytes.isEmpty { extents.append(try onFile { () throws(FileError) in try file.append(bytes) }) }
        } else {
            try deflater?.append(bytes) { chunk throws(ZipError) in
                extents.append(try onFile { () throws(FileError) in try file.append(chunk) })
            }
        }
    }

    fileprivate func end() throws(ZipError) -> DeflatedBody {
        guard var deflater = deflater.take() else {
            let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
            return file.body(extents: extents, totals: totals, method: .stored)
        }
        let totals = try deflater.finish { chunk throws(ZipError) in
            extents.append(try onFile { () throws(FileError) in try file.append(chunk) })
        }
        return file.body(extents: extents, totals: totals, method: .deflated)
    }
}
