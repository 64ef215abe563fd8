/// A template for the addresses of segments; ISO/IEC 23009-1 §5.3.9.4.4.
struct DASHTemplate {
    private enum Part {
        case text(String)
        case number(width: Int)
        case time(width: Int)
    }

    /// The largest width of a number.
    private static let widthLimit = 32

    private var parts: [Part] = []

    /// True if each segment has an address of its own.
    var isNumbered: Bool {
        parts.contains { part in
            if case .text = part { false } else { true }
        }
    }

    /// Reads a template.
    ///
    /// The result is nil if the template has an identifier that isn't known or isn't closed.
    ///
    /// - Parameters:
    ///   - text: The template, such as `v-$RepresentationID$-$Number%05d$.m4s`.
    ///   - id: The representation's ID.
    ///   - rate: The representation's bit rate.
    init?(_ text: String, id: String, rate: Int) {
        var literal = ""
        var isIdentifier = false
        for piece in text.split(separator: "$", omittingEmptySubsequences: false) {
            defer { isIdentifier.toggle() }
            guard isIdentifier else {
                literal += piece
                continue
            }
            let name = piece.prefix { $0 != "%" }
            guard let width = Self.width(piece.dropFirst(name.count)) else { return nil }
            switch name {
            case "": literal += "$"
            case "RepresentationID": literal += id
            case "Bandwidth": literal += Self.padded(rate, width)
            case "Number":
                parts.append(.text(literal))
                literal = ""
                parts.append(.number(width: width))
            case "Time":
                parts.append(.text(literal))
                literal = ""
                parts.append(.time(width: width))
            default: return nil
            }
        }
        // The last piece must not be an identifier.
        guard isIdentifier else { return nil }
        parts.append(.text(literal))
    }

    /// Returns the address of a segment.
    func address(number: Int, time: Int) -> String {
        var address = ""
        for part in parts {
            switch part {
            case .text(let text): address += text
            case .number(let width): address += Self.padded(number, width)
            case .time(let width): address += Self.padded(time, width)
            }
        }
        return address
    }

    /// Returns the width in a format such as `%05d`; nil if it is none.
    private static func width(_ format: Substring) -> Int? {
        guard !format.isEmpty else { return 1 }
        guard format.hasPrefix("%0"), format.hasSuffix("d"), let width = Int(format.dropFirst(2).dropLast()),
            (0...widthLimit).contains(width)
        else { return nil }
        return width
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
