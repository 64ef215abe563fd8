import AFCFiles
import AFCText
import ArgumentParser

/// What to type instead of an argument that a command doesn't take, or of one that is missing.
enum UnexpectedArgument {
    /// Returns the sentence for an error of the parser about arguments; nil for another error, or without advice.
    ///
    /// - Parameters:
    ///   - message: The parser's message.
    ///   - arguments: The command line, without the program's name.
    /// - Returns: One line, or nil.
    static func sentence(_ message: String, arguments: [String]) -> String? {
        let call = Call(arguments)
        if let match = message.wholeMatch(of: /Unexpected argument '(.*)'/) {
            let argument = String(match.1)
            return advice(for: argument, call).map { "unexpected argument '\(argument)'; \($0)" }
        }
        if let match = message.wholeMatch(of: /([0-9]+) unexpected arguments: '(.*?)'.*/) {
            let rest = message.drop { $0 != ":" }.dropFirst(2)
            return advice(for: String(match.2), call).map { "\(match.1) unexpected arguments: \(rest); \($0)" }
        }
        if message.hasPrefix("Missing expected argument '--output") {
            let example =
                ["channel new": "NAME.channel", "export": "FOLDER", "keygen": "NAME", "mount-index": "NAME.index"][
                    call.name
                ] ?? "NEW.zip"
            let isNew = call.lastArgument.map { !exists($0) && !$0.contains("://") } ?? false
            let shown = isNew ? PrintableText.escaped(call.lastArgument ?? "") : example
            return "'--output' is missing; name what to write with '-o \(shown)'"
        }
        if let match = message.wholeMatch(of: /Missing expected argument '(.*)'/) {
            // What follows two dashes belongs to another program.
            let own = arguments.prefix { $0 != "--" }
            let typed = (["afcache"] + own + [String(match.1)] + arguments.dropFirst(own.count)).joined(separator: " ")
            if call.name == "channel add", let package = call.lastArgument, Path.isZip(package) {
                return "name the channel before the package; write 'afcache channel add NAME.channel \(package)'"
            }
            if call.name == "channel rollout", call.arguments.count == 2, let percent = call.lastArgument,
                Int(percent.filter { $0 != "%" }) != nil
            {
                return
                    "name the package before the percentage; write 'afcache channel rollout \(call.arguments[0]) PACKAGE "
                    + "\(percent)'"
            }
            // What a command takes is plainer from an example than from the names of its arguments.
            guard call.arguments.isEmpty, let example = call.example else {
                return "'\(match.1)' is missing; write '\(typed)'"
            }
            return "'\(match.1)' is missing; write for example '\(example)'"
        }
        return nil
    }

    /// A command line by its parts.
    private struct Call {
        /// The command and its subcommand.
        var name = ""
        var command: any ParsableCommand.Type = AFCacheCommand.self
        /// What follows the command.
        var arguments: [String]

        init(_ arguments: [String]) {
            self.arguments = arguments
            while let first = self.arguments.first,
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == first })
            {
                command = next
                name += (name.isEmpty ? "" : " ") + first
                self.arguments.removeFirst()
            }
        }

        /// The first example of the command's help; nil if it has none.
        var example: String? {
            let lines = command.configuration.discussion.split(separator: "\n").map { $0.drop { $0 == " " } }
            guard let line = lines.first(where: { $0.hasPrefix("afcache \(name) ") }) else { return nil }
            return line.firstRange(of: "  ").map { String(line[..<$0.lowerBound]) } ?? String(line)
        }

        /// The last argument, if it is neither an option nor the value of one.
        var lastArgument: String? {
            guard let last = arguments.last, !last.hasPrefix("-") else { return nil }
            guard arguments.count > 1, case let before = arguments[arguments.count - 2], before.hasPrefix("-") else {
                return last
            }
            return nil
        }
    }

    private static func exists(_ path: String) -> Bool { (try? OpenFile.kind(of: path)) != nil }

    private static func advice(for argument: String, _ call: Call) -> String? {
        let options = UsageFailure.names(of: call.command)
        if Path.isCache(argument), options.contains("--cache") { return "it is a cache: write '--cache \(argument)'" }
        let first = call.arguments.first { !$0.hasPrefix("-") } ?? ""
        switch call.name {
        case "get":
            let (url, package) = argument.contains("://") ? (argument, first) : (first, argument)
            guard url.contains("://"), Path.isZip(package) else { return nil }
            return "write 'afcache get \(url) --package \(package)'"
        case "ca create": return "write '--host \(argument)'"
        case "cache verify", "cache repair", "cache info", "cache gc", "cache limit", "cache clear", "cache ls":
            if Path.isZip(argument) {
                return "it is a package, which 'afcache lint' checks and 'afcache info' describes"
            }
            if Path.isFolder(argument) || argument.contains("/") { return "for a cache, write '--cache \(argument)'" }
            return call.name == "cache gc"
                ? "it works on the whole cache; 'afcache cache remove \(argument)' removes a package"
                : "it works on the whole cache; '--cache \(argument)' names another one"
        case "cache remove", "cache pin", "cache unpin", "cache rollback":
            return "name one package, and the others by further commands"
        case "ls", "try", "open", "push", "lint --explain":
            return "'afcache \(call.name)' takes one package; repeat the command for the others"
        case "unpack" where argument.contains("://"): return "write '--include \(argument)'"
        case "sync": return "name one sync file, which lists the packages"
        case "diff": return "'afcache diff' compares two packages"
        default: break
        }
        guard options.contains("--output") else { return nil }
        if exists(argument), !Path.isFolder(argument) {
            return
                "'afcache \(call.name)' takes \(call.name == "patch" ? "two packages" : "one package"); to write to this file, "
                + "use '-o \(argument)'"
        }
        return "to name what to write, use '-o \(argument)'"
    }
}
