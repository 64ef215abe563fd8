/// A set of bytes that are percent-encoded in a part of a URL.
///
/// Bytes from 0x80 always are.
///
/// See https://url.spec.whatwg.org/#percent-encoded-bytes. The sets are written as bits, which the compiler turns into
/// constants; the tests spell them out.
public struct PercentEncodeSet: Sendable, Equatable {
    private let bytes: ASCIISet

    private init(low: UInt64, high: UInt64) { bytes = ASCIISet(low: low, high: high) }

    /// C0 controls, DEL, and everything beyond ASCII.
    public static let c0Control = PercentEncodeSet(low: 0x0000_0000_FFFF_FFFF, high: 0x8000_0000_0000_0000)
    /// For fragments: `c0Control`, space, `"`, `<`, `>` and the grave accent.
    public static let fragment = PercentEncodeSet(low: 0x5000_0005_FFFF_FFFF, high: 0x8000_0001_0000_0000)
    /// For queries of schemes that aren't special: `c0Control` and `space " # < >`.
    public static let query = PercentEncodeSet(low: 0x5000_000D_FFFF_FFFF, high: 0x8000_0000_0000_0000)
    /// For queries of special schemes: `query` and `'`.
    public static let specialQuery = PercentEncodeSet(low: 0x5000_008D_FFFF_FFFF, high: 0x8000_0000_0000_0000)
    /// For paths: `query`, `?`, `^`, `{`, `}` and the grave accent.
    public static let path = PercentEncodeSet(low: 0xD000_000D_FFFF_FFFF, high: 0xA800_0001_4000_0000)
    /// For user names and passwords: `path` and `/ : ; = @ [ \ ] |`.
    public static let userinfo = PercentEncodeSet(low: 0xFC00_800D_FFFF_FFFF, high: 0xB800_0001_7800_0001)
    /// For one value anywhere in a URL, as JavaScript's `encodeURIComponent`: `userinfo` and `$ % & + ,`.
    public static let component = PercentEncodeSet(low: 0xFC00_987D_FFFF_FFFF, high: 0xB800_0001_7800_0001)
    /// For one part of a path made of a file name: `path` and `/ % \`, which would end or change the part.
    public static let pathPart = PercentEncodeSet(low: 0xD000_802D_FFFF_FFFF, high: 0xA800_0001_5000_0000)

    /// All bytes but the unreserved ones (RFC 3986 §2.3), for signatures of URLs.
    public static let reserved = PercentEncodeSet(low: 0xFC00_9FFF_FFFF_FFFF, high: 0xB800_0001_7800_0001)

    /// Returns true if the byte must be encoded.
    @inline(__always)
    public func contains(_ byte: UInt8) -> Bool { byte >= 0x80 || bytes.contains(byte) }

    /// Returns the text with each byte of the set as `%XX`.
    public func encode(_ text: some StringProtocol) -> String { encode(text.utf8) }

    /// Returns the bytes as a text, with each byte of the set as `%XX`.
    public func encode(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        append(bytes, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    @inline(__always)
    func append(_ bytes: some Sequence<UInt8>, to result: inout [UInt8]) {
        for byte in bytes {
            if contains(byte) { Self.appendEscape(byte, to: &result) } else { result.append(byte) }
        }
    }

    /// Appends `%XX` with upper-case digits.
    package static func appendEscape(_ byte: UInt8, to result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(upperHexDigit(byte >> 4))
        result.append(upperHexDigit(byte & 15))
    }

    private static func upperHexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
