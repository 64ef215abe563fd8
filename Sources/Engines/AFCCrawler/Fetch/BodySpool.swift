internal import AFCCrawlRules
package import AFCFiles
internal import AFCText
internal import AFCZip

/// The unnamed file in which compressed bodies wait for their package, so that none stays in memory.
package struct BodySpool: Sendable {
    private let file: SpoolFile
    private let level: Int32

    /// Creates a spool around a file.
    ///
    /// - Parameters:
    ///   - file: The file for the bodies.
    ///   - level: Deflate's level, 1 to 9.
    package init(file: SpoolFile, level: Int32) {
        self.file = file
        self.level = level
    }

    /// Adds a complete body, deflated if that makes it smaller.
    func store(_ bytes: [UInt8], isCompressible: Bool) throws(FetchFailure) -> DeflatedBody {
        try onSpool { () throws(ZipError) in
            if isCompressible, !bytes.isEmpty {
                let (data, totals) = try WholeDeflater(level: level).compress(bytes)
                if totals.compressedSize < totals.uncompressedSize {
                    return file.body(extents: [try file.extent(of: data)], totals: totals, method: .deflated)
                }
            }
            let body = SpooledBody(file: file, deflater: nil)
            try body.put(bytes)
            return try body.end()
        }
    }

    /// Starts a body that arrives in pieces.
    ///
    /// Its beginning decides on compression: the body is stored as it is if deflating saves less than an eighth.
    ///
    /// - Parameters:
    ///   - bytes: The body's beginning, long enough to judge by.
    ///   - isCompressible: Whether deflating is worth its time.
    /// - Returns: The receiver of the remaining bytes.
    /// - Throws: ``FetchFailure`` if the file can't be written.
    func begin(_ bytes: [UInt8], isCompressible: Bool) throws(FetchFailure) -> SpooledBody {
        try onSpool { () throws(ZipError) in
            if isCompressible {
                var deflater = try Deflater(level: level)
                var data: [UInt8] = []
                try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
                    try deflater.append(bytes) { chunk throws(ZipError) in data.append(contentsOf: chunk) }
                }
                // zlib still holds back some output, so the size must be clearly smaller.
                if data.count < bytes.count / 8 * 7 {
                    return SpooledBody(file: file, deflater: deflater, beginning: [try file.extent(of: data)])
                }
            }
            let body = SpooledBody(file: file, deflater: nil)
            try body.put(bytes)
            return body
        }
    }
}

/// A body that is being added to the spool; it belongs to one task.
final class SpooledBody {
    private let file: SpoolFile
    private var deflater: Deflater?
    private var crc = CRC32()
    private var size: Int64 = 0
    private var extents: [FileExtent]

    fileprivate init(file: SpoolFile, deflater: consuming Deflater?, beginning extents: [FileExtent] = []) {
        self.file = file
        self.deflater = deflater
        self.extents = extents
    }

    /// Adds the next bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        try onSpool { () throws(ZipError) in try put(bytes) }
    }

    /// Ends the body.
    func finish() throws(FetchFailure) -> DeflatedBody { try onSpool { () throws(ZipError) in try end() } }

    fileprivate func put(_ bytes: [UInt8]) throws(ZipError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in try put(bytes) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
        if deflater == nil {
            crc.update(bytes)
            size += Int64(bytes.count)
            if !bytes.isEmpty { extents.append(try file.extent(of: bytes)) }
        } else {
            try deflater?.append(bytes) { chunk throws(ZipError) in extents.append(try file.extent(of: chunk)) }
        }
    }

    fileprivate func end() throws(ZipError) -> DeflatedBody {
        guard var deflater = deflater.take() else {
            let totals = Deflater.Totals(crc32: crc.value, uncompressedSize: size, compressedSize: size)
            return file.body(extents: extents, totals: totals, method: .stored)
        }
        let totals = try deflater.finish { chunk throws(ZipError) in extents.append(try file.extent(of: chunk)) }
        return file.body(extents: extents, totals: totals, method: .deflated)
    }
}

extension SpoolFile {
    /// Appends data, and returns its extent.
    fileprivate func extent(of data: UnsafeRawBufferPointer) throws(ZipError) -> FileExtent {
        try onFile { () throws(FileError) in try append(data) }
    }

    fileprivate func extent(of data: [UInt8]) throws(ZipError) -> FileExtent {
        try data.span.bytes.withUnsafeBytes { data throws(ZipError) in try extent(of: data) }
    }
}

/// Runs work on the spool, and converts its errors into fetch failures.
private func onSpool<Value>(_ work: () throws(ZipError) -> Value) throws(FetchFailure) -> Value {
    do throws(ZipError) { return try work() } catch { throw .storage(error.message) }
}
