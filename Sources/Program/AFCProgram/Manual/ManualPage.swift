import AFCHTTP
import ArgumentParser

/// The manual page of the whole program.
struct ManualPage {
    var program: DescribedCommand
    var version: String
    var date: Timestamp

    /// The page in the format of man(7).
    var text: String {
        var page = Roff()
        page.macro("TH", program.call.uppercased(), "1", String(date.iso8601.prefix(10)), "\(program.call) \(version)")
        page.macro("SH", "NAME")
        page.line(.plain("\(program.call) - \(Self.withoutStop(program.abstract))"))
        page.macro("SH", "SYNOPSIS")
        page.line(
            .bold(program.call),
            .plain(" "),
            .italic("command"),
            .plain(" ["),
            .italic("options"),
            .plain("] ...")
        )
        page.macro("SH", "DESCRIPTION")
        page.paragraphs(program.discussion, followsHeading: true)
        page.macro("SH", "OPTIONS")
        page.line(.plain("Every command has these."))
        arguments(program.arguments, of: program, to: &page)
        page.macro("SH", "COMMANDS")
        for command in program.all.dropFirst() { write(command, to: &page) }
        write(ExitStatus.allCases.map { (String($0.rawValue), $0.meaning) }, as: "EXIT STATUS", to: &page)
        write(Self.variables, as: "ENVIRONMENT", to: &page)
        write(Self.files, as: "FILES", to: &page)
        return page.text
    }

    private func write(_ command: DescribedCommand, to page: inout Roff) {
        page.macro("SS", command.call)
        page.line(.plain(command.abstract))
        if command.subcommands.isEmpty {
            page.macro("PP")
            page.line(synopsis(of: command))
        }
        page.paragraphs(command.discussion)
        let common = program.arguments.flatMap(\.names)
        arguments(command.arguments.filter { !common.contains($0.names.first ?? "") }, of: command, to: &page)
    }

    private func synopsis(of command: DescribedCommand) -> [Roff.Piece] {
        var pieces: [Roff.Piece] = [.bold(command.call), .plain(" ["), .italic("options"), .plain("]")]
        for argument in command.arguments where !argument.names.isEmpty && !argument.isOptional {
            pieces.append(.plain(" "))
            pieces += Self.words(argument)
        }
        for argument in command.arguments where argument.names.isEmpty {
            pieces.append(.plain(argument.isOptional ? " [" : " "))
            pieces += Self.words(argument)
            pieces.append(.plain((argument.isRepeating ? " ..." : "") + (argument.isOptional ? "]" : "")))
        }
        return pieces
    }

    /// Writes the arguments in the order of the help page, with those without a title last.
    private func arguments(_ arguments: [DescribedArgument], of command: DescribedCommand, to page: inout Roff) {
        var sections: [String] = []
        for argument in arguments where !sections.contains(argument.section) { sections.append(argument.section) }
        for section in sections.filter({ !$0.isEmpty }) + sections.filter(\.isEmpty) {
            if sections.count > 1 {
                page.macro("PP")
                page.line(.italic(section.isEmpty ? "Options" : section))
            }
            for argument in arguments where argument.section == section {
                page.macro("TP")
                page.line(Self.words(argument))
                page.line(.plain(argument.text))
            }
        }
    }

    private func write(_ items: [(word: String, meaning: String)], as heading: String, to page: inout Roff) {
        page.macro("SH", heading)
        for item in items {
            page.macro("TP")
            page.line(.bold(item.word))
            page.line(.plain(item.meaning))
        }
    }

    private static func words(_ argument: DescribedArgument) -> [Roff.Piece] {
        var pieces = Array(argument.names.map { [Roff.Piece.bold($0)] }.joined(separator: [.plain(", ")]))
        if let value = argument.value {
            if !pieces.isEmpty { pieces.append(.plain(" ")) }
            pieces.append(.italic(value))
        }
        return pieces
    }

    private static func withoutStop(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}

/// The hidden command that prints the manual page, for `make install`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of the program in the format of man(7).",
        discussion: """
            Its date is that of SOURCE_DATE_EPOCH if it is set, or today.

              afcache manual > afcache.1
            """,
        shouldDisplay: false
    )

    func run() throws {
        guard let program = DescribedCommand(document: AFCacheCommand._dumpHelp()) else {
            preconditionFailure("the form of the argument parser's description is not known")
        }
        let date = try Clock.pinned() ?? Clock.now
        Console.write(ManualPage(program: program, version: AFCacheCommand.version, date: date).text.utf8)
    }
}

extension ManualPage {
    /// The environment variables that the program reads.
    static let variables: [(word: String, meaning: String)] = [
        ("AFCACHE_CACHE", "The folder of the cache for commands without --cache."),
        ("AFCACHE_PASSWORD", "The password of encrypted packages if --password-file isn't given."),
        ("AFCACHE_BASIC", "pack: 'user:password' for the origin of the start URLs."),
        ("AFCACHE_BEARER", "pack: a bearer token for the origin of the start URLs."),
        ("AFCACHE_PROXY_BASIC", "pack: 'user:password' for --proxy."),
        (
            "SOURCE_DATE_EPOCH",
            """
            The time of packing in seconds since 1970, so that the same input gives the same bytes.
            """
        ),
        (
            "XDG_CACHE_HOME",
            "The folder that contains afcache/mounts, see --mount-cache, and imported archives. Default: ~/.cache."
        ),
        (
            "XDG_DATA_HOME",
            """
            The folder that contains afcache/cache, the cache of commands without --cache (for root, that is \
            /var/lib/afcache), and afcache/packages, the packages of 'afcache open'. Default: ~/.local/share.
            """
        ),
        ("XDG_CONFIG_HOME", "The folder that contains afcache/ca, the local authority. Default: ~/.config."),
    ]

    /// The files that the program uses by default.
    static let files: [(word: String, meaning: String)] = [
        ("~/.cache/afcache/mounts", "What was read of large packages that serve mounted."),
        ("~/.config/afcache/ca", "The local certificate authority, which lets serve answer https."),
    ]
}
