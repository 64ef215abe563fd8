/// Guesses whether a page is empty without scripts: it has scripts, no links to other pages, and hardly any text.
///
/// A guess is enough, because it only leads to a note for the user.
public enum ScriptNeed {
    /// The largest page that is examined; larger ones have some content.
    private static let pageLimit = 64 << 10
    /// The largest number of letters on an empty page, such as a title and a request to enable scripts.
    private static let letterLimit = 200

    /// Returns true if a page seems to need scripts.
    ///
    /// - Parameters:
    ///   - text: The page.
    ///   - references: Its references.
    /// - Returns: True if it has scripts, leads to no other page, and has hardly any text.
    public static func isLikely(_ text: [UInt8], _ references: [ResolvedReference]) -> Bool {
        let leads = references.contains { $0.kind == .redirect || $0.kind == .link && $0.reference.element != "link" }
        guard !leads, text.count <= pageLimit else { return false }
        let (letters, hasScript) = content(of: text)
        return hasScript && letters <= letterLimit
    }

    /// Counts the letters and digits outside tags, comments, scripts and styles, and looks for scripts.
    private static func content(of text: [UInt8]) -> (letters: Int, hasScript: Bool) {
        var count = 0
        var hasScript = false
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
                hasScript = true
                index = end(of: "</script", text, from: index)
            } else if hasPrefix("<style", text, index) {
                index = end(of: "</style", text, from: index)
            } else {
                index = end(of: ">", text, from: index)
            }
        }
        return (count, hasScript)
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
