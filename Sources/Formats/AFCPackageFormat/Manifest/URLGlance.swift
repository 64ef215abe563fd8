internal import AFCURL

/// What a glance at an entry's URL shows, so that nearly all URLs needn't be made to be looked at.
///
/// A trait says that something may be there; where the trait is missing, it isn't.
public struct URLGlance: Sendable {
    /// What may be in a URL.
    public struct Traits: OptionSet, Sendable {
        /// The traits as bits.
        public let rawValue: UInt8
        /// Creates traits of bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It isn't http or https with a domain name in normal form: nothing else is known of it.
        public static let unknown = Traits(rawValue: 1)
        /// A percent sign itself, or what needn't be, in percent-encoding, or a percent sign that begins no escape.
        public static let encoded = Traits(rawValue: 2)
        /// A semicolon or an equals sign, so that it may have parameters.
        public static let parameters = Traits(rawValue: 4)
        /// A query without a text.
        public static let emptyQuery = Traits(rawValue: 8)
        /// Two slashes, one behind the other.
        public static let emptySegment = Traits(rawValue: 16)
        /// A host that is `localhost` or ends in `.localhost` or in a dot.
        public static let unusualHost = Traits(rawValue: 32)
        /// A dot behind a slash.
        public static let hiddenName = Traits(rawValue: 64)
    }

    /// What may be in it.
    public private(set) var traits: Traits = []
    /// How many bytes it has, where something is known of it.
    public let count: Int
    /// The bytes behind the last dot of the path's last segment, in lower case, the last of them lowest; 0 where there are
    /// none, and ``longSuffix`` where there are more than eight.
    public private(set) var suffix: UInt64 = 0

    /// More bytes than are told.
    public static let longSuffix = UInt64.max

    /// Nothing is known.
    init() {
        traits = .unknown
        count = 0
    }

    /// Looks at a URL in normal form.
    ///
    /// - Parameters:
    ///   - url: Its bytes.
    ///   - host: Where its host is.
    ///   - path: Where its path is, behind which only the query follows.
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

    /// Looks at path and query, eight bytes at a time.
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

    /// Eight bytes, the first lowest; zeros behind the end.
    @inline(__always)
    private static func word(_ url: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt64 {
        let rest = url.count - index
        if rest >= 8 {
            return UInt64(
                littleEndian: UnsafeRawBufferPointer(url).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
        }
        // A scheme stands before, so there are eight bytes up to the end.
        let last = UnsafeRawBufferPointer(url).loadUnaligned(fromByteOffset: url.count - 8, as: UInt64.self)
        return UInt64(littleEndian: last) >> UInt64(8 * (8 - rest))
    }

    /// The top bits of bytes that are a character, where all bytes are ASCII.
    @inline(__always)
    private static func bytes(of word: UInt64, equalTo character: Unicode.Scalar) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return ~((word ^ UInt64(UInt8(ascii: character)) &* ones) &+ 0x7F &* ones) & (0x80 &* ones)
    }

    /// Whether an escape stands for a percent sign or an unreserved character (RFC 3986 §2.3), or is none.
    private static func isOdd(_ url: UnsafeBufferPointer<UInt8>, escapeAt index: Int) -> Bool {
        // What is no escape is odd, too.
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
                // What begins with its only dot has no suffix.
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

extension ManifestReader.Item {
    /// What a glance at the URL shows.
    public var urlGlance: URLGlance {
        if case .normal(let form) = address {
            let (host, path) = (form.host, form.path)
            return withBytes(parts.url) { URLGlance($0, host: host, path: path) }
        }
        // Something else in the line was in the way of a shorter reading.
        return withBytes(parts.url) { url in
            WebURL.NormalForm(url).map { URLGlance(url, host: $0.host, path: $0.path) } ?? URLGlance()
        }
    }
}
