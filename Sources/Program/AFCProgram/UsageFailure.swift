import AFCLinter
import AFCPackageFormat
import AFCPlatform
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
        if let sentence = SplitArgument.sentence(for: arguments, of: command(in: arguments).type) { return sentence }
        if let error = error as? ValidationError {
            // A value is likelier to be wrong because of an option that the command doesn't have.
            return unknownOption(in: arguments) ?? PrintableText.escaped(error.message)
        }
        if let sentence = unknownCommand(in: arguments) { return sentence }
        let message = AFCacheCommand.message(for: error)
        if let sentence = UnexpectedArgument.sentence(message, arguments: arguments) {
            return PrintableText.escaped(unknownOption(in: arguments) ?? sentence)
        }
        // The parser validates what it has before it reports an unknown option, which is the likelier cause.
        if let sentence = unknownOption(in: arguments) { return sentence }
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
            if argument.hasPrefix("-") {
                // Its value isn't a command.
                if call == "afcache", let sentence = early(argument, in: arguments) {
                    return sentence
                }
                continue
            }
            guard let next = known.first(where: { $0.configuration.commandName == argument }) else {
                let shown = known.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
                let near =
                    (NearestName.nearest(to: argument, among: shown)
                    ?? CommandSynonyms.nearest(to: argument, below: command))
                    .map { "did you mean '\($0)'?" }
                if command == AFCacheCommand.self, let sentence = CommandSynonyms.sentence(forSubject: argument) {
                    return sentence
                }
                return "there is no command \(PrintableText.quoted(argument)); "
                    + (CommandSynonyms.advice(for: argument, below: command) ?? near
                        ?? "'\(call) --help' lists the commands")
            }
            command = next
            call += " " + argument
        }
        return nil
    }

    /// Returns the sentence for an option that stands before the command; nil if the command doesn't have it.
    private static func early(_ option: String, in arguments: [String]) -> String? {
        let known = AFCacheCommand.configuration.subcommands
        let place = arguments.firstIndex(of: option) ?? 0
        // The value may have the name of a command: '--cache cache ls'.
        if arguments.count > 2, option == "--cache", place == 0, Path.isCache(arguments[1]),
            let command = known.first(where: { $0.configuration.commandName == arguments[2] }),
            names(of: command).contains(option)
        {
            let typed = ([arguments[2]] + arguments.prefix(2) + arguments.dropFirst(3)).joined(separator: " ")
            return "options follow the command; write \(PrintableText.quoted("afcache " + typed))"
        }
        let value = option.contains("=") ? 1 : 2
        guard place == 0, !["--help", "-h", "--version"].contains(option) else { return nil }
        for count in [1, value] {
            let rest = Array(arguments.dropFirst(count))
            guard var command = known.first(where: { $0.configuration.commandName == rest.first }) else { continue }
            var name = rest.prefix(1)
            if rest.count > 1,
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == rest[1] })
            {
                (command, name) = (next, rest.prefix(2))
            }
            guard names(of: command).contains(String(option.prefix { $0 != "=" })) else { continue }
            let typed = (name + arguments.prefix(count) + rest.dropFirst(name.count)).joined(separator: " ")
            return "options follow the command; write \(PrintableText.quoted("afcache " + typed))"
        }
        return nil
    }

    private static let wholeNumber = "a whole number"

    /// The forms of the values that the parser reads itself.
    static let forms: [String: String] = {
        let numbers = [
            "--connections", "--depth", "--jobs", "--level", "--max-pages", "--max-redirects", "--max-warnings",
            "--priority",
            "--pages", "--retries", "--threshold", "--total-connections",
        ]
        var forms = Dictionary(uniqueKeysWithValues: numbers.map { ($0, wholeNumber) })
        forms["--port"] = "a number from 0 to 65535"
        forms["--site-ports"] = "two ports such as 8100-8199, the smaller one first"
        forms["--allow-port"] = "a port such as 8443, or two such as 8000-8999, the smaller one first"
        forms["--trusted-proxy"] = "an address such as 10.0.0.1, or a network such as 10.0.0.0/8"
        return forms
    }()

    /// Returns the sentence for a negative number behind an option, which the parser takes for an option; or nil.
    private static func negativeNumber(in arguments: [String], for message: String) -> String? {
        guard let name = message.firstMatch(of: /Missing value for '(--[a-z-]+)/)?.1,
            let place = arguments.firstIndex(of: String(name)), place + 1 < arguments.count,
            case let value = arguments[place + 1],
            value.wholeMatch(of: /-[0-9]+(\.[0-9]+)?[a-zA-Z]{0,3}/) != nil
        else { return nil }
        let what = Int(value) == nil ? "a value" : "a number"
        return "'\(value)' is not a value for '\(name)'; write \(what) that isn't negative"
    }

    /// Returns the command that a command line calls, and the call, such as `afcache cache ls`.
    private static func command(in arguments: [String]) -> (type: any ParsableCommand.Type, call: String) {
        var command: any ParsableCommand.Type = AFCacheCommand.self
        var call = "afcache"
        for argument in arguments where !argument.hasPrefix("-") {
            let below = command.configuration.subcommands
            guard let next = below.first(where: { $0.configuration.commandName == argument }) else { break }
            command = next
            call += " " + argument
        }
        return (command, call)
    }

    /// Returns the sentence for an option that the command doesn't have, or nil if it has all.
    private static func unknownOption(in arguments: [String]) -> String? {
        let (command, call) = command(in: arguments)
        // It takes options of another command, and checks them itself.
        if command == CrawlPlanCommand.self { return nil }
        let known = names(of: command)
        let given = arguments.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
        // The parser reads further letters behind one dash as its value, or as flags.
        func isOption(_ word: String) -> Bool {
            word.hasPrefix("--") || word.count == 2 && word.hasPrefix("-") && word.last?.isLetter == true
        }
        if let group = given.first(where: { isUnknownGroup($0, known) }) {
            let letter = "-" + String(group.dropFirst().prefix(1))
            return "unknown option \(PrintableText.quoted(group)); "
                + (OptionSynonyms.advice(for: group, of: call, having: known)
                    ?? OptionSynonyms.advice(for: letter, of: call, having: known)
                    ?? "'\(call) --help' explains the options")
        }
        guard let unknown = given.first(where: { isOption($0) && !known.contains($0) }) else { return nil }
        if let typed = withDashes(arguments, before: unknown, call) {
            return "unknown option \(PrintableText.quoted(unknown)); if it is the program's, write "
                + PrintableText.quoted(typed)
        }
        let advice =
            unknown.count == 2
            ? OptionSynonyms.advice(for: unknown, of: call, having: known) ?? meaning(ofLetter: unknown, among: known)
            : beginning(with: unknown, among: known) ?? OptionSynonyms.advice(for: unknown, of: call, having: known)
                ?? nearest(to: unknown, among: known) ?? owners(of: unknown)
        return "unknown option \(PrintableText.quoted(unknown)); " + (advice ?? "'\(call) --help' explains the options")
    }

    /// Returns the call with two dashes before the program that is to be run; nil for other calls, or if there are any.
    private static func withDashes(_ arguments: [String], before option: String, _ call: String) -> String? {
        guard ["afcache record", "afcache replay"].contains(call), !arguments.contains("--"),
            let end = arguments.firstIndex(where: { $0.prefix { $0 != "=" } == option }),
            let program = (2..<max(2, end)).first(where: { index in
                !arguments[index].hasPrefix("-") && !arguments[index - 1].hasPrefix("-")
            })
        else { return nil }
        return (["afcache"] + arguments[..<program] + ["--"] + arguments[program...]).joined(separator: " ")
    }

    /// Returns true for a few letters behind one dash of which the first is no option, as in `ls -la`.
    private static func isUnknownGroup(_ word: String, _ known: Set<String>) -> Bool {
        (3...4).contains(word.count) && word.hasPrefix("-") && word.dropFirst().allSatisfy { $0.isASCII && $0.isLetter }
            && !known.contains(String(word.prefix(2)))
    }

    /// Returns the question whether the only option was meant that begins with the name; nil if there is none.
    private static func beginning(with name: String, among known: Set<String>) -> String? {
        let meant = known.filter { $0.hasPrefix(name) }
        guard name.count >= 5, meant.count == 1, let option = meant.first else { return nil }
        return "did you mean '\(option)'?"
    }

    /// Returns a sentence if a name on the command line, or in a variable that names a folder, isn't UTF-8; nil otherwise.
    ///
    /// Swift would put a replacement character in place of each wrong byte, so that two names become one.
    static func foreignEncoding() -> String? {
        let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).compactMap(\.self)
        for word in words where String(validatingCString: word) == nil {
            let shown = PrintableText.quoted(String(cString: word))
            return "the argument \(shown) isn't UTF-8, which names must be; rename the file, or go into its folder"
        }
        for name in [CacheFolder.variable, "HOME", "XDG_CACHE_HOME"] {
            guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
            return "the variable '\(name)' isn't UTF-8, which names must be; set another folder"
        }
        return nil
    }

    /// Returns the names of a command's options.
    static func names(of command: any ParsableCommand.Type) -> Set<String> {
        names(in: AFCacheCommand.helpMessage(for: command, includeHidden: true, columns: 200))
    }

    /// Returns the question whether an option was meant whose name is spelt almost alike; nil if there is none.
    ///
    /// Short names are alike by chance if two of their letters differ.
    private static func nearest(to name: String, among known: Set<String>) -> String? {
        guard
            let near = NearestName.nearest(
                to: String(name.dropFirst(2)),
                among: known.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }.sorted()
            )
        else { return nil }
        return "did you mean '--\(near)'?"
    }

    /// Returns the question whether a long option was meant that begins with a letter; nil if several do.
    private static func meaning(ofLetter name: String, among known: Set<String>) -> String? {
        let usual = ["-c": "--cache", "-n": "--name", "-p": "--port"]
        let meant = known.filter { $0.hasPrefix("-" + name) }
        guard
            let option = usual[name].flatMap({ meant.contains($0) ? $0 : nil })
                ?? (meant.count == 1 ? meant.first : nil)
        else { return nil }
        return "did you mean '\(option)'?"
    }

    /// Returns a clause that names the commands which have an option; nil if none or many have it.
    private static func owners(of option: String) -> String? {
        let commands = AFCacheCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }.flatMap {
            command in
            command.configuration.subcommands.isEmpty ? [command] : []
        }
        let owners = commands.filter { names(of: $0).contains(option) }.compactMap { $0.configuration.commandName }
        guard (1...6).contains(owners.count) else { return nil }
        let quoted = owners.map { "'\($0)'" }
        let list =
            quoted.count == 1 ? quoted[0] : quoted.dropLast().joined(separator: ", ") + " and " + (quoted.last ?? "")
        return "it is an option of \(list)"
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

    /// Returns the sentence for an option that begins with a dash of another kind, as word processors write it; nil if
    /// there is none.
    static func foreignDash(in arguments: [String]) -> String? {
        // What these pass on belongs to another program.
        guard arguments.first != "record", arguments.first != "replay" else { return nil }
        for argument in arguments.prefix(while: { $0 != "--" }) {
            let name = argument.drop { "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}".contains($0) }
            guard let first = name.first, first.isASCII, first.isLetter, name.startIndex > argument.startIndex,
                argument[..<name.startIndex].contains(where: { $0 != "-" })
            else { continue }
            let meant = (name.count > 1 ? "--" : "-") + name
            return
                "\(PrintableText.quoted(argument)) begins with a dash that isn't a hyphen; write '\(PrintableText.escaped(meant))'"
        }
        return nil
    }

    /// Returns the sentence for a path behind `=` whose `~` the shell hasn't replaced; nil if there is none.
    static func tilde(in arguments: [String]) -> String? {
        for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
            guard let sign = argument.firstRange(of: "=~"), case let rest = argument[sign.upperBound...],
                rest.isEmpty || rest.hasPrefix("/")
            else { continue }
            let shown = PrintableText.escaped(argument)
            return "'~' isn't expanded in '\(shown)'; write '\(shown.replacing("=~", with: " ~", maxReplacements: 1))'"
        }
        return nil
    }

    /// Returns the sentence for a long option with one dash, which the parser would read as a group of letters: `-cache`
    /// has an h and would show the help, `-output` would write a file named `utput`.
    static func singleDash(in arguments: [String]) -> String? {
        // What these pass on belongs to another program.
        guard arguments.first != "record", arguments.first != "replay" else { return nil }
        let suspects = arguments.prefix { $0 != "--" }.filter {
            $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--")
        }
        // '-oFILE' is an option with its value.
        if let file = suspects.first(where: { $0.contains(".") && !$0.contains("=") && !$0.hasPrefix("-o") }) {
            let name = PrintableText.escaped(file)
            return "'\(name)' begins with '-', so it is read as an option; for a file of this name write './\(name)'"
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
            // Most reasons name the value themselves, and some the option.
            if match.3.hasPrefix("'\(match.2)'") { return "\(match.3), not \(match.1)" }
            return "'\(match.2)': " + (match.3.contains(match.1) ? "" : "\(match.1): ") + match.3
        }
        if let match = line.wholeMatch(
            of: /The value ('.*') is invalid for ('.*')\. Please provide (?:one of )?(.*?)\.?/
        ) {
            return "\(match.1) is not a value for \(withoutPlaceholder(match.2)); choose \(match.3)"
        }
        if let match = line.wholeMatch(of: /The value ('.*') is invalid for ('.*')/) {
            let option = withoutPlaceholder(match.2)
            let form = forms[String(option.dropFirst().dropLast())]
            let digits = match.1.dropFirst().dropLast()
            if form == wholeNumber, !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                return "\(match.1) is too large a number for \(option)"
            }
            return "\(match.1) is not a value for \(option)" + (form.map { "; write \($0)" } ?? remedy)
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
