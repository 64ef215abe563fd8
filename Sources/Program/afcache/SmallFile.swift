import AFCCache
import AFCFiles
import AFCText
import AFCZip

/// A file of settings that is read at once.
enum SmallFile {
    /// The file's bytes.
    ///
    /// - Throws: `CacheError` where it can't be read or is larger than allowed.
    static func read(_ path: String, limit: Int) throws -> [UInt8] {
        do throws(FileError) {
            return try OpenFile(reading: path).contents(upTo: limit)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }
}
