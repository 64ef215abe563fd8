import AFCLinter
import AFCPackageFormat
import AFCText
import ArgumentParser

/// Errors of the command line in the style of all other errors: one line, with a remedy.
enum UsageFailure {
    /// Returns the sentence for an error of the argument parser, or for a `ValidationError`.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - arguments: The command line, without the program's name.
    /// - Returns: One line.
    static func sentence(_ error: any Error, arguments: [String]) -> String {
        if let error = error as? ValidationError { return PrintableText.escaped(error.message) }
        if let sentence = unknownCommand(in: arguments) { return sentence }
        let message = AFCacheCommand.message(for: error)
        // The parser validates what it has before it reports an unknown option, which is the likelier cause.
        if !message.hasPrefix("Unknown option"), let sentence = unknownOption(in: arguments) { return sentence }
        if let sentence = negativeNumber(in: arguments, for: message) { return sentence }
        return PrintableText.escaped(reworded(message, help: helpCommand(in: AFCacheCommand.fullMessage(for: error))))
    }

    /// Returns the sentence for a command that doesn't exist, or nil if all exist.
    ///
    /// The parser would report such a word as an unexpected value, or report the options after it.
    private static func unknownCommand(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = AFCacheCommand.self
        var call = "afcache"
        for argument in arguments {
            let known = command.configuration.subcommands
            if known.isEmpty || argument == "--" || argument == "help" { return nil }
            if argument.hasPrefix("-") { continue }
            guard let next = known.first(where: { $0.configuration.commandName == argument }) else {
                let shown = known.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
                let near = NearestName.nearest(to: argument, among: shown).map { "did you mean '\($0)'?" }
                return "there is no command \(PrintableText.quoted(argument)); "
                    + (CommandSynonyms.advice(for: argument, below: command) ?? near
                        ?? "'\(call) --help' lists the commands")
            }
            command = next
            call += " " + argument
        }
        return nil
    }

    /// The options whose value is a whole number.
    static let numbers: Set<String> = [
        "--connections", "--depth", "--level", "--max-pages", "--max-redirects", "--max-warnings", "--port",
        "--priority", "--retries", "--threshold", "--total-connections",
    ]

    /// Returns the sentence for a negative number behind an option, which the parser takes for an option; or nil.
    private static func negativeNumber(in arguments: [String], for message: String) -> String? {
        guard let name = message.firstMatch(of: /Missing value for '(--[a-z-]+)/)?.1,
            let place = arguments.firstIndex(of: String(name)), place + 1 < arguments.count,
            case let value = arguments[place + 1], Int(value) != nil
        else { return nil }
        return "'\(value)' is not a value for '\(name)'; write a number that isn't negative"
    }

    /// Returns the sentence for a long option that the command doesn't have, or nil if it has all.
    private static func unknownOption(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = AFCacheCommand.self
        var call = "afcache"
        for argument in arguments where !argument.hasPrefix("-") {
            let below = command.configuration.subcommands
            guard let next = below.first(where: { $0.configuration.commandName == argument }) else { break }
            command = next
            call += " " + argument
        }
        let known = names(in: AFCacheCommand.helpMessage(for: command, includeHidden: true, columns: 200))
        let given = arguments.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
        guard let unknown = given.first(where: { $0.hasPrefix("--") && !known.contains($0) }) else { return nil }
        let near = NearestName.nearest(to: unknown, among: known.sorted()).map { "did you mean '\($0)'?" }
        return "unknown option \(PrintableText.quoted(unknown)); "
            + (near ?? "'\(call) --help' explains the options")
    }

    /// Returns the names of the options that a help page explains, as they are written.
    static func names(in help: String) -> Set<String> {
        var names: Set<String> = []
        for line in help.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("-") else { continue }
            let column = line.firstRange(of: "  ").map { line[..<$0.lowerBound] } ?? line
            names.formUnion(column.split { " ,/".contains($0) }.filter { $0.hasPrefix("-") }.map(String.init))
        }
        return names
    }

    /// Returns an option's name in quotes without the placeholder of its value.
    private static func withoutPlaceholder(_ name: Substring) -> Substring {
        name.firstIndex(of: " ").map { name[..<$0] + "'" } ?? name
    }

    /// Returns the command that shows the help page, which the parser names in its last line.
    private static func helpCommand(in text: String) -> String {
        guard let match = text.matches(of: /See '([^']*)' for more information/).last else { return "afcache --help" }
        return String(match.1)
    }

    /// Returns the sentence for `afcache help` of an unknown command, for which the parser would show another page.
    static func unknownTopic(in arguments: [String]) -> String? {
        arguments.first == "help" ? unknownCommand(in: Array(arguments.dropFirst())) : nil
    }

    /// Returns the sentence for a long option with one dash, which the parser would read as a group of letters: `-cache`
    /// has an h and would show the help, `-output` would write a file named `utput`.
    static func singleDash(in arguments: [String]) -> String? {
        // What 'record' passes on belongs to another program.
        guard arguments.first != "record" else { return nil }
        let suspects = arguments.prefix { $0 != "--" }.filter {
            $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--")
        }
        // The description of all commands takes longer than the start of most.
        guard !suspects.isEmpty else { return nil }
        let known = ShortHelp.longOptions(of: arguments)
        for argument in suspects {
            let name = "-" + argument.prefix { $0 != "=" }
            if known.contains(name) { return "unknown option '\(argument)'; did you mean '\(name)'?" }
            if argument.hasPrefix("-h") { return "unknown option '\(argument)'; did you mean '--help'?" }
        }
        return nil
    }

    /// Rewrites a sentence of the parser, which begins with a capital and may have several lines.
    static func reworded(_ message: String, help: String) -> String {
        let remedy = "; '\(help)' explains the options"
        let line = message.replacing(/one of the following:\n((?:  - .*\n?)+)/) { match in
            match.1.split(separator: "\n").map { "'\($0.dropFirst(4))'" }.joined(separator: ", ")
        }
        .split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
        if let match = line.wholeMatch(of: /Unknown option ('(.*?)')(?:\. Did you mean ('.*')\?)?(.*)/) {
            let near =
                match.3.map(String.init)
                ?? NearestName.nearest(to: String(match.2), among: ["--help", "--version"]).map { "'\($0)'" }
            // The parser may also have tried to read a group of letters.
            let rest = match.4.hasPrefix(" or: ") ? "" : match.4
            return "unknown option \(match.1)" + (near.map { "; did you mean \($0)?" } ?? remedy) + rest
        }
        if let match = line.wholeMatch(of: /The value ('.*') is invalid for '(.*?)(?: <.*>)?': (.*)/) {
            // Most reasons name the value themselves.
            return "'\(match.2)': " + (match.3.contains(match.1) ? "" : "\(match.1): ") + match.3
        }
        if let match = line.wholeMatch(
            of: /The value ('.*') is invalid for ('.*')\. Please provide (?:one of )?(.*?)\.?/
        ) {
            return "\(match.1) is not a value for \(withoutPlaceholder(match.2)); choose \(match.3)"
        }
        if let match = line.wholeMatch(of: /The value ('.*') is invalid for ('.*')/) {
            let option = withoutPlaceholder(match.2)
            let isNumber = numbers.contains(String(option.dropFirst().dropLast()))
            return "\(match.1) is not a value for \(option)" + (isNumber ? "; write a whole number" : remedy)
        }
        if let match = line.wholeMatch(of: /Missing value for (.*)/) { return "\(match.1) needs a value\(remedy)" }
        if let match = line.wholeMatch(of: /Missing (?:expected argument|one of:) (.*)/) {
            return "\(match.1) is missing\(remedy)"
        }
        let starts = [
            "Unexpected argument", "Invalid option", "The option", "Value to be set", "Can't", "Internal error",
        ]
        guard starts.contains(where: line.hasPrefix) || line.contains(/^[0-9]+ unexpected arguments/) else {
            return line
        }
        let sentence = line.hasSuffix(".") ? line.dropLast() : line[...]
        return (sentence.first?.lowercased() ?? "") + sentence.dropFirst() + remedy
    }
}
