/// A manual page in the macros of man(7) that groff and mandoc both read.
struct Roff {
    private(set) var text = ""

    /// Appends a macro; its arguments are text.
    ///
    /// Hyphens aren't escaped, since mandoc accepts only plain ones in a date.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += "." + name
        for argument in arguments {
            let word = Self.escaped(argument).replacing("\\-", with: "-")
            text += word.contains(" ") || word.isEmpty ? " \"\(word)\"" : " " + word
        }
        text += "\n"
    }

    /// Appends a line of text in pieces, each plain, bold or italic.
    mutating func line(_ pieces: Piece...) { line(pieces) }

    /// Appends a line of text in pieces, each plain, bold or italic.
    mutating func line(_ pieces: [Piece]) {
        let line = pieces.map(\.escaped).joined()
        // A control line begins with a full stop or an apostrophe; the latter is escaped already.
        text += (line.hasPrefix(".") ? "\\&" : "") + line + "\n"
    }

    /// Appends paragraphs; those whose lines begin with a blank keep their line breaks, the others are filled.
    ///
    /// - Parameters:
    ///   - source: The text.
    ///   - followsHeading: True if a heading precedes the text, so that no paragraph macro is needed.
    mutating func paragraphs(_ source: String, followsHeading: Bool = false) {
        for (index, paragraph) in Self.paragraphs(of: source).enumerated() {
            if index > 0 || !followsHeading { macro("PP") }
            guard paragraph.allSatisfy({ $0.hasPrefix(" ") }) else {
                for line in paragraph { self.line(.plain(String(line.drop { $0 == " " }))) }
                continue
            }
            macro("EX")
            for line in paragraph { self.line(.plain(String(line))) }
            macro("EE")
        }
    }

    /// Returns the text between blank lines; lines that begin with a blank form paragraphs of their own.
    static func paragraphs(of source: String) -> [[Substring]] {
        var paragraphs: [[Substring]] = []
        var current: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.allSatisfy({ $0 == " " }) {
                if !current.isEmpty { paragraphs.append(current) }
                current = []
                continue
            }
            if let last = current.last, last.hasPrefix(" ") != line.hasPrefix(" ") {
                paragraphs.append(current)
                current = []
            }
            current.append(line)
        }
        return current.isEmpty ? paragraphs : paragraphs + [current]
    }

    /// Returns text with characters that are special to roff or not ASCII escaped.
    ///
    /// A hyphen, an apostrophe, a grave accent, a circumflex and a tilde would become typographic characters, which can't
    /// be pasted into a shell (groff_char(7)).
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "…": result += "..."
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
            }
        }
        return result
    }

    /// A part of a line.
    enum Piece {
        case plain(String)
        case bold(String)
        case italic(String)

        fileprivate var escaped: String {
            switch self {
            case .plain(let text): Roff.escaped(text)
            case .bold(let text): "\\fB\(Roff.escaped(text))\\fR"
            case .italic(let text): "\\fI\(Roff.escaped(text))\\fR"
            }
        }
    }
}
