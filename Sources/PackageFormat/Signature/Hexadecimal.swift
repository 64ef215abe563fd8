/// Bytes as hexadecimal digits.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// The bytes as lower-case digits, two for each.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
