/// Formatting of counts, sizes and durations for people.
package enum Quantity {
    /// Returns a count with a thin space between groups of three digits.
    package static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text.append("\u{202F}") }
            text.append(digit)
        }
        return text
    }

    /// Returns a count with its noun, in the plural unless the count is one.
    package static func count(_ number: some BinaryInteger, _ noun: String) -> String {
        // After a vowel, as in "key" and "day", the letter stays.
        let isLikeEntry = noun.last == "y" && !(noun.dropLast().last.map { "aeou".contains($0) } ?? true)
        return "\(number) " + (number == 1 ? noun : isLikeEntry ? noun.dropLast() + "ies" : noun + "s")
    }

    /// Returns a size in powers of 1,000, with one decimal below ten.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes.
    ///   - space: The text between number and unit.
    /// - Returns: A text such as `1.5 kB`.
    package static func bytes(_ bytes: Int64, space: String = " ") -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var (unit, power) = (0, Int64(1))
        // Rounding may reach the next unit.
        while unit < units.count - 1, rounded(bytes, power) >= 1000 { (unit, power) = (unit + 1, power * 1000) }
        let tenths = bytes < 10 * power ? (bytes * 10 + power / 2) / power : 100
        let isDecimal = unit > 0 && tenths < 100
        let number = isDecimal ? "\(tenths / 10).\(tenths % 10)" : "\(rounded(bytes, power))"
        return number + space + units[unit]
    }

    private static func rounded(_ number: Int64, _ power: Int64) -> Int64 {
        number / power + (number % power >= (power + 1) / 2 && power > 1 ? 1 : 0)
    }

    /// Returns a duration with two or three digits of its largest units.
    package static func duration(_ duration: Duration) -> String {
        let milliseconds = milliseconds(duration)
        if milliseconds < 1000 { return "\(milliseconds)\u{202F}ms" }
        if milliseconds < 9_950 {
            let tenths = (milliseconds + 50) / 100
            return "\(tenths / 10).\(tenths % 10)\u{202F}s"
        }
        let seconds = (milliseconds + 500) / 1000
        if seconds < 60 { return "\(seconds)\u{202F}s" }
        if seconds < 3600 { return "\(seconds / 60):\(twoDigits(seconds % 60))\u{202F}min" }
        return "\(seconds / 3600):\(twoDigits(seconds % 3600 / 60))\u{202F}h"
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }

    /// Returns seconds with three decimals, for programs.
    package static func decimalSeconds(_ duration: Duration) -> String {
        let milliseconds = milliseconds(duration)
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return max(0, parts.seconds.multipliedReportingOverflow(by: 1000).partialValue)
            + max(0, parts.attoseconds / 1_000_000_000_000_000)
    }

    /// Pads a text with spaces to a width, on the right or on the left.
    package static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? space + text : text + space
    }
}
