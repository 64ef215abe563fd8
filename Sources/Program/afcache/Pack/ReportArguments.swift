import AFCCrawlRules
import ArgumentParser

/// What a crawl tells about itself.
struct ReportArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a report of the crawl, a page (.html) or a document (.json), also if it fails or is stopped.",
            valueName: "file"
        ),
        completion: .file(extensions: ["html", "json"]),
        transform: ReportFile.init(argument:)
    )
    var report: ReportFile?

    @Option(
        name: .customLong("fail-on"),
        help: ArgumentHelp(
            """
            Exit with 5 if one of these failed: a start URL (seed), or also anything that pages need (requisite), or \
            anything (link); none: never.
            """,
            valueName: "level"
        )
    )
    var failOn: CrawlReport.Threshold = .requisite

    @Option(
        help: ArgumentHelp(
            "Write the crawl's events to this file as they happen, one JSON object a line.",
            valueName: "file"
        ),
        completion: .file(extensions: ["jsonl"])
    )
    var events: String?

    @Flag(
        help: """
            Fetch only what must be read to know what follows, write no package, and print what would be fetched and \
            what not, and why; with '--json' as JSON lines.
            """
    )
    var dryRun = false
}
