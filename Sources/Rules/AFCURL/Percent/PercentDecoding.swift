/// Percent-decoding; see https://url.spec.whatwg.org/#percent-decode.
public enum PercentDecoding {
    /// Returns the bytes with each `%XX` decoded; a percent sign without two digits is kept.
    public static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let source = Array(bytes)
        guard source.contains(UInt8(ascii: "%")) else { return source }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let byte = byte(source[index + 1], source[index + 2])
            {
                result.append(byte)
                index += 3
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return result
    }

    /// Returns the byte for two hexadecimal digits after a percent sign, or nil if they aren't digits.
    @inline(__always)
    package static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = hexValue(high), let low = hexValue(low) else { return nil }
        return high << 4 | low
    }

    /// Returns true if a byte is unreserved, so that its escape has the same meaning (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter(byte) || isDigit(byte)
        }
    }
}

extension StringProtocol {
    /// The bytes of the text in UTF-8, with each `%XX` decoded.
    ///
    /// They may be any bytes, including slashes, NUL and invalid UTF-8. For a part of a path, they are the name that
    /// its author meant.
    public var percentDecoded: [UInt8] { PercentDecoding.decode(utf8) }
}
