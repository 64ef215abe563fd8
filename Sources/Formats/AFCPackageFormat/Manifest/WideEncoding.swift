/// Encodings of two or four bytes a character, which some editors save texts in.
public enum WideEncoding {
    /// The name of the encoding that a text begins in, or nil where it has one byte for an ASCII character.
    ///
    /// The byte order mark shows it, or the zeros beside the first two characters.
    ///
    /// - Parameter bytes: The text, or its first bytes.
    /// - Returns: `UTF-16` or `UTF-32`, or nil.
    public static func name(of bytes: ArraySlice<UInt8>) -> String? {
        let start = Array(bytes.prefix(4))
        if start.starts(with: [0xFF, 0xFE, 0, 0]) || start.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard start.count == 4 else { return nil }
        func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }
        let isLittle = isPlain(start[0]) && start[1] == 0 && isPlain(start[2]) && start[3] == 0
        let isBig = start[0] == 0 && isPlain(start[1]) && start[2] == 0 && isPlain(start[3])
        return isLittle || isBig ? "UTF-16" : nil
    }
}
