/// An IPv4 address as parsed by the URL Standard, including hexadecimal, octal and shortened forms.
///
/// See https://url.spec.whatwg.org/#concept-ipv4-parser.
struct IPv4Address: Equatable {
    var value: UInt32

    init(value: UInt32) { self.value = value }

    /// Parses one to four numbers separated by dots; the last one fills all remaining bytes.
    ///
    /// - Throws: ``WebURL/ParseError/tooManyIPv4Parts``, ``WebURL/ParseError/invalidIPv4`` or
    ///   ``WebURL/ParseError/outOfRangeIPv4``.
    init(parsing host: ArraySlice<UInt8>) throws(WebURL.ParseError) {
        let labels = Self.labels(host)
        guard labels.count <= 4 else { throw .tooManyIPv4Parts }
        var numbers: [UInt64] = []
        for label in labels {
            guard let number = Self.number(label) else { throw .invalidIPv4 }
            numbers.append(number)
        }
        guard let last = numbers.popLast(), numbers.allSatisfy({ $0 <= 255 }) else { throw .outOfRangeIPv4 }
        guard last < 1 << UInt64(8 * (4 - numbers.count)) else { throw .outOfRangeIPv4 }
        var value = last
        for (index, number) in numbers.enumerated() { value += number << UInt64(8 * (3 - index)) }
        self.value = UInt32(truncatingIfNeeded: value)
    }

    /// Returns true if the last label of a host is a number, so that the host must be an IPv4 address.
    static func endsInNumber(_ host: ArraySlice<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        let trimmed = host.last == dot ? host.dropLast() : host
        let start = trimmed.lastIndex(of: dot).map { $0 + 1 } ?? trimmed.startIndex
        guard start < trimmed.endIndex, isDigit(trimmed[start]) else { return false }
        let label = trimmed[start...]
        return label.allSatisfy(isDigit) || number(label) != nil
    }

    private static func labels(_ host: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let dot = UInt8(ascii: ".")
        // More than four parts are an error, so further ones needn't be split.
        return (host.last == dot ? host.dropLast() : host).split(
            separator: dot,
            maxSplits: 4,
            omittingEmptySubsequences: false
        )
    }

    /// Returns the value of a decimal, octal or hexadecimal number, at most 2^40; nil if it isn't a number.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        guard !label.isEmpty else { return nil }
        var digits = label
        var radix: UInt64 = 10
        if digits.count >= 2, digits.first == UInt8(ascii: "0") {
            digits = digits.dropFirst()
            radix = 8
            if digits.first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
                digits = digits.dropFirst()
                radix = 16
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = hexValue(byte), UInt64(digit) < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 40)
        }
        return value
    }

    var serialized: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }

    /// True if the address is not on the public Internet: this host (RFC 1122), private (RFC 1918), shared by a
    /// provider (RFC 6598) or link-local (RFC 3927).
    var isPrivate: Bool {
        let second = value >> 16 & 255
        return switch value >> 24 {
        case 0, 10, 127: true
        case 100: (64..<128).contains(second)
        case 169: second == 254
        case 172: (16..<32).contains(second)
        case 192: second == 168
        default: false
        }
    }
}
