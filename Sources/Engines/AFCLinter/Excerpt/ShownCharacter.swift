internal import AFCText

/// A character as it is written to a terminal, with the number of columns that it takes there.
struct ShownCharacter: Equatable {
    /// The text to write.
    var text: String
    /// The number of columns that the text takes.
    var width: Int
    /// The number of bytes of the original text that it stands for.
    var byteCount: Int

    /// The number of columns of a tab at any position, so that the rest doesn't move when the line is cut.
    private static let tabWidth = 4

    /// Returns the characters of a text, with invalid bytes and control characters escaped.
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

    /// Returns true if a character would do something other than show itself, looks like another, or has no known width.
    ///
    /// Characters that combine with the previous one are shown with it.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        PrintableText.isEscaped(scalar) && !isCombining(scalar)
    }

    /// Returns true if a character combines with the previous one: a mark, or the end of a Korean syllable.
    private static func isCombining(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value)
        }
    }

    /// Returns true if a character takes two columns: East Asian Width W or F (Unicode Standard Annex #11).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
