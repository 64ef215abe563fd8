/// A small file that was compressed by gzip (RFC 1952), as sitemaps are.
public enum GzipFile {
    /// Whether bytes begin as such a file does.
    ///
    /// - Parameter bytes: The file's bytes.
    /// - Returns: Whether they do.
    public static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1F, 0x8B, 0x08]) }

    /// Inflates the first of its members.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - limit: How many bytes are wanted at most.
    /// - Returns: What was compressed, up to the limit, or to where the data is damaged or ends.
    /// - Throws: ``ZipError`` where there is no memory.
    public static func inflated(_ bytes: [UInt8], limit: Int) throws(ZipError) -> [UInt8] {
        var inflater = try Inflater(isWrapped: true)
        var input = bytes
        var result: [UInt8] = []
        var output = [UInt8](repeating: 0, count: 64 << 10)
        input.withUnsafeMutableBytes { input in
            inflater.give(input)
            while !inflater.isFinished, result.count < limit {
                guard let count = output.withUnsafeMutableBytes({ inflater.fill($0) }), count > 0 else { return }
                result.append(contentsOf: output.prefix(min(count, limit - result.count)))
            }
        }
        return result
    }
}
