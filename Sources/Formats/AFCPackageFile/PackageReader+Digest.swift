internal import AFCFiles
internal import AFCPackageFormat
public import AFCText
internal import AFCZip
internal import Crypto

extension PackageReader {
    /// The SHA-256 of the whole file that is open, in lower-case hexadecimal digits; reads all of it.
    ///
    /// - Returns: The digits.
    /// - Throws: ``PackageError`` where it can't be read.
    public func fileDigest() throws(PackageError) -> String { try Self.digest(archive.file, path) }

    /// The SHA-256 of a file, in lower-case hexadecimal digits; reads all of it.
    ///
    /// - Parameter path: The file.
    /// - Returns: The digits.
    /// - Throws: ``PackageError`` where it can't be read.
    public static func fileDigest(path: String) throws(PackageError) -> String {
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(reading: path)
        } catch {
            throw PackageError(ZipError(error), subject: path)
        }
        return try digest(file, path)
    }

    private static func digest(_ file: OpenFile, _ path: String) throws(PackageError) -> String {
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
