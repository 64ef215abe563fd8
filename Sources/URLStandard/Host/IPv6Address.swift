/// An IPv6 address (RFC 4291), parsed and serialised by the URL Standard (RFC 5952).
struct IPv6Address: Equatable {
    var pieces = [UInt16](repeating: 0, count: 8)

    init?(_ text: some Sequence<UInt8>) {
        let input = Array(text)
        var index = 0
        var piece = 0
        var compress: Int?
        func byte(_ offset: Int = 0) -> UInt8? { index + offset < input.count ? input[index + offset] : nil }
        let colon = UInt8(ascii: ":")
        if byte() == colon {
            guard byte(1) == colon else { return nil }
            index += 2
            piece += 1
            compress = piece
            piece = 1
        }
        while let current = byte() {
            guard piece < 8 else { return nil }
            if current == colon {
                guard compress == nil else { return nil }
                index += 1
                piece += 1
                compress = piece
                continue
            }
            var value: UInt32 = 0
            var length = 0
            while length < 4, let next = byte(), let digit = hexValue(next) {
                value = value * 16 + UInt32(digit)
                index += 1
                length += 1
            }
            if byte() == UInt8(ascii: ".") {
                guard length > 0 else { return nil }
                index -= length
                guard piece <= 6, let address = Self.embedded(input[index...]) else { return nil }
                pieces[piece] = UInt16(address >> 16)
                pieces[piece + 1] = UInt16(address & 0xFFFF)
                piece += 2
                index = input.count
                break
            }
            if byte() == colon {
                index += 1
                guard byte() != nil else { return nil }
            } else if byte() != nil {
                return nil
            }
            pieces[piece] = UInt16(value)
            piece += 1
        }
        if let compress {
            var swaps = piece - compress
            piece = 7
            while piece != 0, swaps > 0 {
                pieces.swapAt(piece, compress + swaps - 1)
                piece -= 1
                swaps -= 1
            }
        } else if piece != 8 {
            return nil
        }
    }

    /// Four decimal numbers without leading zeros, as an address may end in.
    private static func embedded(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(isDigit) else { return nil }
            if part.count > 1, part.first == UInt8(ascii: "0") { return nil }
            let number = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
            guard number <= 255 else { return nil }
            value = value << 8 | number
        }
        return value
    }

    /// The address in brackets.
    var serialized: [UInt8] {
        let run = longestRunOfZeros
        var text = "["
        var index = 0
        while index < 8 {
            if let run, index == run.lowerBound {
                text += index == 0 ? "::" : ":"
                index = run.upperBound
                continue
            }
            text += String(pieces[index], radix: 16)
            if index != 7 { text += ":" }
            index += 1
        }
        return Array((text + "]").utf8)
    }

    /// Whether the address is not one of the public Internet (RFC 4193, 4291).
    var isPrivate: Bool {
        if pieces[0..<5].allSatisfy({ $0 == 0 }), pieces[5] == 0xFFFF || pieces[5] == 0 {
            let value = UInt32(pieces[6]) << 16 | UInt32(pieces[7])
            return value <= 1 || IPv4Address(value: value).isPrivate
        }
        return pieces[0] & 0xFFC0 == 0xFE80 || pieces[0] & 0xFE00 == 0xFC00
    }

    private var longestRunOfZeros: Range<Int>? {
        var best: Range<Int>?
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(1, best?.count ?? 1) { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }
}
