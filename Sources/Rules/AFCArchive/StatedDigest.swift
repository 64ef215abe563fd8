internal import AFCText

/// A digest that an archive states about a body.
///
/// Writers disagree about its text: SHA-1 in base 32, hexadecimal digits of either case, or base 64; SHA-256 in these forms,
/// too.
package struct StatedDigest: Hashable, Sendable {
    /// The hash functions that are checked.
    package enum Algorithm: String, Sendable {
        case sha1
        case sha256
        case md5

        /// The number of bytes.
        var size: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .md5: 16
            }
        }
    }

    /// The hash function.
    package let algorithm: Algorithm
    /// The digest.
    package let bytes: [UInt8]

    /// Parses a digest such as `sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A`; nil if its function or form isn't known.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let name = parts[0].lowercased().filter { $0 != "-" && $0 != " " }
        guard let algorithm = Algorithm(rawValue: name) else { return nil }
        let value = String(parts[1].filter { $0 != " " && $0 != "\r" })
        let forms = [Hexadecimal.bytes(value.lowercased()), Self.base32(value), Base64.decode(value)]
        guard let bytes = forms.compactMap({ $0 }).first(where: { $0.count == algorithm.size }) else { return nil }
        (self.algorithm, self.bytes) = (algorithm, bytes)
    }

    /// The digest in one form, to compare it with others.
    package var canonical: String { "\(algorithm.rawValue):\(Hexadecimal.text(bytes))" }

    /// Decodes base 32 (RFC 4648 §6), in either case; nil if the text isn't that.
    private static func base32(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a")
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = byte - UInt8(ascii: "2") + 26
            default: return nil
            }
            bits = bits << 5 | UInt32(value)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= 1 << count - 1
            }
        }
        return bytes
    }
}
