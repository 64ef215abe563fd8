/// A set of bytes that are percent-encoded in a part of a URL; bytes from 0x80 always are.
///
/// See https://url.spec.whatwg.org/#percent-encoded-bytes.
public struct PercentEncodeSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    private func adding(_ characters: StaticString) -> PercentEncodeSet {
        var (low, high) = (low, high)
        for index in 0..<characters.utf8CodeUnitCount {
            let byte = characters.utf8Start[index]
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        return PercentEncodeSet(low: low, high: high)
    }

    /// C0 controls and everything from DEL.
    public static let c0Control = PercentEncodeSet(low: 0xFFFF_FFFF, high: 1 << 63)
    /// For fragments.
    public static let fragment = c0Control.adding(" \"<>`")
    /// For queries of schemes that aren't special.
    public static let query = c0Control.adding(" \"#<>")
    /// For queries of special schemes.
    public static let specialQuery = query.adding("'")
    /// For paths.
    public static let path = query.adding("?^`{}")
    /// For user names and passwords.
    public static let userinfo = path.adding("/:;=@[\\]|")
    /// For one part of a path that comes from a file's name: the path's set, and what would end or change the part.
    public static let pathPart = path.adding("/%\\")

    /// Whether the byte is encoded.
    @inline(__always)
    public func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte >= 128 || high >> UInt64(byte - 64) & 1 == 1
    }

    /// The text with each byte of the set as `%XX`.
    public func encode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 { append(byte, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @inline(__always)
    func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard contains(byte) else {
            bytes.append(byte)
            return
        }
        let digits: StaticString = "0123456789ABCDEF"
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digits.utf8Start[Int(byte >> 4)])
        bytes.append(digits.utf8Start[Int(byte & 15)])
    }
}

/// Percent-decoding.
public enum PercentDecoding {
    /// The bytes with each `%XX` replaced; a percent sign that isn't followed by two digits stays.
    public static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let source = Array(bytes)
        guard source.contains(UInt8(ascii: "%")) else { return source }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = hexValue(source[index + 1]), let low = hexValue(source[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return result
    }
}

/// The value of a hexadecimal digit, or nil for another byte.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

@inline(__always)
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
