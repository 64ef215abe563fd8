internal import AFCFiles
internal import AFCText

/// The bytes of a body before they are decoded: in memory up to a limit, and beyond it in a file that the next body
/// overwrites.
final class BodyBuffer {
    /// The largest body in memory.
    private static let memoryLimit = 1 << 20
    private static let pieceSize = 128 << 10

    /// The number of bytes.
    private(set) var size: Int64 = 0
    /// True if the body had more bytes than the limit.
    private(set) var isTooLarge = false
    /// The most bytes of a body.
    private let limit: Int64
    private let folder: String
    private var memory: [UInt8] = []
    private var file: OpenFile?
    private var isInFile = false

    init(limit: Int64, folder: String) { (self.limit, self.folder) = (limit, folder) }

    /// Discards the body.
    func clear() {
        memory.removeAll(keepingCapacity: true)
        (size, isTooLarge, isInFile) = (0, false, false)
    }

    /// Adds bytes; those beyond the limit are dropped.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ImportError) {
        guard Int64(bytes.count) <= limit - size else {
            isTooLarge = true
            return
        }
        if !isInFile, memory.count + bytes.count <= Self.memoryLimit {
            memory.append(contentsOf: bytes)
        } else {
            let file = try scratch()
            let (before, place) = (memory, size)
            let isSpilled = isInFile
            try onScratch { () throws(FileError) in
                if !isSpilled {
                    try before.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: 0) }
                }
                try file.write(bytes, at: place)
            }
            memory.removeAll(keepingCapacity: true)
            isInFile = true
        }
        size += Int64(bytes.count)
    }

    /// Adds the bytes of another body.
    func append(_ body: BodyBuffer) throws {
        try body.forEachPiece { try append($0) }
        if body.isTooLarge { isTooLarge = true }
    }

    /// Removes the empty lines at the end that separate records: two line ends.
    func removeSeparator() throws(ImportError) {
        let tail = try bytes(Int(min(size, 4)), at: max(0, size - 4))
        if tail == [0x0D, 0x0A, 0x0D, 0x0A] {
            shorten(to: size - 4)
        } else if tail.suffix(2) == [0x0A, 0x0A] {
            shorten(to: size - 2)
        }
    }

    /// Removes bytes at the end.
    func shorten(to length: Int64) {
        precondition((0...size).contains(length), "\(length) bytes of \(size)")
        if !isInFile { memory.removeLast(Int(size - length)) }
        size = length
    }

    /// Returns the first bytes, at most a number.
    func beginning(_ count: Int) throws(ImportError) -> [UInt8] { try bytes(Int(min(size, Int64(count))), at: 0) }

    /// Returns all bytes of a small body.
    func whole() throws(ImportError) -> [UInt8] { try bytes(Int(size), at: 0) }

    private func bytes(_ count: Int, at offset: Int64) throws(ImportError) -> [UInt8] {
        guard isInFile, let file else { return Array(memory[Int(offset)..<Int(offset) + count]) }
        return try onScratch { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    /// Calls a closure with the bytes, piece by piece.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard isInFile, let file else {
            guard !memory.isEmpty else { return }
            return try memory.withUnsafeBytes(body)
        }
        var offset: Int64 = 0
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while offset < size {
            let wanted = Int(min(size - offset, Int64(piece.count)))
            try piece.withUnsafeMutableBytes { buffer in
                let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                let count = try onScratch { () throws(FileError) in try file.read(into: part, at: offset) }
                guard count == wanted else {
                    throw ImportError(.inputOutput, subject: folder, message: "the temporary file ends early")
                }
                try body(UnsafeRawBufferPointer(part))
            }
            offset += Int64(wanted)
        }
    }

    private func scratch() throws(ImportError) -> OpenFile {
        if let file { return file }
        let file = try onScratch { () throws(FileError) in try OpenFile(temporaryIn: folder) }
        self.file = file
        return file
    }

    private func onScratch<Value>(_ work: () throws(FileError) -> Value) throws(ImportError) -> Value {
        do throws(FileError) { return try work() } catch { throw ImportError(error, subject: error.path) }
    }
}
