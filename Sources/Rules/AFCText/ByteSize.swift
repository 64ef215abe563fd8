/// Numbers with a unit, as people write them in options and files.
package enum ByteSize {
    /// Parses a number of bytes: digits, optionally with decimals and a unit.
    ///
    /// k, M, G and T are powers of 1,000; Ki, Mi, Gi and Ti are powers of 1,024. Case makes no difference, and a B may
    /// follow.
    ///
    /// - Parameter text: A size, for example `512k`, `1.5G` or `64 MiB`.
    /// - Returns: The number of bytes, rounded down, or nil if the text is not a size or exceeds 64 bits.
    package static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        var unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        if unit.last == "b" { unit.removeLast() }
        guard let factor = factors[unit], let number = Decimal(digits) else { return nil }
        return number.multiplied(by: factor)
    }

    /// Parses a count: digits, optionally with decimals, and with k, M, G or T for powers of 1,000.
    ///
    /// - Parameter text: A count, for example `100000`, `100k` or `1.5M`.
    /// - Returns: The number, or nil if the text is not a number or exceeds 64 bits.
    package static func parseCount(_ text: String) -> Int64? {
        guard let last = text.last, !"bBiI ".contains(last) else { return nil }
        return parse(text)
    }

    private static let factors: [String: Int64] = [
        "": 1, "k": 1000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
        "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
    ]
}
