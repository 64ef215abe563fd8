import AFCCrawlRules
import AFCText
import ArgumentParser

/// The options for links that differ only in their query, and for links without end.
struct QueryArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How to treat the query of a link: 'keep' it, remove parameters that only identify the reader, such as \
            utm_* and session IDs ('tracking'), or remove all of it ('ignore'). Pages aren't changed, so links that \
            lose parameters don't work offline.
            """,
            valueName: "rule"
        )
    )
    var query: QueryRules.Mode = .keep

    @Option(
        help: ArgumentHelp(
            "Remove this parameter from the queries of links, whatever '--query' says; '*' matches any text. Repeatable.",
            valueName: "name"
        )
    )
    var dropParameter: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Skip links that look like an endless loop: calendars, repeated paths, session IDs."
    )
    var traps = true

    @Option(
        help: ArgumentHelp(
            "The most links to follow that differ only in their query. (default: \(TrapOptions().alikeLimit))",
            valueName: "count"
        )
    )
    var trapLimit: Int?

    func apply(to options: inout CrawlOptions) {
        options.queryRules.mode = query
        options.queryRules.droppedParameters = dropParameter.map { Glob($0) }
        options.traps.isEnabled = traps
        if let trapLimit { options.traps.alikeLimit = trapLimit }
        options.choosesTrapLimit = trapLimit != nil
    }

    func validate() throws {
        guard trapLimit ?? 1 > 0 else { throw ValidationError("'--trap-limit' must be at least 1") }
        guard !dropParameter.contains("") else {
            throw ValidationError("'--drop-parameter' must be a name such as 'utm_*'")
        }
    }
}
