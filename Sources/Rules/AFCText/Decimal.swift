/// An unsigned number that a person wrote, with up to nine decimals; whole numbers are exact.
package struct Decimal {
    private var whole: Int64
    /// The fraction in billionths.
    private var fraction: Int64

    /// Parses digits, optionally followed by a point and digits.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = Self.digits(String(first)) else { return nil }
        self.whole = whole
        fraction = 0
        guard parts.count == 2 else { return }
        guard let value = Self.digits(String(parts[1])), parts[1].utf8.count <= 9 else { return nil }
        fraction = value
        for _ in parts[1].utf8.count..<9 { fraction *= 10 }
    }

    /// Returns the product, rounded down, or nil if it is too large.
    package func multiplied(by factor: Int64) -> Int64? {
        let (product, isTooLarge) = whole.multipliedReportingOverflow(by: factor)
        guard !isTooLarge else { return nil }
        let wide = fraction.multipliedFullWidth(by: factor)
        let part = Int64(1_000_000_000).dividingFullWidth(wide).quotient
        let (sum, overflows) = product.addingReportingOverflow(part)
        return overflows ? nil : sum
    }

    private static func digits(_ text: String) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
