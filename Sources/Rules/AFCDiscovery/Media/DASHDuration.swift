/// A duration of XML Schema, such as `PT1H2M3.5S`.
enum DASHDuration {
    /// The longest duration, in seconds: a thousand days.
    private static let longest = 86_400_000.0

    /// Returns the seconds of a duration; nil if the text isn't one, or if it is longer than a thousand days.
    static func seconds(_ text: String) -> Double? {
        var rest = text.trimmedASCII[...]
        guard rest.first == "P" else { return nil }
        rest = rest.dropFirst()
        var seconds = 0.0
        var isTime = false
        while let first = rest.first {
            if first == "T" {
                isTime = true
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            guard digits.utf8.count <= 20, let value = Double(digits), let unit = rest.first,
                let factor = factor(unit, isTime: isTime)
            else { return nil }
            rest = rest.dropFirst()
            seconds += value * factor
        }
        return seconds <= longest ? seconds : nil
    }

    private static func factor(_ unit: Character, isTime: Bool) -> Double? {
        switch (unit, isTime) {
        case ("Y", false): 365 * 86_400
        case ("M", false): 30 * 86_400
        case ("W", false): 7 * 86_400
        case ("D", false): 86_400
        case ("H", true): 3_600
        case ("M", true): 60
        case ("S", true): 1
        default: nil
        }
    }
}
