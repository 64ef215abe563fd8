/// Keeps the scripts of a page from running where a policy doesn't: Firefox applies none to scripts that are files.
///
/// Each start tag of a script gets a type that isn't one of scripts. A second attribute of a name doesn't count (HTML
/// §13.2.5.33), so whatever follows makes no difference. The tags are found by their letters alone, also in comments, where
/// that does no harm; no reading of the page can find a script that was overlooked.
package struct ScriptFence {
    private static let tag = Array("<script".utf8)
    private static let frame = Array("srcdoc".utf8)

    /// Whether documents in attributes are left out, too.
    private let dropsFrames: Bool
    /// The end of what was taken, which may be the beginning of a tag.
    private var rest: [UInt8] = []

    /// Creates a fence for a page that comes in pieces, and whose documents in attributes are left out, since scripts in
    /// them may be written with character references.
    package init() { dropsFrames = true }

    private init(keepsFrames: Void) { dropsFrames = false }

    /// Takes the next piece of a page.
    ///
    /// - Parameters:
    ///   - piece: The piece, in an encoding in which ASCII has its meaning.
    ///   - isLast: True for the last piece.
    /// - Returns: What replaces the pieces up to here.
    package mutating func take(_ piece: some Sequence<UInt8>, isLast: Bool) -> [UInt8] {
        let bytes = rest + piece
        // What is at the end may go on.
        let end = isLast ? bytes.count : max(0, bytes.count - Self.tag.count)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var index = 0
        var copied = 0
        while index < end {
            let byte = bytes[index] | 0x20
            if bytes[index] == UInt8(ascii: "<"), Self.has(Self.tag, bytes, index), Self.isEnd(bytes, index + 7) {
                index += 7
                result += bytes[copied..<index]
                result += Array(" type=x ".utf8)
                copied = index
            } else if dropsFrames, byte == UInt8(ascii: "s"), Self.has(Self.frame, bytes, index) {
                result += bytes[copied..<index]
                result += Array("xrcdoc".utf8)
                index += 6
                copied = index
            } else {
                index += 1
            }
        }
        result += bytes[copied..<max(copied, end)]
        rest = Array(bytes[max(copied, end)...])
        return result
    }

    private static func has(_ text: [UInt8], _ bytes: [UInt8], _ index: Int) -> Bool {
        index + text.count <= bytes.count && text.indices.allSatisfy { bytes[index + $0].lowercased == text[$0] }
    }

    /// Returns true if a tag's name ends at an index.
    private static func isEnd(_ bytes: [UInt8], _ index: Int) -> Bool {
        guard index < bytes.count else { return false }
        return bytes[index].isSpace || bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: ">")
    }

    // MARK: Whole pages

    /// The deepest nesting of documents in attributes.
    private static let maxDepth = 4

    /// Returns a page in HTML without scripts, also in the documents of its frames.
    ///
    /// - Parameter page: The page, in an encoding in which ASCII has its meaning.
    /// - Returns: The page.
    package static func html(_ page: [UInt8]) -> [UInt8] { html(page, depth: 0) }

    private static func html(_ page: [UInt8], depth: Int) -> [UInt8] {
        guard page.indices.contains(where: { page[$0] | 0x20 == UInt8(ascii: "s") && has(frame, page, $0) }) else {
            var fence = ScriptFence(keepsFrames: ())
            return fence.take(page, isLast: true)
        }
        guard depth < maxDepth else {
            var fence = ScriptFence()
            return fence.take(page, isLast: true)
        }
        var edits: [Edit] = []
        let text = page.withUnsafeBufferPointer { buffer in
            let bytes = ScanBuffer(buffer)
            var scanner = HTMLDocumentScanner(bytes, .html)
            while let token = scanner.next() {
                guard token == .startTag, scanner.tokenizer.element == .iframe else { continue }
                for attribute in scanner.tokenizer.attributes
                where attribute.nameRange.count == 6 && bytes.hasPrefix("srcdoc", at: attribute.nameRange.lowerBound) {
                    let inner = Array(HTMLText.attribute(bytes, attribute.valueRange).utf8)
                    let before = bytes.at(attribute.valueRange.lowerBound - 1) ?? 0
                    let quote = before == 0x22 || before == 0x27 ? before : 0
                    edits.append(
                        Edit(
                            range: attribute.valueRange,
                            text: HTMLRewriting.escaped(html(inner, depth: depth + 1), quote: quote)
                        )
                    )
                }
            }
            return edits.isEmpty ? page : edits.applied(to: bytes)
        }
        var fence = ScriptFence(keepsFrames: ())
        return fence.take(text, isLast: true)
    }

    /// Returns a page in XHTML whose scripts are elements without a meaning, which aren't shown.
    ///
    /// - Parameter page: The page, in UTF-8.
    /// - Returns: The page.
    package static func xhtml(_ page: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(page.count + 64)
        var index = 0
        while index < page.count {
            let byte = page[index]
            result.append(byte)
            index += 1
            guard byte == UInt8(ascii: "<") else { continue }
            if index < page.count, page[index] == UInt8(ascii: "/") {
                result.append(page[index])
                index += 1
            }
            // A prefix may stand for the name space of XHTML or of SVG.
            var name = index
            while name < page.count, !page[name].isSpace, !"<>/=\"'".utf8.contains(page[name]) { name += 1 }
            let local = page[index..<name].lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? index
            result += page[index..<name]
            index = name
            if page[local..<name].elementsEqual("script".utf8) || page[local..<name].elementsEqual("iframe".utf8) {
                result += Array("-off".utf8)
            }
        }
        return result
    }
}
