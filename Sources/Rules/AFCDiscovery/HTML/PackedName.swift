/// The name of a tag or attribute in lower case, packed into two words for comparison without allocation.
///
/// Names longer than fifteen bytes have no key, but discovery needs none of them. The top byte is the length.
struct PackedName: Hashable, Sendable {
    private(set) var low: UInt64 = 0
    private(set) var high: UInt64 = 0

    /// The key of the empty name, which marks free places of the table.
    static let empty = PackedName()

    private init() {}

    var length: Int { Int(high >> 56) }

    @inline(__always)
    init?(_ bytes: ScanBuffer, _ range: Range<Int>) {
        guard range.count <= 15 else { return nil }
        for index in range { push(bytes[index].lowercased) }
        high |= UInt64(truncatingIfNeeded: range.count) << 56
    }

    init?(_ name: String) {
        let name = name.utf8
        guard name.count <= 15 else { return nil }
        for byte in name { push(byte.lowercased) }
        high |= UInt64(name.count) << 56
    }

    @inline(__always)
    private mutating func push(_ byte: UInt8) {
        high = high &<< 8 | low &>> 56
        low = low &<< 8 | UInt64(byte)
    }

    @inline(__always)
    fileprivate var slot: Int {
        let mixed = (low ^ high &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> 55)
    }
}

/// The names of an enumeration by key: an open-addressed table with 512 places.
struct PackedNameTable<Name: RawRepresentable & CaseIterable & Sendable>: Sendable where Name.RawValue == String {
    private var keys = Array(repeating: PackedName.empty, count: 512)
    private var names: [Name]

    init(otherwise other: Name) {
        names = Array(repeating: other, count: 512)
        for name in Name.allCases where !name.rawValue.isEmpty {
            guard let key = PackedName(name.rawValue) else {
                preconditionFailure("'\(name.rawValue)' doesn't fit into a packed name")
            }
            var slot = key.slot
            while keys[slot] != .empty { slot = (slot + 1) & 511 }
            keys[slot] = key
            names[slot] = name
        }
    }

    @inline(__always)
    func name(of key: PackedName) -> Name {
        var slot = key.slot
        while keys[slot] != key, keys[slot] != .empty { slot = (slot &+ 1) & 511 }
        return names[slot]
    }
}
