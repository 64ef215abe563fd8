@testable import AFCDiscovery

/// The parts of a DOCTYPE; HTML §13.2.5.53–68.
struct HTMLDoctype: Equatable {
    var name: String?
    var publicIdentifier: String?
    var systemIdentifier: String?
    var forcesQuirks = false

    /// Reads what stands between `<!doctype` and `>`.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - range: The part of it.
    ///   - isClosed: Whether a `>` follows, rather than the end of the document.
    init(_ bytes: ScanBuffer, _ range: Range<Int>, isClosed: Bool) {
        var index = range.lowerBound
        let end = range.upperBound
        var isCutOff = false
        func skipSpace() { while index < end, bytes[index].isSpace { index += 1 } }

        skipSpace()
        let nameStart = index
        while index < end, !bytes[index].isSpace { index += 1 }
        if index > nameStart { name = HTMLText.name(bytes, nameStart..<index) }
        forcesQuirks = name == nil || !isClosed
        skipSpace()
        guard index < end else { return }
        let isPublic = bytes.hasPrefix("public", at: index) && index + 6 <= end
        guard isPublic || (bytes.hasPrefix("system", at: index) && index + 6 <= end) else {
            forcesQuirks = true
            return
        }
        index += 6

        /// A quoted identifier; one that isn't closed forces quirks.
        func identifier() -> String? {
            skipSpace()
            guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
                return nil
            }
            let start = index + 1
            let close = bytes.find(bytes[index], from: start, to: end)
            isCutOff = close == end
            index = min(close + 1, end)
            return HTMLText.string(bytes, start..<close, .rawText)
        }

        if isPublic {
            publicIdentifier = identifier()
            guard publicIdentifier != nil, !isCutOff else {
                forcesQuirks = true
                return
            }
            skipSpace()
            guard index < end else { return }
        }
        systemIdentifier = identifier()
        guard systemIdentifier != nil, !isCutOff else {
            forcesQuirks = true
            return
        }
        skipSpace()
        // What else follows is ignored, even the missing end.
        if index < end { forcesQuirks = false }
    }
}
