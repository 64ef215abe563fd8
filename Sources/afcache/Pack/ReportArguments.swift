import ArgumentParser
import Packager

/// What a crawl tells about itself.
struct ReportArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write what became of the crawl, as a page (.html) or a document (.json); also where it fails or is stopped.",
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
            Exit with 5 if something of this importance failed: 'seed' a start URL, 'requisite' also what pages need, 'link' \
            anything, 'none' nothing.
            """,
            valueName: "level"
        )
    )
    var failOn: CrawlReport.Threshold = .requisite

    @Option(
        help: ArgumentHelp(
            "Write what happens while it happens to this file, one JSON object a line.",
            valueName: "file"
        ),
        completion: .file(extensions: ["jsonl"])
    )
    var events: String?

    @Flag(
        help: """
            Fetch only what must be read to know what follows, write no package, and print what would be fetched and what \
            not, and why; with '--json' as JSON lines.
            """
    )
    var dryRun = false
}
