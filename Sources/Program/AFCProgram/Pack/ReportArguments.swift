import AFCCrawlRules
import ArgumentParser

/// The options for what a crawl reports.
struct ReportArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a report of the crawl as a page (.html) or as JSON (.json), even if the crawl fails or is stopped.",
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
            Exit with 5 if a start URL failed ('seed'), if a start URL or something that a page needs failed \
            ('requisite'), if any URL failed ('link'), or never ('none').
            """,
            valueName: "level"
        )
    )
    var failOn: CrawlReport.Threshold = .requisite

    @Option(
        help: ArgumentHelp(
            "Write the crawl's events to this file as they happen, one JSON object per line.",
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file(extensions: ["jsonl"])
    )
    var events: String?

    @Flag(
        help: """
            Print what would be fetched and what would be skipped, and why; write no package. Only what is needed to find \
            further links is fetched. With '--json', each line is a JSON object.
            """
    )
    var dryRun = false
}
