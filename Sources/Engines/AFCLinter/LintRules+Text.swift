internal import AFCPackageFormat
public import AFCText

extension LintRules.Description {
    /// Returns the description of the rule for a terminal.
    ///
    /// - Parameter width: The number of characters in a line of prose; examples aren't wrapped.
    /// - Returns: Lines that each end in a line feed.
    public func text(width: Int) -> String {
        var lines = ["\(id): \(heading)", ""] + Self.wrapped(explanation, width: width)
        if let fixSentence { lines += [""] + Self.wrapped(fixSentence, width: width) }
        for (word, example) in [("Bad", bad), ("Good", good)] {
            lines += ["", "\(word)\(example.note):"] + example.lines.map { "    \($0)" }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The severity and the summary.
    var heading: String { "\(severity.rawValue)\(isOn ? "" : ", off by default"); finds \(summary)." }

    /// A sentence that says what a fix does, or nil.
    var fixSentence: String? { fix.map { "\(isUnsafe ? "An unsafe fix" : "A fix") \($0)." } }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// The rule as a JSON object, as docs/reference/lint.md documents it.
    public var json: JSONValue {
        .object([
            ("id", .string(id)), ("group", .string(group)), ("severity", .string(severity.rawValue)),
            ("on", .bool(isOn)), ("summary", .string(summary)), ("explanation", .string(explanation)),
            ("fix", fix.map { .string($0) } ?? .null),
            ("unsafe", .bool(isUnsafe)), ("bad", bad.json), ("good", good.json),
        ])
    }
}

extension LintExample {
    /// The lines of the example, with control characters as visible symbols.
    var lines: [String] {
        switch self {
        case .words(let words): [words]
        case .manifest(let text):
            text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Self.visible)
                .dropLast(Self.isEnded(text) ? 1 : 0)
        }
    }

    /// A note about what the lines can't show.
    var note: String {
        guard case .manifest(let text) = self, !Self.isEnded(text) else { return "" }
        return " (the last line has no end)"
    }

    // Scalars, because CR LF is a single character.
    private static func isEnded(_ text: String) -> Bool { text.unicodeScalars.last == "\n" }

    var json: JSONValue {
        switch self {
        case .manifest(let text): .object([("manifest", .string(text))])
        case .words(let words): .object([("words", .string(words))])
        }
    }

    private static func visible(_ line: Substring.UnicodeScalarView) -> String {
        var shown = ""
        for scalar in line {
            switch scalar.value {
            case ..<0x20: shown.unicodeScalars.append(Unicode.Scalar(0x2400 + scalar.value) ?? scalar)
            case 0xFEFF: shown += "\\u{feff}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
