/// A part of a text that fits into an answer.
struct TextPortion: Equatable {
    /// The part.
    let text: String
    /// The offset at which the next part begins, in bytes; nil at the end of the text.
    let next: Int?

    /// Cuts a part out of a text: at the end of a line if there is one in its second half, else between characters.
    ///
    /// - Parameters:
    ///   - bytes: The rest of the text in UTF-8; its indices are the offsets.
    ///   - limit: The most bytes of the part, at least 4.
    init(_ bytes: ArraySlice<UInt8>, limit: Int) {
        guard bytes.count > limit else {
            (text, next) = (String(decoding: bytes, as: UTF8.self), nil)
            return
        }
        var end = bytes.startIndex + limit
        let half = bytes.startIndex + limit / 2
        if let line = bytes[half..<end].lastIndex(of: UInt8(ascii: "\n")) {
            end = line + 1
        } else {
            // The bytes after the first one of a character begin with the bits 10.
            while end > bytes.startIndex, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        }
        (text, next) = (String(decoding: bytes[..<end], as: UTF8.self), end)
    }
}
