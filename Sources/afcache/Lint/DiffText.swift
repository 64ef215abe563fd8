import Linter

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A diff on standard output: byte for byte for other programs, and without control characters on a terminal.
enum DiffText {
    /// What makes a line of a terminal's diff stand out; the line as it is.
    static let style: @Sendable (UnifiedDiff.Kind, String) -> String = { _, line in line }

    static func show(_ diff: UnifiedDiff) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        diff.forEachLine { kind, line in
            if isTerminal {
                Console.print(style(kind, visible(line)))
            } else {
                Console.write(line + [UInt8(ascii: "\n")])
            }
        }
    }

    /// A line of a hostile manifest may move the cursor, or colour what follows it.
    static func visible(_ line: some Collection<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": text.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
