/// Checks the text of a reference before it is parsed.
enum ReferenceText {
    /// Schemes that never lead to a request; `data:` URLs alone may be most of a document.
    private static let schemes: [StaticString] = ["data:", "javascript:", "mailto:", "tel:", "about:", "blob:"]

    /// Returns true if the text starts with a scheme that needs no request to a server.
    static func needsNoRequest(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = ScanBuffer(text)
        var start = 0
        while start < bytes.count, bytes[start] <= 0x20 { start += 1 }
        guard start < bytes.count else { return false }
        switch bytes[start].lowercased {
        case UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "d"), UInt8(ascii: "j"), UInt8(ascii: "m"),
            UInt8(ascii: "t"):
            return schemes.contains { bytes.hasPrefix($0, at: start) }
        default: return false
        }
    }

    /// Returns true if the text starts with a scheme that needs no request to a server.
    static func needsNoRequest(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { needsNoRequest($0) }
    }
}
