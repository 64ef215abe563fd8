/// The windows-1252 encoding, which the web means by ISO 8859-1 and ASCII too; Encoding Standard §9.
enum Windows1252 {
    /// What the bytes 0x80 to 0x9F stand for; the five that stand for nothing are C1 controls.
    static let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F,
        0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
        0x017E, 0x0178,
    ]

    /// The text in UTF-8.
    static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            if byte < 0x80 {
                result.append(byte)
                continue
            }
            let value = byte < 0xA0 ? upper[Int(byte & 0x1F)] : UInt16(byte)
            if value >= 0x800 { result.append(UInt8(0xE0 | value >> 12)) }
            result.append(value >= 0x800 ? UInt8(0x80 | value >> 6 & 0x3F) : UInt8(0xC0 | value >> 6))
            result.append(UInt8(0x80 | value & 0x3F))
        }
        return result
    }

    /// The byte of a character, or nil where it has none.
    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 || (0xA0...0xFF).contains(scalar.value) { return UInt8(scalar.value) }
        guard let index = upper.firstIndex(where: { UInt32($0) == scalar.value }) else { return nil }
        return UInt8(0x80 + index)
    }
}
