/// A private key in PEM (RFC 7468 §10 and §11), found in a text.
enum PrivateKeyText {
    private static let beginning = Array("-----BEGIN ".utf8)
    private static let label = Array("PRIVATE KEY-----".utf8)
    /// The distance to shift the label if a byte is under its last one (Horspool's algorithm).
    private static let shifts: [UInt8] = {
        var shifts = [UInt8](repeating: UInt8(label.count), count: 256)
        for (index, byte) in label.dropLast().enumerated() { shifts[Int(byte)] = UInt8(label.count - 1 - index) }
        return shifts
    }()

    /// Returns true if the bytes contain a private key, with its Base64 and not only its first line.
    static func isIn(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            shifts.withUnsafeBufferPointer { shifts in
                var end = label.count
                while end <= bytes.count {
                    let last = bytes[end - 1]
                    if last == UInt8(ascii: "-"), bytes[..<end].suffix(label.count).elementsEqual(label),
                        hasBeginning(bytes[..<(end - label.count)]), hasText(bytes[end...])
                    {
                        return true
                    }
                    end += Int(shifts[Int(last)])
                }
                return false
            }
        }
    }

    /// Returns true if `-----BEGIN ` precedes the label, optionally with `RSA ` or the like between them.
    private static func hasBeginning(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let near = bytes.suffix(beginning.count + 12)
        return near.indices.contains { near[$0...].starts(with: beginning) }
    }

    /// Returns true if 64 characters of Base64 follow.
    private static func hasText(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var count = 0
        for byte in bytes.prefix(400) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                count += 1
            // In a script, a key's line breaks are written as \n.
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\\"), UInt8(ascii: " "): continue
            default: return false
            }
            if count >= 64 { return true }
        }
        return false
    }
}
