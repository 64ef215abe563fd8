/// Decodes base 64 (RFC 4648 §4 and §5) that arrives in pieces; white space is skipped.
package struct Base64Decoder {
    private var bits: UInt32 = 0
    private var count = 0
    private var padding = 0
    private var hasFailed = false

    /// Creates a decoder.
    package init() {}

    /// Decodes bytes.
    ///
    /// - Parameter text: The next bytes.
    /// - Returns: The decoded bytes; nil if these or earlier ones aren't base 64.
    package mutating func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard !hasFailed else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3 + 3)
        for byte in text {
            let value = Self.values[Int(byte)]
            if value < 64, padding == 0 {
                bits = bits << 6 | UInt32(value)
                count += 1
                guard count == 4 else { continue }
                result.append(UInt8(truncatingIfNeeded: bits >> 16))
                result.append(UInt8(truncatingIfNeeded: bits >> 8))
                result.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (0, 0)
            } else if byte == UInt8(ascii: "="), count >= 2, count + padding < 4 {
                padding += 1
                if padding == 1 {
                    result.append(UInt8(truncatingIfNeeded: count == 2 ? bits >> 4 : bits >> 10))
                    if count == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 2)) }
                }
            } else if value != Self.space {
                hasFailed = true
                return nil
            }
        }
        return result
    }

    /// Ends the text; returns false if it wasn't base 64.
    package func finish() -> Bool { !hasFailed && (padding == 0 ? count == 0 : count + padding == 4) }

    private static let space: UInt8 = 65

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, byte) in letters.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        for byte in [0x09, 0x0A, 0x0D, 0x20] { values[byte] = space }
        return values
    }()
}
