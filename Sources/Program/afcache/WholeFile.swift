import AFCCache
import AFCFiles
import AFCText
import AFCZip

/// A result that is written at once: a file is replaced as a whole, and who opens it sees the old bytes or the new ones.
enum WholeFile {
    /// Writes aside, and gives the file its name once it is on the disk; writes to what is no regular file.
    ///
    /// - Throws: `CacheError`; a file that was there is then as it was.
    static func write(_ bytes: [UInt8], to path: String) throws {
        do throws(FileError) {
            let sink = try OutputSink(OutputTarget(path))
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try sink.append(bytes) }
            try sink.finish()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Makes sure that the file can be written before hours are spent on what it shall hold.
    ///
    /// - Throws: `CacheError`.
    static func requireWritable(_ path: String) throws {
        do throws(FileError) {
            try OutputTarget(path).requireWritable()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }
}
