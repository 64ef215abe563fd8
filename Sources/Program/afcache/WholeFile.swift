import AFCCache
import AFCFiles
import AFCText

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
