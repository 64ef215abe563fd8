import AFCCrawlRules
import AFCText
import ArgumentParser

/// The options for links that differ only in their query, and for links without end.
struct QueryArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What to remove from the query of a link: nothing ('keep'), parameters that only identify the reader, such as \
            utm_* and session IDs ('tracking'), the parameter NAME ('drop=NAME', where '*' matches any text), or \
            everything ('ignore'). Repeatable. Pages aren't changed, so links that lose parameters don't work offline. \
            (default: keep)
            """,
            valueName: "rule"
        ),
        completion: .list(QueryRules.Mode.allCases.map(\.rawValue)),
        transform: QueryRule.init(argument:)
    )
    var query: [QueryRule] = []

    @Option(
        help: ArgumentHelp(
            """
            Skip links that look like an endless loop: calendars, repeated paths, session IDs, and more than this number \
            of links that differ only in their query. 'off' skips none. (default: \(TrapOptions().alikeLimit))
            """,
            valueName: "off|count"
        ),
        transform: TrapRule.init(argument:)
    )
    var traps: TrapRule?

    func apply(to options: inout CrawlOptions) {
        for rule in query {
            switch rule {
            case .mode(let mode): options.queryRules.mode = mode
            case .drop(let parameter): options.queryRules.droppedParameters.append(parameter)
            }
        }
        switch traps {
        case nil: break
        case .off: options.traps.isEnabled = false
        case .limit(let count): (options.traps.alikeLimit, options.choosesTrapLimit) = (count, true)
        }
    }

    func validate() throws {
        let modes = Set(query.compactMap { if case .mode(let mode) = $0 { mode.rawValue } else { nil } }).sorted()
        guard modes.count <= 1 else {
            throw ValidationError(
                "'--query \(modes[0])' and '--query \(modes[1])' contradict each other; remove one of them"
            )
        }
    }
}

/// A rule for the queries of links.
enum QueryRule: Equatable {
    case mode(QueryRules.Mode)
    case drop(Glob)

    /// Reads a rule that a user wrote.
    ///
    /// - Throws: A usage error that says how to write one.
    init(argument: String) throws {
        let dropped = argument.hasPrefix("drop=") ? argument.dropFirst(5) : ""
        if let mode = QueryRules.Mode(rawValue: argument) {
            self = .mode(mode)
        } else if !dropped.isEmpty {
            self = .drop(Glob(String(dropped)))
        } else {
            throw ValidationError(
                "\(PrintableText.quoted(argument)) is not a rule; write 'keep', 'tracking', 'ignore', or 'drop=NAME' to remove "
                    + "a parameter"
            )
        }
    }
}

/// The treatment of links that look like an endless loop.
enum TrapRule: Equatable {
    case off
    /// The number of links to follow that differ only in their query.
    case limit(Int)

    /// Reads what a user wrote.
    ///
    /// - Throws: A usage error that says how to write it.
    init(argument: String) throws {
        if argument == "off" {
            self = .off
        } else if let count = Int(argument), count > 0 {
            self = .limit(count)
        } else {
            throw ValidationError("\(PrintableText.quoted(argument)) is neither 'off' nor a number of at least 1")
        }
    }
}
