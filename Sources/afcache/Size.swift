/// Numbers for people.
enum Size {
    /// A number of bytes with at most four digits, in powers of 1,000.
    static func text(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        for unit in ["kB", "MB", "GB", "TB"] {
            value /= 1000
            if value < 999.95 || unit == "TB" {
                let tenths = Int((value * 10).rounded())
                return value < 10 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
            }
        }
        return "\(bytes) B"
    }

    /// A text made as wide as asked for, filled on the left or on the right.
    static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let missing = max(0, width - text.count)
        let space = String(repeating: " ", count: missing)
        return left ? space + text : text + space
    }

    /// A count with its noun, in the plural where there isn't one.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        "\(number) " + (number == 1 ? noun : noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s")
    }
}
