/// Guesses whether a page is empty without scripts: it has scripts, no links, and hardly any text.
///
/// A guess is enough, because it only leads to a note for the user.
enum ScriptNeed {
    /// The largest page that is examined; larger ones have some content.
    private static let pageLimit = 64 << 10
    /// The largest number of letters on an empty page, such as a title and a request to enable scripts.
    private static let letterLimit = 200

    /// Returns true if a page seems to need scripts.
    ///
    /// - Parameters:
    ///   - text: The page.
    ///   - hasScripts: Whether it refers to scripts.
    ///   - hasLinks: Whether it refers to other pages.
    /// - Returns: True if it has scripts, no links, and hardly any text.
    static func isLikely(_ text: [UInt8], hasScripts: Bool, hasLinks: Bool) -> Bool {
        guard hasScripts, !hasLinks, text.count <= pageLimit else { return false }
        return letters(in: text) <= letterLimit
    }

    /// Counts the letters and digits outside tags, comments, scripts and styles.
    private static func letters(in text: [UInt8]) -> Int {
        var count = 0
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "<") else {
                if text[index] > 0x2F, text[index] != UInt8(ascii: "=") { count += 1 }
                index += 1
                continue
            }
            if hasPrefix("<!--", text, index) {
                index = end(of: "-->", text, from: index)
            } else if hasPrefix("<script", text, index) {
                index = end(of: "</script", text, from: index)
            } else if hasPrefix("<style", text, index) {
                index = end(of: "</style", text, from: index)
            } else {
                index = end(of: ">", text, from: index)
            }
        }
        return count
    }

    private static func hasPrefix(_ prefix: StaticString, _ text: [UInt8], _ start: Int) -> Bool {
        guard start + prefix.utf8CodeUnitCount <= text.count else { return false }
        return prefix.withUTF8Buffer { prefix in
            prefix.indices.allSatisfy { offset in
                let byte = text[start + offset]
                return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == prefix[offset]
            }
        }
    }

    private static func end(of mark: StaticString, _ text: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < text.count, !hasPrefix(mark, text, index) { index += 1 }
        return min(text.count, index + mark.utf8CodeUnitCount)
    }
}
