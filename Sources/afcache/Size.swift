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

    /// A number that a person wrote, with k, M, G or T for powers of 1,000; nil where it is none.
    static func parse(_ text: String) -> Int64? {
        var digits = text[...]
        var factor: Int64 = 1
        if let unit = "kmgt".firstIndex(where: { String($0) == text.suffix(1).lowercased() }) {
            for _ in "kmgt"[...unit] { factor *= 1000 }
            digits = digits.dropLast()
        }
        guard let number = Int64(digits), number >= 0 else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
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
