import AFCText
import ArgumentParser

/// Durations in options and configuration files.
enum TimeSpan {
    /// Parses a duration: seconds, or one or more numbers with the units ms, s, m or min, h and d.
    ///
    /// - Parameter text: For example `90s`, `1.5h`, `1h30m`, `250ms` or `2`.
    /// - Returns: The duration in whole milliseconds, or nil if the text isn't one or it exceeds a thousand years.
    static func parse(_ text: String) -> Duration? {
        var rest = text[...]
        var total: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            // Only a number that stands alone may go without its unit: '1h30' could mean anything.
            guard !unit.isEmpty || digits.count == text.count, let factor = factors[unit.lowercased()] else {
                return nil
            }
            guard let part = Decimal(digits)?.multiplied(by: factor), part <= limit, total + part <= limit else {
                return nil
            }
            total += part
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    /// A duration in an option.
    ///
    /// - Throws: A usage error that says how to write one.
    static func argument(_ text: String) throws -> Duration {
        guard let duration = parse(text) else {
            guard !isNumber(text) else { throw ValidationError("'\(text)' seconds are longer than a thousand years") }
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a duration; write seconds, or for example 250ms, 90s, 1h30m or 2d"
            )
        }
        return duration
    }

    /// A duration in an option that is usually meant in days, such as a validity.
    ///
    /// - Throws: A usage error that says how to write one; also for a small number without its unit, which would be seconds.
    static func validityArgument(_ text: String) throws -> Duration {
        guard let duration = parse(text) else {
            throw ValidationError("\(PrintableText.quoted(text)) is not a duration; write for example 12h or 90d")
        }
        guard duration > .zero else {
            throw ValidationError("'\(PrintableText.escaped(text))' is no time; write for example 12h or 90d")
        }
        guard !isNumber(text) || duration >= .seconds(3600) else {
            let shown = PrintableText.escaped(text)
            throw ValidationError("'\(shown)' would be \(shown) seconds; write '\(shown)d' for days")
        }
        return duration
    }

    /// A duration in an option, in whole seconds.
    ///
    /// - Throws: A usage error that says how to write one.
    static func secondsArgument(_ text: String) throws -> Int64 {
        let duration = try argument(text)
        guard duration.components.attoseconds == 0 else {
            throw ValidationError("\(PrintableText.quoted(text)) has a fraction of a second; write whole seconds")
        }
        return duration.components.seconds
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static let limit: Int64 = 1000 * 366 * 86_400_000

    private static let factors: [String: Int64] = [
        "": 1000, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]
}
