/// Numbers as a report shows them.
enum Quantity {
    /// A count with a thin space between each three digits.
    static func count(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text.append("\u{202F}") }
            text.append(digit)
        }
        return text
    }

    /// Bytes in powers of 1,000, with one decimal below ten.
    static func bytes(_ bytes: Int64) -> String {
        var (tenths, unit) = (bytes.multipliedReportingOverflow(by: 10).partialValue, 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        if bytes > .max / 10 { tenths = .max }
        while tenths >= 9995, unit < units.count - 1 {
            tenths = (tenths + 500) / 1000
            unit += 1
        }
        if unit == 0 || tenths >= 100 { return "\(unit == 0 ? bytes : (tenths + 5) / 10)\u{202F}\(units[unit])" }
        return "\(tenths / 10).\(tenths % 10)\u{202F}\(units[unit])"
    }

    /// A duration to two or three digits of its largest units.
    static func duration(_ duration: Duration) -> String {
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

    /// Seconds with three decimals, for programs.
    static func decimalSeconds(_ duration: Duration) -> String {
        let milliseconds = milliseconds(duration)
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return max(0, parts.seconds.multipliedReportingOverflow(by: 1000).partialValue)
            + max(0, parts.attoseconds / 1_000_000_000_000_000)
    }
}
