import AFCAuthority
import AFCCache
import AFCCaching
import AFCCrawlRules
import AFCPlatform
import AFCRecorder
import AFCText
import ArgumentParser

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run a program, and answer its requests from a package.",
        usage: "afcache replay [options] <package> -- <program> [<argument> ...]",
        discussion: """
            The program gets the same settings of a proxy as with 'afcache record'. All responses come from the package, \
            also those that have expired or that a cache may not keep, and no origin is contacted. A request that the \
            package has no response for fails, and is named on standard error.

              afcache replay site.zip -- chromium https://app.example/
              afcache replay tests.zip -- pytest tests/
              afcache replay tests.zip --missing empty -- npm test

            The exit code is the program's, unless that is 0 and a request failed: then it is 5.
            """
    )

    @Argument(help: "The package to answer from.", completion: .file(extensions: ["zip"]))
    var package: String

    @OptionGroup var call: ProgramArgument

    @Option(
        help: """
            How to answer a request that the package has no response for: with 'fail', by status 504 and a line on standard \
            error; with 'empty', by status 204 without a body.
            """
    )
    var missing: Replayer.Missing = .fail

    @Option(
        help: """
            The differences in the query that a response may have, as for 'afcache serve'. With 'exact', only the same URL \
            is answered.
            """
    )
    var match: QueryMatching = .exact

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !call.program.isEmpty else {
            throw ValidationError("name a program to run after '--', as in 'afcache replay site.zip -- PROGRAM'")
        }
    }

    func run() async throws {
        let replay = Replay(package: package, missing: missing, matching: match)
        try await replay.run(call.program)
    }
}

extension Replayer.Missing: ExpressibleByArgument {}

/// The run of a program with answers from a package.
struct Replay {
    /// The path of the package.
    let package: String
    var missing = Replayer.Missing.fail
    var matching = QueryMatching.exact

    /// The most requests that are listed at the end.
    private static let shownMissing = 10

    /// Runs a program.
    ///
    /// - Parameter words: The program's name or path, and its arguments.
    /// - Throws: `CacheError` if the package can't be read; `ExitCode` unless the program succeeded and got all responses.
    func run(_ words: [String]) async throws {
        let store = try MountedPackages([package], now: Clock.now)
        var options = Replayer.Options(now: { Clock.now })
        options.missing = missing
        options.matching = matching
        options.unreported = try ProxySettings.ownServices.map { try URLPattern("http*://\($0)/*") }
        if missing == .fail { options.onMissing = { Console.complain("not in the package: \($0)") } }
        let replayer = Replayer(store, options)
        let authority = try CertificateAuthority.make(name: "replay", days: 2, at: Clock.now)
        let code = try await ProxiedProgram(words, authority: authority).run(behind: replayer, isOffline: true)
        let report = replayer.report
        if let signal = RecordCommand.signal(in: code) {
            Console.note("note: the program ended with code \(code), as after \(signal)")
        }
        show(report)
        if code != 0 { throw ExitCode(code) }
        if report.missing > 0, missing == .fail { throw ExitStatus.incomplete.code }
    }

    private func show(_ report: Replayer.Report) {
        let name = PrintableText.quoted(package)
        let isUnused = report.answered + report.missing == 0
        Console.note(
            "replayed \(name): "
                + (isUnused ? "no request came through the proxy" : Quantity.count(report.answered, "response"))
        )
        guard report.missing > 0 else { return }
        let requests = Quantity.count(report.missing, "request")
        switch missing {
        case .fail:
            Console.complain(
                "error: \(requests) failed, since \(name) has no response; record again, or use '--missing empty':"
            )
        case .empty: Console.note("note: \(requests) without a response in \(name) got an empty one:")
        }
        let print = missing == .fail ? Console.complain : Console.note
        for one in report.first.prefix(Self.shownMissing) { print("  \(one)") }
        if report.first.count > Self.shownMissing || report.hasMore { print("  and others") }
    }
}
