import AFCCache
import AFCFiles
import AFCPlatform
import AFCText

/// The program's standard input.
enum StandardInput {
    /// Reads all of it.
    ///
    /// - Parameter limit: The most bytes to read.
    /// - Returns: The bytes.
    /// - Throws: `CacheError` if it can't be read or has more bytes.
    static func read(upTo limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            guard let count = buffer.withUnsafeMutableBytes({ Descriptor.readNext(STDIN_FILENO, into: $0) }) else {
                throw failure(errno == EBADF ? "it is closed" : "cannot read it: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw failure("it has more than \(limit) bytes") }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    private static func failure(_ reason: String) -> CacheError {
        CacheError(.inputOutput, subject: "standard input", message: reason)
    }
}
