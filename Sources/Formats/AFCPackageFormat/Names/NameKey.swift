internal import Crypto

/// What is kept of a name to tell whether it comes again: 128 bits of its SHA-256, so that nobody can make two names alike.
struct NameKey: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ name: [UInt8]) {
        let digest = SHA256.hash(data: name)
        (high, low) = digest.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    static func == (one: NameKey, other: NameKey) -> Bool { one.high == other.high && one.low == other.low }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// The bytes of a name, which is ASCII, with all letters small.
    static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}
