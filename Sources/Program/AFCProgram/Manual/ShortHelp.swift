import AFCText
import ArgumentParser

/// The help that `-h` shows: what people use, on one screen; `--help` and the manual page have everything.
struct ShortHelp {
    /// The options that people use, of the commands with many; the other commands show all of theirs.
    static let usual: [String: [String]] = [
        "pack": [
            "--output", "--scope", "--include", "--exclude", "--max-pages", "--depth", "--update", "--cookies",
            "--render", "--report", "--folder", "--base-url", "--sign",
        ],
        "record": ["--output", "--complete", "--exclude", "--post", "--keep", "--ca"],
        "lint": ["--fail-on", "--select", "--ignore", "--fix", "--diff", "--format", "--explain", "--trust"],
        "load": ["--cache", "--name", "--pin", "--search-index", "--sha256", "--trust", "--require-signature"],
        "sync": ["--cache", "--trust", "--require-signature", "--splay", "--json"],
        "get": ["--cache", "--package", "--output", "--show-headers", "--fresh-only", "--match"],
        "serve": [
            "--cache", "--listen", "--port", "--site", "--server-name", "--origin", "--forward-proxy", "--tls-cert",
            "--access-log",
        ],
    ]
    /// Commands that few people use, which share a line.
    private static let rare: Set<String> = ["batch", "ca", "crawl", "image", "mcp", "mount-index", "patch"]
    /// The options of each command.
    private static let shared: Set<String> = ["--quiet", "--verbose", "--version", "--help"]
    private static let width = 80

    private let command: DescribedCommand
    private let name: String

    /// Returns the short help if the command line asks for it.
    ///
    /// - Parameter arguments: The command line, without the program's name.
    /// - Returns: The text; nil if it doesn't ask, or names no command.
    static func text(for arguments: [String]) -> String? {
        let before = arguments.prefix { $0 != "--" }
        guard before.contains("-h"), !before.contains("--help") else { return nil }
        // What another program gets, as in 'record curl -h', isn't for this one.
        let words = before.prefix { $0 != "-h" }.filter { !$0.hasPrefix("-") }
        let (command, names) = AFCacheCommand.find(words)
        guard words.count == names.count || command.configuration.subcommands.isEmpty else { return nil }
        return described(command, names).map { ShortHelp($0).text }
    }

    /// Returns the long options of the command that a command line names.
    static func longOptions(of arguments: [String]) -> Set<String> {
        let (command, names) = AFCacheCommand.find(arguments)
        return Set((described(command, names)?.arguments ?? []).flatMap(\.names).filter { $0.hasPrefix("--") })
    }

    private static func described(_ command: any ParsableCommand.Type, _ names: [String]) -> DescribedCommand? {
        let parents = names.isEmpty ? [] : ["afcache"] + names.dropLast()
        return DescribedCommand(document: command._dumpHelp(), calledBy: parents.joined(separator: " "))
    }

    init(_ command: DescribedCommand) {
        self.command = command
        name = command.call.split(separator: " ").dropFirst().joined(separator: " ")
    }

    /// The text, at most 80 columns wide.
    var text: String {
        var lines = Self.wrapped(command.abstract)
        let examples = command.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
        if !examples.isEmpty { lines += [""] + examples.map(String.init) }
        lines.append("")
        if command.subcommands.isEmpty {
            let named = command.arguments.filter { $0.names.isEmpty }.map { argument in
                let word = "<\(argument.value ?? "")>" + (argument.isRepeating ? " ..." : "")
                return argument.isOptional ? "[\(word)]" : word
            }
            lines.append((["usage: \(command.call) [options]"] + named).joined(separator: " "))
            lines += options
        } else {
            lines += command.subcommands.map { (name: Self.last($0.call), $0.abstract) }
                .filter { !Self.rare.contains($0.name) }.map { Self.row($0.name, $0.1) }
            let others = command.subcommands.map { Self.last($0.call) }.filter(Self.rare.contains)
            if !others.isEmpty { lines.append("  also: " + others.joined(separator: ", ")) }
        }
        let end = name.isEmpty ? "says more, and 'man afcache' everything" : "says more"
        return (lines + ["", "'\(command.call) --help' \(end)."]).joined(separator: "\n")
    }

    private var options: [String] {
        let known = command.arguments.filter {
            !$0.isHidden && !$0.names.isEmpty && Self.shared.isDisjoint(with: $0.names)
        }
        let shown: [DescribedArgument]
        if let usual = Self.usual[name] {
            shown = usual.compactMap { wanted in known.first { $0.names.contains(wanted) } }
        } else {
            shown = known
        }
        return shown.map { option in
            let names = option.names.filter { option.names.count == 1 || !$0.hasPrefix("--no-") }.joined(
                separator: ", "
            )
            return Self.row(names + (option.value.map { " <\($0)>" } ?? ""), option.text)
        }
    }

    /// Returns the last word of a call.
    private static func last(_ call: String) -> String { call.split(separator: " ").last.map(String.init) ?? call }

    /// Returns a line with a word, and as much of the first sentence of its meaning as fits.
    private static func row(_ word: String, _ meaning: String) -> String {
        let sentence = meaning.split(separator: ". ").first.map(String.init) ?? meaning
        let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        let start = "  " + Quantity.padded(word, 25) + " "
        let room = width - start.count
        guard text.count > room else { return start + text }
        let kept = text.prefix(room - 2)
        let end = kept.lastIndex(of: " ") ?? kept.endIndex
        return start + kept[..<end] + " …"
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }
}
