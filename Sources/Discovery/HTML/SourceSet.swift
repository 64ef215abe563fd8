/// The `srcset` attribute (HTML Standard §4.8.4.2.1).
enum SourceSet {
    /// The URLs of the candidates; a comma within a URL belongs to it, commas at its end don't.
    static func urls(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        var urls: [String] = []
        var index = 0
        while index < bytes.count {
            while index < bytes.count, HTMLScanner.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
            let start = index
            while index < bytes.count, !HTMLScanner.isSpace(bytes[index]) { index += 1 }
            var end = index
            while end > start, bytes[end - 1] == UInt8(ascii: ",") { end -= 1 }
            if end > start { urls.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
            guard end == index else { continue }
            // The descriptors go to the next comma that isn't in parentheses.
            var depth = 0
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth = max(0, depth - 1) }
                if bytes[index] == UInt8(ascii: ","), depth == 0 { break }
                index += 1
            }
        }
        return urls
    }
}
