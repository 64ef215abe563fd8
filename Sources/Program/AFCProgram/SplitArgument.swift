import AFCFiles
import AFCText
import ArgumentParser

/// One value that reached the program as several arguments: a unit apart from its number, or a pattern that the shell
/// replaced with names of files.
enum SplitArgument {
    /// Returns the sentence for such a value, or nil if there is none.
    ///
    /// - Parameters:
    ///   - arguments: The command line, without the program's name.
    ///   - command: The command that it calls.
    ///   - isFile: Returns true if a path has a file.
    /// - Returns: One line, or nil.
    static func sentence(
        for arguments: [String],
        of command: any ParsableCommand.Type,
        isFile: (String) -> Bool = { (try? OpenFile.kind(of: $0)) != nil }
    ) -> String? {
        let words = Array(arguments.prefix { $0 != "--" })
        for place in words.indices.dropLast(2) where words[place].hasPrefix("--") {
            let (option, value, next) = (words[place], words[place + 1], words[place + 2])
            if let unit = units[next.lowercased()], isNumber(value), takes(unit.kind, option, command) {
                return "'\(option)' takes one word; write '\(option) \(value)\(unit.short)'"
            }
            if ["--include", "--exclude"].contains(option), !next.hasPrefix("-"), isFile(value), isFile(next) {
                let pattern = PrintableText.escaped(option + " '*" + commonEnd(value, next) + "'")
                return
                    "'\(option)' takes one pattern, which the shell replaced with the names of files; quote it: \(pattern)"
            }
        }
        return nil
    }

    /// The units as people write them; the kind is the placeholder of the options that take them.
    private static let units: [String: (kind: String, short: String)] = {
        var units: [String: (kind: String, short: String)] = [:]
        for (names, short) in [
            ("ms millisecond milliseconds", "ms"), ("s sec secs second seconds", "s"),
            ("m min mins minute minutes", "m"),
            ("h hour hours", "h"), ("d day days", "d"),
        ] {
            for name in names.split(separator: " ") { units[String(name)] = ("time", short) }
        }
        for (names, short) in [("k kb kib kilobytes", "k"), ("mb mib megabytes", "M"), ("g gb gib gigabytes", "G")] {
            for name in names.split(separator: " ") { units[String(name)] = ("size", short) }
        }
        return units
    }()

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == 0x2E }
    }

    /// Returns true if an option's placeholder on the help page is the kind.
    private static func takes(_ kind: String, _ option: String, _ command: any ParsableCommand.Type) -> Bool {
        AFCacheCommand.helpMessage(for: command, includeHidden: true, columns: 200).contains("\(option) <\(kind)>")
    }

    /// Returns what both names have from their last dot on; empty if they differ there.
    private static func commonEnd(_ one: String, _ other: String) -> String {
        guard let dot = one.lastIndex(of: "."), other.hasSuffix(one[dot...]) else { return "" }
        return String(one[dot...])
    }
}
