/// The set of ASCII bytes that one position of a regular expression matches.
struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    init(_ byte: UInt8) { insert(byte) }

    init(_ ranges: ClosedRange<UInt8>...) { for range in ranges { insert(range) } }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << byte } else if byte < 128 { high |= 1 << (byte - 64) }
    }

    mutating func insert(_ range: ClosedRange<UInt8>) { for byte in range { insert(byte) } }

    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> byte & 1 == 1 : byte < 128 && high >> (byte - 64) & 1 == 1
    }

    var inverted: ByteSet {
        var result = self
        (result.low, result.high) = (~low, ~high)
        return result
    }

    /// The set extended by the other case of each letter.
    var ignoringCase: ByteSet {
        var result = self
        for letter in UInt8(ascii: "a")...UInt8(ascii: "z") {
            if contains(letter) { result.insert(letter ^ 0x20) }
            if contains(letter ^ 0x20) { result.insert(letter) }
        }
        return result
    }

    static let all = ByteSet().inverted
    static let digits = ByteSet(0x30...0x39)
    static let word = ByteSet(0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F...0x5F)
    static let space = ByteSet(0x09...0x0D, 0x20...0x20)
}
