/// An IPv4 address as the URL Standard parses it: also hexadecimal, octal and shortened.
struct IPv4Address: Equatable {
    var value: UInt32

    init(value: UInt32) { self.value = value }

    /// An address in its dotted serialisation, or nil for another text.
    init?(serialized text: String) {
        guard let last = text.utf8.last, isDigit(last), let address = IPv4Address.parse(Array(text.utf8)) else {
            return nil
        }
        self = address
    }

    /// Whether a host's last label is a number, so that it must be an IPv4 address.
    static func endsInNumber(_ host: [UInt8]) -> Bool {
        var labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true {
            guard labels.count > 1 else { return false }
            labels.removeLast()
        }
        guard let last = labels.last else { return false }
        if !last.isEmpty, last.allSatisfy(isDigit) { return true }
        return number(last) != nil
    }

    static func parse(_ host: [UInt8]) -> IPv4Address? {
        var labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true, labels.count > 1 { labels.removeLast() }
        guard labels.count <= 4 else { return nil }
        var numbers: [UInt64] = []
        for label in labels {
            guard !label.isEmpty, let value = number(label) else { return nil }
            numbers.append(value)
        }
        guard let last = numbers.popLast(), numbers.allSatisfy({ $0 <= 255 }) else { return nil }
        guard last < UInt64(1) << UInt64(8 * (4 - numbers.count)) else { return nil }
        var value = last
        for (index, number) in numbers.enumerated() { value += number << UInt64(8 * (3 - index)) }
        return IPv4Address(value: UInt32(truncatingIfNeeded: value))
    }

    /// The value of a decimal, octal or hexadecimal number, at most 2^40; nil where it is none.
    private static func number(_ label: ArraySlice<UInt8>) -> UInt64? {
        guard !label.isEmpty else { return nil }
        var digits = label
        var radix: UInt64 = 10
        if digits.count >= 2, digits.first == UInt8(ascii: "0") {
            if digits.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
                digits = digits.dropFirst(2)
                radix = 16
            } else {
                digits = digits.dropFirst()
                radix = 8
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = hexValue(byte), UInt64(digit) < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 40)
        }
        return value
    }

    var serialized: [UInt8] {
        Array("\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)".utf8)
    }

    /// Whether the address is not one of the public Internet (RFC 1122, 1918, 3927, 6598).
    var isPrivate: Bool {
        let (a, b) = (value >> 24, value >> 16 & 255)
        return switch a {
        case 0, 10, 127: true
        case 100: (64..<128).contains(b)
        case 169: b == 254
        case 172: (16..<32).contains(b)
        case 192: b == 168
        default: false
        }
    }
}
