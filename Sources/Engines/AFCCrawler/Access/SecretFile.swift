internal import AFCCrawlRules
internal import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCZip

/// A small file that nobody but its owner should read.
struct SecretFile: Sendable {
    /// The file's bytes.
    let bytes: [UInt8]
    /// Whether others than its owner may read it.
    let isOpenToOthers: Bool

    private static let byteLimit = 4 << 20

    /// Reads a file.
    ///
    /// - Parameter path: Its path.
    /// - Throws: ``PackagingError`` where it can't be read, or is larger than such files are.
    init(_ path: String) throws(PackagingError) {
        do throws(FileError) {
            bytes = try OpenFile(reading: path).contents(upTo: Self.byteLimit)
        } catch {
            throw PackagingError(.inputOutput, subject: path, message: error.message)
        }
        var status = stat()
        isOpenToOthers = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o044 != 0
    }
}
