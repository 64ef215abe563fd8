internal import AFCFiles
internal import AFCText
internal import AFCZip
internal import Crypto

/// A layer of an image, written into a layout: a tar archive, plain or in gzip (OCI image specification 1.1, "Image Layer
/// Filesystem Changeset").
///
/// The same entries give the same bytes. Folders are written when the first entry in them comes.
final class LayerWriter {
    /// A file in the layer.
    struct Entry: Equatable {
        /// The path in the image, without a slash at the beginning.
        var path: String
        /// The path of the file whose bytes it gets.
        var source: String
        var mode: UInt32
    }

    private static let pieceSize = 1 << 20

    private let blob: BlobWriter
    private let isCompressed: Bool
    private var deflater: Deflater
    private let modified: Int64
    private var plain = SHA256()
    private var folders: Set<String> = []

    /// Begins a layer.
    ///
    /// - Parameters:
    ///   - folder: The folder `blobs/sha256` of the layout.
    ///   - isCompressed: False for a layer whose files are compressed themselves.
    ///   - modified: The time of all entries, in seconds since 1970.
    /// - Throws: `ZipError` if the folder can't hold it.
    init(in folder: String, isCompressed: Bool, modified: Int64) throws(ZipError) {
        self.modified = modified
        self.isCompressed = isCompressed
        deflater = try Deflater()
        blob = try onFile { () throws(FileError) in try BlobWriter(in: folder) }
        if isCompressed { try write(GzipFrame.head) }
    }

    /// Adds a folder, and those above it.
    ///
    /// - Parameters:
    ///   - path: The path in the image, without a slash at its ends.
    ///   - mode: The permissions.
    /// - Throws: `ZipError` if it can't be written.
    func add(folder path: String, mode: UInt32 = 0o755) throws(ZipError) {
        guard !path.isEmpty, folders.insert(path).inserted else { return }
        try add(folder: Self.folder(of: path))
        try append(TarHeader.blocks(path: path + "/", .folder, mode: mode, modified: modified))
    }

    /// Adds a file, and the folders above it.
    func add(_ entry: Entry) throws(ZipError) {
        try add(folder: Self.folder(of: entry.path))
        let file = try onFile { () throws(FileError) in try OpenFile(reading: entry.source) }
        let state = try onFile { () throws(FileError) in try file.state() }
        try append(TarHeader.blocks(path: entry.path, .file(size: state.size), mode: entry.mode, modified: modified))
        var place: Int64 = 0
        while place < state.size {
            guard !Task.isCancelled else { throw ZipError(.cancelled, rule: "cancelled", message: "interrupted") }
            let count = Int(min(Int64(Self.pieceSize), state.size - place))
            try append(try onFile { () throws(FileError) in try file.bytes(count, at: place) })
            place += Int64(count)
        }
        try append([UInt8](repeating: 0, count: TarHeader.padding(after: state.size)))
        guard try onFile({ () throws(FileError) in try file.state() }) == state else {
            throw ZipError(inputOutput: "\(PrintableText.quoted(entry.source)) changed while it was read; try again")
        }
    }

    /// Ends the layer and gives it its name.
    func finish() throws(ZipError) -> ImageLayer {
        try append(TarHeader.end)
        if isCompressed {
            let blob = blob
            let totals = try deflater.finish { bytes throws(ZipError) in try Self.write(bytes, to: blob) }
            try write(GzipFrame.tail(crc32: totals.crc32, size: totals.uncompressedSize))
        }
        let digest = try onFile { () throws(FileError) in try blob.finish() }
        return ImageLayer(
            type: isCompressed ? ImageLayer.gzipType : ImageLayer.plainType,
            digest: digest,
            size: blob.size,
            contents: "sha256:" + Hexadecimal.text(plain.finalize())
        )
    }

    // MARK: Bytes

    /// Adds bytes to the archive.
    private func append(_ bytes: [UInt8]) throws(ZipError) {
        plain.update(data: bytes)
        guard isCompressed else { return try write(bytes) }
        let blob = blob
        try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
            try deflater.append(bytes) { bytes throws(ZipError) in try Self.write(bytes, to: blob) }
        }
    }

    private func write(_ bytes: [UInt8]) throws(ZipError) {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in try Self.write(bytes, to: blob) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to blob: BlobWriter) throws(ZipError) {
        try onFile { () throws(FileError) in try blob.append(bytes) }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
