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

    @Flag(
        help: """
            Fetch only what must be read to know what follows, write no package, and print what would be fetched and what \
            not, and why; with '--json' as JSON lines.
            """
    )
    var dryRun = false
}
