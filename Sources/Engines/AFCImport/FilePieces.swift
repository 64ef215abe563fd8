internal import AFCFiles

extension OpenFile {
    /// Gives the bytes from the beginning to the end, which may still move.
    ///
    /// - Parameters:
    ///   - name: The file's name for errors.
    ///   - body: Takes a piece of up to 256 KiB.
    /// - Throws: ``ImportError`` if the file can't be read, and any error that `body` throws.
    func forEachPiece(as name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while true {
            let count: Int
            do throws(FileError) {
                count = try read(into: piece, at: offset)
            } catch {
                throw ImportError(error, subject: name)
            }
            guard count > 0 else { return }
            offset += Int64(count)
            try body(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
    }
}
