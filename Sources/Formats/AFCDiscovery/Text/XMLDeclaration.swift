/// The encoding in `<?xml version="1.0" encoding="…"?>`; HTML §13.2.3.2 "get an XML encoding".
enum XMLDeclaration {
    /// The encoding that the declaration at the very start names, or nil.
    static func encoding(of buffer: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
        let bytes = ScanBuffer(UnsafeBufferPointer(rebasing: buffer.prefix(1024)))
        guard bytes.hasPrefix("<?xml", at: 0) else { return nil }
        let end = bytes.find(UInt8(ascii: ">"), from: 0)
        var index = 5
        while index < end, !bytes.hasPrefix("encoding", at: index) { index += 1 }
        index += 8
        func skipControls() { while index < end, bytes[index] <= 0x20 { index += 1 } }
        skipControls()
        guard index < end, bytes[index] == UInt8(ascii: "=") else { return nil }
        index += 1
        skipControls()
        guard index < end, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else { return nil }
        let close = bytes.find(bytes[index], from: index + 1, to: end)
        guard close < end else { return nil }
        return TextEncoding(metaLabel: bytes.string(index + 1..<close))
    }
}
