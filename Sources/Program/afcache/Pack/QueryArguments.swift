import AFCCrawlRules
import AFCText
import ArgumentParser

/// What becomes of links that never end, or that differ in nothing that counts.
struct QueryArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            What becomes of links' queries: 'keep' leaves them, 'tracking' drops parameters that say who reads and not what \
            (utm_*, session ids), 'ignore' drops all.
            """,
            valueName: "rule"
        )
    )
    var query: QueryRules.Mode = .keep

    @Option(
        help: ArgumentHelp(
            "A parameter that is dropped from links' queries in any case; '*' is any text. Repeatable.",
            valueName: "name"
        )
    )
    var dropParameter: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Leave out what looks like an endless loop: calendars, repeated paths, session ids."
    )
    var traps = true

    @Option(
        help: ArgumentHelp("How many links that differ in their query only are followed.", valueName: "count")
    )
    var trapLimit = TrapOptions().alikeLimit

    func apply(to options: inout CrawlOptions) {
        options.queryRules.mode = query
        options.queryRules.droppedParameters = dropParameter.map { Glob($0) }
        options.traps.isEnabled = traps
        options.traps.alikeLimit = trapLimit
    }

    func validate() throws {
        guard trapLimit > 0 else { throw ValidationError("--trap-limit must be at least 1") }
        guard !dropParameter.contains("") else {
            throw ValidationError("--drop-parameter must be a name such as 'utm_*'")
        }
    }
}
