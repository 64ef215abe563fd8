public import AFCFiles
public import AFCText
internal import AFCZip
internal import Crypto

/// An open file whose SHA-256 is known, so that the file that was compared is the file that is used, whatever its path
/// names later.
public struct HashedFile: Sendable {
    /// The file.
    public let file: OpenFile
    /// The SHA-256 of its bytes, in lower-case hexadecimal digits.
    public let sha256: String
    private let state: OpenFile.State

    /// Opens a file and reads all of it.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``PackageError`` if it can't be read, or changes meanwhile.
    public init(path: String) throws(PackageError) {
        do throws(FileError) {
            file = try OpenFile(reading: path)
            state = try file.state()
        } catch {
            throw PackageError(ZipError(error), subject: path)
        }
        sha256 = try Self.sha256(of: file, path)
        try requireUnchanged()
    }

    /// Throws if the file was changed since it was opened, as far as the system tells.
    ///
    /// Call it after the file was read again, and before anything becomes visible.
    ///
    /// - Throws: ``PackageError`` with the code `inputOutput`.
    public func requireUnchanged() throws(PackageError) {
        let now: OpenFile.State
        do throws(FileError) {
            now = try file.state()
        } catch {
            throw PackageError(ZipError(error), subject: file.path)
        }
        guard now == state else {
            let message = "the file changed while it was read; try again"
            throw PackageError(.inputOutput, subject: file.path, message: message)
        }
    }

    private static func sha256(of file: OpenFile, _ path: String) throws(PackageError) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: Int64 = 0
        do throws(FileError) {
            while true {
                let count = try file.read(into: buffer, at: offset)
                if count == 0 { return Hexadecimal.text(hash.finalize()) }
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
        } catch {
            throw PackageError(ZipError(error), subject: path)
        }
    }
}
