import ArgumentParser
import PackageFormat

/// Sizes as people write them.
enum ByteSize {
    /// A number of bytes: digits, perhaps with decimals, and perhaps a unit.
    ///
    /// k, M, G and T are powers of 1,000, Ki, Mi, Gi and Ti of 1,024; case doesn't count, and a B may follow.
    ///
    /// - Parameter text: For example `512k`, `1.5G` or `64 MiB`.
    /// - Returns: The bytes, fractions of one left out, or nil where it is no size or too large for 64 bits.
    static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        var unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        if unit.last == "b" { unit.removeLast() }
        guard let factor = factors[unit], let number = Decimal(digits) else { return nil }
        return number.multiplied(by: factor)
    }

    /// A size in an option.
    ///
    /// - Throws: A usage error that says how to write one.
    static func argument(_ text: String) throws -> Int64 {
        guard let bytes = parse(text) else {
            throw ValidationError(
                "\(PackageProblem.quoted(text)) is no size; write bytes, or for example 512k, 1.5G or 64MiB"
            )
        }
        return bytes
    }

    private static let factors: [String: Int64] = [
        "": 1, "k": 1000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
        "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
    ]
}
