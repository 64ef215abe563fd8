internal import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import Crypto

/// A blob of an image layout that is being written; its name is the digest of its bytes, so it gets it at the end.
final class BlobWriter {
    /// The number of bytes written.
    private(set) var size: Int64 = 0
    private let folder: String
    private let temporary: TemporaryName
    private let file: OpenFile
    private var hash = SHA256()
    private var isNamed = false

    /// Begins a blob.
    ///
    /// - Parameter folder: The folder `blobs/sha256` of the layout.
    /// - Throws: `FileError` if the folder can't hold it.
    init(in folder: String) throws(FileError) {
        self.folder = folder
        temporary = TemporaryName(for: folder + "/blob")
        file = try OpenFile(creating: temporary.path, mode: 0o644)
    }

    deinit { if isNamed { temporary.release() } else { temporary.remove() } }

    /// Adds bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try file.write(bytes, at: size)
        hash.update(bufferPointer: bytes)
        size += Int64(bytes.count)
    }

    /// Adds the bytes of a file.
    func append(_ source: OpenFile, _ count: Int64) throws(FileError) {
        var place: Int64 = 0
        while place < count {
            let bytes = try source.bytes(Int(min(Int64(1 << 20), count - place)), at: place)
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
            place += Int64(bytes.count)
        }
    }

    /// Gives the blob its name.
    ///
    /// - Parameter expected: The digest that the blob must have; nil for any.
    /// - Returns: The digest: `sha256:` and 64 digits.
    /// - Throws: `FileError` if it can't be written, or has another digest.
    func finish(_ expected: String? = nil) throws(FileError) -> String {
        let digits = Hexadecimal.text(hash.finalize())
        if let expected, expected != "sha256:" + digits {
            throw FileError(folder, "a blob has the digest sha256:\(digits) instead of \(expected)")
        }
        guard fchmod(file.descriptor, 0o644) == 0 else { throw .system("cannot set the mode of", file.path) }
        try file.sync()
        try Durable.rename(temporary.path, to: folder + "/" + digits)
        isNamed = true
        return "sha256:" + digits
    }
}
