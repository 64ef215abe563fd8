/// Decodes base 64 (RFC 4648 §4 and §5) that arrives in pieces; white space is skipped.
package struct Base64Decoder {
    private var bits: UInt32 = 0
    private var count = 0
    private var padding = 0
    private var hasFailed = false

    /// Creates a decoder.
    package init() {}

    /// Returns the bytes that a text states in base 64; nil if it isn't base 64.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var decoder = Base64Decoder()
        guard let bytes = Array(text.utf8).withUnsafeBytes({ decoder.decode($0) }), let rest = decoder.finish() else {
            return nil
        }
        return bytes + rest
    }

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

    /// True if the text ends with padding.
    package var hasPadding: Bool { padding > 0 }

    /// True if the text has the length of base 64, with its padding.
    package var isPadded: Bool { padding == 0 ? count == 0 : count + padding == 4 }

    /// Ends the text.
    ///
    /// - Returns: The last bytes of a text without padding; nil if the text wasn't base 64.
    package func finish() -> [UInt8]? {
        guard !hasFailed, padding == 0 || isPadded, count != 1 else { return nil }
        guard padding == 0, count > 0 else { return [] }
        let last = bits << (count == 2 ? 12 : 6)
        return Array([UInt8(truncatingIfNeeded: last >> 16), UInt8(truncatingIfNeeded: last >> 8)].prefix(count - 1))
    }

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
