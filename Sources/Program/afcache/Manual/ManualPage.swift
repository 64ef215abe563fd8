import AFCHTTP
import ArgumentParser

/// The manual page of the whole program.
struct ManualPage {
    var program: DescribedCommand
    var version: String
    var date: Timestamp

    /// The page, in the language of man(7).
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
        write(Self.exitCodes.map { (String($0.code), $0.meaning) }, as: "EXIT STATUS", to: &page)
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

    /// The arguments in the order of the help page: those without a title last.
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

/// Prints the manual page, for `make install`; no help page lists it.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of the whole program, in the language of man(7).",
        discussion: """
            It bears the day of SOURCE_DATE_EPOCH, where that is set, or today's.

              afcache manual > afcache.1
            """,
        shouldDisplay: false
    )

    func run() throws {
        guard let program = DescribedCommand(document: AFCache._dumpHelp()) else {
            preconditionFailure("the argument parser describes commands in a form of its own version only")
        }
        let date = try Clock.pinned() ?? Clock.now
        Console.write(ManualPage(program: program, version: AFCache.version, date: date).text.utf8)
    }
}

extension ManualPage {
    /// The exit codes in the words of docs/exit-codes.md, which a test compares.
    static let exitCodes: [(code: Int32, meaning: String)] = [
        (0, "Done. get: the response is fresh, or doesn't say how long. lint: nothing as bad as --fail-on."),
        (
            1,
            "lint: a finding at least as bad as --fail-on. cache verify, cache repair: something in the store is wrong."
        ),
        (2, "get: the body was written, and the response has expired."),
        (3, "get: the store has nothing for the URL. cache: the store has no such package, or no previous generation."),
        (4, "get: the response was refused, since it has expired or isn't known to be fresh."),
        (5, "pack: the package was written, and some URLs failed. sync: some packages failed and stayed as they were."),
        (6, "pack: nothing could be fetched or found, so no package was written."),
        (10, "The package is invalid; nothing was changed."),
        (
            11,
            "A file, folder, address or the authority can't be used; nothing was changed. Or standard output can't be "
                + "written."
        ),
        (12, "There is no store, or it is damaged, or a newer program wrote it."),
        (13, "Another process is writing to the store, and --wait ended; nothing was changed."),
        (14, "The store's limits leave no room beside what is pinned; nothing was changed."),
        (15, "The package isn't signed as --require-signature asks, or its signature is wrong; nothing was changed."),
        (16, "The package is encrypted, and its password is missing or wrong; nothing was changed."),
        (17, "load: the package can't be downloaded in full; a partial download is kept if it can be resumed."),
        (64, "Wrong arguments, or a wrong sync file or configuration."),
        (130, "Interrupted by Control-C or SIGINT; nothing was changed. pack: what was fetched is kept."),
        (143, "pack: stopped by SIGTERM; what was fetched is kept."),
    ]

    /// The variables of the environment that the program reads.
    static let variables: [(word: String, meaning: String)] = [
        ("AFCACHE_CACHE", "The cache of commands without --cache."),
        ("AFCACHE_PASSWORD", "The password of encrypted packages, where --password-file isn't given."),
        ("AFCACHE_BASIC", "user:password for the starts' origin of a crawl."),
        ("AFCACHE_BEARER", "A token for the starts' origin of a crawl."),
        ("AFCACHE_PROXY_BASIC", "user:password for --proxy of a crawl."),
        ("SOURCE_DATE_EPOCH", "The time of packing, in seconds since 1970: the same input gives the same bytes."),
        ("XDG_CONFIG_HOME", "The folder above afcache/ca, the local authority; ~/.config without it."),
    ]

    /// The files that the program uses without being told.
    static let files: [(word: String, meaning: String)] = [
        ("~/.config/afcache/ca", "The local certificate authority, with which https is answered offline.")
    ]
}
