import AFCCache
import AFCFiles
import AFCText
import AFCZip

/// A file at the path of a result, which is replaced only where it is an older result of the same kind.
enum ReplacedFile {
    /// Makes sure that no file of another kind is lost.
    ///
    /// - Parameters:
    ///   - path: The path of the result.
    ///   - kind: The kind of result, for words, such as `a report`.
    ///   - isOwn: Tells by the first 1,024 bytes whether a file is one. An empty file is never lost.
    /// - Throws: `CacheError` where a file of another kind is there, or can't be read.
    static func require(_ path: String, is kind: String, isOwn: ([UInt8]) -> Bool) throws(CacheError) {
        do throws(FileError) {
            guard try OutputTarget(path).isReplacing else { return }
            let file = try OpenFile(reading: path)
            let size = try file.size()
            if size == 0 { return }
            let beginning = try file.beginning(Int(min(size, 1024)))
            if isOwn(beginning) { return }
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
        throw CacheError(
            .inputOutput,
            subject: path,
            message: "the file exists and is not \(kind); choose another one, or replace it with '--overwrite'"
        )
    }
}
