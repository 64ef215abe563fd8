/// An IPv6 address (RFC 4291), parsed and serialized by the URL Standard and RFC 5952.
///
/// See https://url.spec.whatwg.org/#concept-ipv6-parser.
struct IPv6Address: Equatable {
    private(set) var pieces: [UInt16]

    /// Parses the text between the brackets; nil if it isn't an address.
    init?(_ text: some Sequence<UInt8>) {
        var rest = Array(text)[...]
        var pieces: [UInt16] = []
        /// The number of pieces before `::`.
        var gap: Int?
        if rest.starts(with: "::".utf8) {
            rest = rest.dropFirst(2)
            gap = 0
        }
        while !rest.isEmpty {
            guard pieces.count < 8 else { return nil }
            let digits = rest.prefix(4).prefix { hexValue($0) != nil }
            guard !digits.isEmpty else { return nil }
            let following = rest.dropFirst(digits.count)
            if following.first == UInt8(ascii: ".") {
                guard pieces.count <= 6, let address = Self.embedded(rest) else { return nil }
                pieces += [UInt16(address >> 16), UInt16(address & 0xFFFF)]
                break
            }
            pieces.append(digits.reduce(0) { $0 << 4 | UInt16(hexValue($1) ?? 0) })
            rest = following
            guard !rest.isEmpty else { break }
            guard rest.first == UInt8(ascii: ":") else { return nil }
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: ":") {
                guard gap == nil else { return nil }
                gap = pieces.count
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        if let gap {
            // `::` always stands for at least one piece.
            guard pieces.count < 8 else { return nil }
            pieces.insert(contentsOf: repeatElement(0, count: 8 - pieces.count), at: gap)
        }
        guard pieces.count == 8 else { return nil }
        self.pieces = pieces
    }

    /// Parses four decimal numbers without leading zeros, in which an address may end.
    private static func embedded(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(isDigit) else { return nil }
            guard part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            let number = part.reduce(UInt32(0)) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
            guard number <= 255 else { return nil }
            value = value << 8 | number
        }
        return value
    }

    /// The address in brackets, with the longest run of zeros as `::`.
    var serialized: String {
        let run = longestRunOfZeros
        var text = "["
        var index = 0
        while index < 8 {
            if index == run.lowerBound, !run.isEmpty {
                text += index == 0 ? "::" : ":"
                index = run.upperBound
                continue
            }
            text += String(pieces[index], radix: 16)
            if index < 7 { text += ":" }
            index += 1
        }
        return text + "]"
    }

    /// The first of the longest runs of at least two zeros, or an empty range.
    private var longestRunOfZeros: Range<Int> {
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(1, best.count) { best = start..<end }
            start = end + 1
        }
        return best
    }

    /// True if the address is not on the public Internet: unspecified, loopback, link-local (RFC 4291), unique local
    /// (RFC 4193), or a private IPv4 address in IPv6 form (`::ffff:10.0.0.1`, `::10.0.0.1`).
    var isPrivate: Bool {
        if pieces[0] & 0xFFC0 == 0xFE80 || pieces[0] & 0xFE00 == 0xFC00 { return true }
        guard pieces[..<5].allSatisfy({ $0 == 0 }), pieces[5] == 0 || pieces[5] == 0xFFFF else { return false }
        return IPv4Address(value: UInt32(pieces[6]) << 16 | UInt32(pieces[7])).isPrivate
    }
}
