/// A character of a text as a terminal is given it, with the columns that it takes there.
struct ShownCharacter: Equatable {
    /// What is written.
    var text: String
    /// How many columns that takes.
    var width: Int
    /// How many bytes of the text it stands for.
    var byteCount: Int

    /// How many columns a tab takes, wherever it stands: what follows must not move when the line is cut.
    private static let tabWidth = 4

    /// The characters of a text; what is no text, or does something to a terminal, is escaped.
    static func all(of bytes: [UInt8]) -> [ShownCharacter] {
        var shown: [ShownCharacter] = []
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return shown
            case .error(let length):
                for byte in bytes[position..<(position + length)] {
                    shown.append(ShownCharacter(escaped: "\\x\(byte < 16 ? "0" : "")\(hexadecimal(UInt32(byte)))"))
                }
                position += length
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                position += encoded.count
                if isCombining(scalar), let last = shown.indices.last {
                    shown[last].text.unicodeScalars.append(scalar)
                    shown[last].byteCount += encoded.count
                } else {
                    shown.append(ShownCharacter(scalar, byteCount: encoded.count))
                }
            }
        }
    }

    private init(_ text: String, width: Int, byteCount: Int) {
        self.text = text
        self.width = width
        self.byteCount = byteCount
    }

    private init(escaped text: String, byteCount: Int = 1) {
        self.init(text, width: text.utf8.count, byteCount: byteCount)
    }

    private init(_ scalar: Unicode.Scalar, byteCount: Int) {
        if scalar == "\t" {
            self.init(escaped: String(repeating: " ", count: Self.tabWidth))
        } else if Self.isEscaped(scalar) || Self.isCombining(scalar) {
            self.init(escaped: "\\u{\(Self.hexadecimal(scalar.value))}", byteCount: byteCount)
        } else {
            self.init(String(scalar), width: Self.isWide(scalar) ? 2 : 1, byteCount: byteCount)
        }
    }

    private static func hexadecimal(_ value: UInt32) -> String { String(value, radix: 16) }

    /// Whether a character would do something else than show itself, or nobody knows how wide it is.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }

    /// Whether a character is shown within the column of the one before: a mark, or the end of a Korean syllable.
    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
        }
    }

    /// Whether a character takes two columns: East Asian Width W or F (Unicode Standard Annex #11).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
