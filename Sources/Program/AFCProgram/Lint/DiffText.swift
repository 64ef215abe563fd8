import AFCLinter

/// A diff on standard output: exact bytes for other programs, without control characters on a terminal.
enum DiffText {
    /// Writes a diff.
    ///
    /// - Parameters:
    ///   - diff: The diff.
    ///   - isColored: True to write escape sequences for colors, which programs that read diffs don't understand.
    static func show(_ diff: UnifiedDiff, isColored: Bool) {
        let isForPeople = isColored || Console.resultIsTerminal || Console.resultIsWorkflowLog
        diff.forEachLine { kind, line in
            if isForPeople {
                Console.printVerbatim(isColored ? painted(visible(line), kind) : visible(line))
            } else {
                Console.write(line + [UInt8(ascii: "\n")])
            }
        }
    }

    /// Returns a line in the colors that git uses.
    private static func painted(_ line: String, _ kind: UnifiedDiff.Kind) -> String {
        let paint: String? =
            switch kind {
            case .file: "1"
            case .place: "36"
            case .context: nil
            case .removed: "31"
            case .added: "32"
            }
        return paint.map { "\u{1B}[\($0)m\(line)\u{1B}[0m" } ?? line
    }

    /// Returns a line without control characters, with which a hostile manifest could move the cursor.
    static func visible(_ line: some Collection<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": text.unicodeScalars.append(scalar)
            case _ where scalar == "#" && text.hasSuffix("#"): text += "\\u{23}"
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        // A line of context begins with a space, before which a workflow's runner takes '::' for a command.
        let marked = text.drop { $0 == " " || $0 == "\t" }
        return marked.hasPrefix("::") ? text.prefix(text.count - marked.count) + "\\u{3a}" + marked.dropFirst() : text
    }
}
