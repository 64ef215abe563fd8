import AFCBrowser
import AFCText
import AFCTrial
import ArgumentParser

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Open a package in a browser without a network, and say what is missing.",
        discussion: """
            Chromium opens the start page and one page of each template, clicks links, searches and reloads, as a reader \
            would. Every request is answered from the package, as 'afcache serve' would answer it offline. The result \
            is one line, and a list of what is missing, the most important first. The exit code is 1 if something is \
            missing.

              afcache try site.zip
              afcache try site.zip --html trial.html --junit trial.xml
              afcache try site.zip --against https://docs.example/
              afcache try site.zip --missing missing.txt
            """
    )

    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var package: String

    @Option(
        help: ArgumentHelp(
            "Open this many pages besides the start page, those of other templates first.",
            valueName: "n"
        )
    )
    var pages = 10

    @Option(
        help: ArgumentHelp(
            """
            Compare texts and pictures with the same pages of another package, or of the live site, which is the only \
            site that is then fetched from.
            """,
            valueName: "file|url"
        ),
        completion: .file(extensions: ["zip"])
    )
    var against: String?

    @OptionGroup var results: JUnitOption

    @Option(
        help: ArgumentHelp("Write the result as a page with pictures.", valueName: "file"),
        completion: .file(extensions: ["html"])
    )
    var html: String?

    @Option(
        help: ArgumentHelp("Write the URLs of what is missing to this file, one per line.", valueName: "file"),
        completion: .file()
    )
    var missing: String?

    @OptionGroup var browser: BrowserOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard (0...100).contains(pages) else { throw ValidationError("'--pages' must be between 0 and 100") }
    }

    func run() async throws {
        for (path, kind) in [(results.junit, ReplacedFile.Report.junit), (html, .html), (missing, .urls)] {
            try ReplacedFile.require(path, kind)
        }
        var run = TrialRun(package: package, browser: browser)
        run.pages = pages
        run.against = against
        run.takesPictures = html != nil
        let report = try await run.report()
        if let junit = results.junit { try WholeFile.write(report.junit(), to: junit) }
        if let html { try WholeFile.write(report.html(\.words), to: html) }
        if let missing { try WholeFile.write(TrialRun.list(report.missing), to: missing) }
        if format.json {
            Console.write(report.json())
        } else {
            TrialRun.show(report, hasList: missing != nil)
        }
        Console.flush()
        if let against, !report.pages.isEmpty, report.compared == 0 {
            Console.complain(
                "error: nothing was compared: \(PrintableText.quoted(against)) can't be reached, or has "
                    + "none of the pages; check what '--against' names"
            )
            throw ExitStatus.inputOutput.code
        }
        if !report.worksOffline { throw ExitStatus.findings.code }
    }
}
