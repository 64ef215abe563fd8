internal import AFCURL

/// The traits of an entry's URL, found by scanning its bytes once, so that most URLs needn't be created to be checked.
///
/// A trait says that a feature may be present. Without the trait, it is absent.
public struct URLGlance: Sendable {
    /// Features that a URL may have.
    public struct Traits: OptionSet, Sendable {
        /// The traits as bits.
        public let rawValue: UInt8
        /// Creates traits from bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The URL is not http or https with a domain name in normal form; nothing else is known about it.
        public static let unknown = Traits(rawValue: 1)
        /// An escape of a percent sign or of a character that needs no escape, or a percent sign that begins no escape.
        public static let encoded = Traits(rawValue: 2)
        /// A semicolon or an equals sign, so that it may have parameters.
        public static let parameters = Traits(rawValue: 4)
        /// An empty query.
        public static let emptyQuery = Traits(rawValue: 8)
        /// Two consecutive slashes.
        public static let emptySegment = Traits(rawValue: 16)
        /// A host that is `localhost` or ends in `.localhost` or a dot.
        public static let unusualHost = Traits(rawValue: 32)
        /// A dot after a slash.
        public static let hiddenName = Traits(rawValue: 64)
    }

    /// The traits of the URL.
    public private(set) var traits: Traits = []
    /// The length of the URL in bytes, if it is known.
    public let count: Int
    /// The file name extension: the bytes after the last dot of the last path segment, in lower case, the last byte in
    /// the lowest bits.
    ///
    /// 0 if there is none, and ``longSuffix`` if it has more than eight bytes.
    public private(set) var suffix: UInt64 = 0

    /// The value of ``suffix`` for an extension of more than eight bytes.
    public static let longSuffix = UInt64.max

    /// Creates a glance that knows nothing.
    init() {
        traits = .unknown
        count = 0
    }

    /// Scans a URL in normal form.
    ///
    /// - Parameters:
    ///   - url: The bytes of the URL.
    ///   - host: The range of the host.
    ///   - path: The range of the path; only a query follows it.
    @inline(__always)
    init(_ url: UnsafeBufferPointer<UInt8>, host: Range<Int>, path: Range<Int>) {
        count = url.count
        if path.upperBound + 1 == url.count { traits.insert(.emptyQuery) }
        lookAtHost(url, host)
        lookAtRest(url, from: path.lowerBound)
        suffix = Self.suffix(url, path)
    }

    @inline(__always)
    private mutating func lookAtHost(_ url: UnsafeBufferPointer<UInt8>, _ host: Range<Int>) {
        guard let last = host.last else { return }
        if url[last] == UInt8(ascii: ".") { traits.insert(.unusualHost) }
        guard url[last] == UInt8(ascii: "t"), host.count >= 9 else { return }
        if url[host].suffix(9).elementsEqual("localhost".utf8) { traits.insert(.unusualHost) }
    }

    /// Scans path and query, eight bytes at a time.
    @inline(__always)
    private mutating func lookAtRest(_ url: UnsafeBufferPointer<UInt8>, from start: Int) {
        var index = start
        var wasSlash: UInt64 = 0
        var (parameters, emptySegment, hiddenName): (UInt64, UInt64, UInt64) = (0, 0, 0)
        while index < url.count {
            let word = Self.word(url, at: index)
            let slashes = Self.bytes(of: word, equalTo: "/")
            let behindSlash = slashes << 8 | wasSlash
            wasSlash = slashes >> 56
            emptySegment |= slashes & behindSlash
            hiddenName |= Self.bytes(of: word, equalTo: ".") & behindSlash
            parameters |= Self.bytes(of: word, equalTo: "=") | Self.bytes(of: word, equalTo: ";")
            var percents = Self.bytes(of: word, equalTo: "%")
            while percents != 0 {
                if Self.isOdd(url, escapeAt: index + percents.trailingZeroBitCount >> 3) { traits.insert(.encoded) }
                percents &= percents &- 1
            }
            index += 8
        }
        if parameters != 0 { traits.insert(.parameters) }
        if emptySegment != 0 { traits.insert(.emptySegment) }
        if hiddenName != 0 { traits.insert(.hiddenName) }
    }

    /// Returns eight bytes, the first in the lowest bits, with zeros behind the end.
    @inline(__always)
    private static func word(_ url: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt64 {
        let rest = url.count - index
        if rest >= 8 {
            return UInt64(
                littleEndian: UnsafeRawBufferPointer(url).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
        }
        // A scheme comes before, so there are at least eight bytes up to the end.
        let last = UnsafeRawBufferPointer(url).loadUnaligned(fromByteOffset: url.count - 8, as: UInt64.self)
        return UInt64(littleEndian: last) >> UInt64(8 * (8 - rest))
    }

    /// Returns the top bits of bytes that equal a character; correct if all bytes are ASCII.
    @inline(__always)
    private static func bytes(of word: UInt64, equalTo character: Unicode.Scalar) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return ~((word ^ UInt64(UInt8(ascii: character)) &* ones) &+ 0x7F &* ones) & (0x80 &* ones)
    }

    /// Returns true if an escape stands for a percent sign or an unreserved character (RFC 3986 §2.3), or is invalid.
    private static func isOdd(_ url: UnsafeBufferPointer<UInt8>, escapeAt index: Int) -> Bool {
        // An invalid escape is odd as well.
        guard index + 2 < url.count, let byte = PercentDecoding.byte(url[index + 1], url[index + 2]) else {
            return true
        }
        return byte == UInt8(ascii: "%") || PercentDecoding.isUnreserved(byte)
    }

    @inline(__always)
    private static func suffix(_ url: UnsafeBufferPointer<UInt8>, _ path: Range<Int>) -> UInt64 {
        var index = path.upperBound - 1
        while index > path.lowerBound, url[index] != UInt8(ascii: "/") {
            if url[index] == UInt8(ascii: ".") {
                // A name that begins with its only dot has no extension.
                guard url[index - 1] != UInt8(ascii: "/") else { return 0 }
                let suffix = (index + 1)..<path.upperBound
                guard suffix.count <= 8 else { return longSuffix }
                return suffix.reduce(0) { $0 << 8 | UInt64(lowercased(url[$1])) }
            }
            index -= 1
        }
        return 0
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
