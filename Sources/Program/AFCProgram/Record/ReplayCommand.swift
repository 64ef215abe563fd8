import AFCAuthority
import AFCCache
import AFCCaching
import AFCCrawlRules
import AFCOrigin
import AFCPackager
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
              afcache replay tests.zip --missing record -- npm test

            The exit code is the program's, unless that is 0 and a request failed: then it is 5.
            """
    )

    @Argument(help: "The package to answer from.", completion: .file(extensions: ["zip"]))
    var package: String

    @OptionGroup var call: ProgramArgument

    @Option(
        help: """
            How to answer a request that the package has no response for: with 'fail', by status 504 and a line on standard \
            error; with 'empty', by status 204 without a body; with 'record', by asking the origin, whose response is added \
            to the package when the program ends.
            """
    )
    var missing: MissingAnswer = .fail

    @Option(
        help: """
            The differences in the query that a response may have, as for 'afcache serve'. With 'exact', only the same URL \
            is answered.
            """
    )
    var match: QueryMatching = .exact

    @OptionGroup var roots: TrustRootsOption

    @OptionGroup var verification: InsecureOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !call.program.isEmpty else {
            throw ValidationError("name a program to run after '--', as in 'afcache replay site.zip -- PROGRAM'")
        }
        guard missing == .record || roots.cacert == nil && !verification.insecure else {
            throw ValidationError("'--cacert' and '--insecure' are for origins, which only '--missing record' asks")
        }
    }

    func run() async throws {
        var replay = Replay(package: package, missing: missing, matching: match)
        replay.access = try OriginAccess(
            cacert: roots.cacert,
            insecure: verification.insecure,
            allowPrivate: true
        )
        try await replay.run(call)
    }
}

/// The answer to a request that the package has no response for.
enum MissingAnswer: String, CaseIterable, ExpressibleByArgument {
    case fail
    case empty
    case record
}

/// The run of a program with answers from a package.
struct Replay {
    /// The path of the package.
    let package: String
    var missing = MissingAnswer.fail
    var matching = QueryMatching.exact
    /// The way to origins.
    var access = OriginAccess()

    /// The most requests that are listed at the end.
    private static let shownMissing = 10

    /// Runs a program.
    ///
    /// - Parameter call: The program.
    /// - Throws: `CacheError` if the package can't be read; `ExitCode` unless the program succeeded and got all responses.
    func run(_ call: ProgramArgument) async throws {
        let store = try MountedPackages([package], now: Clock.now)
        var options = Replayer.Options(now: { Clock.now })
        options.matching = matching
        options.unreported = try ProxySettings.ownServices.map { try URLPattern("http*://\($0)/*") }
        var recorder: Recorder?
        switch missing {
        case .fail: options.onMissing = { Console.complain("not in the package: \($0)") }
        case .empty: options.missing = .empty
        case .record:
            let added = try self.recorder()
            options.missing = .record(added)
            recorder = added
        }
        let replayer = Replayer(store, options)
        let code: Int32
        do {
            let authority = try CertificateAuthority.make(name: "replay", days: 2, at: Clock.now)
            code = try await ProxiedProgram(call, authority: authority).run(behind: replayer, isOffline: true)
        } catch {
            await recorder?.abandon()
            throw error
        }
        if let signal = RecordCommand.signal(in: code) {
            Console.note("note: the program ended with code \(code), as after \(signal)")
        }
        let report = replayer.report
        var isIncomplete = report.missing > 0 && missing == .fail
        show(report)
        if let recorder { isIncomplete = try await add(recorder) }
        if code != 0 { throw ExitCode(code) }
        if report.unreadable > 0 { throw ExitStatus.invalidPackage.code }
        if isIncomplete { throw ExitStatus.incomplete.code }
    }

    /// Returns a recorder that adds to the package.
    private func recorder() throws -> Recorder {
        var options = Recorder.Options(now: { Clock.now })
        options.recordsOtherMethods = true
        options.addsToPackage = true
        options.pinnedTime = try Clock.pinned()
        options.access = access
        options.access.proxies = try .environment()
        let output = Packaging.Output(
            path: package,
            created: try Clock.pinned() ?? Clock.now,
            generator: AFCacheCommand.generator
        )
        do throws(PackagingError) {
            return try Recorder(options, to: output)
        } catch {
            guard error.remedy == .overwrite else { throw error }
            let message = "the package is signed, and would lose its signature; name one that isn't signed"
            throw PackagingError(error.code, subject: package, message: message)
        }
    }

    /// Adds what was recorded to the package.
    ///
    /// - Returns: True if a request got no response, or one that isn't in the package.
    private func add(_ recorder: Recorder) async throws -> Bool {
        let (summary, report) = try await recorder.finish()
        let lines = RecordingSummary(report: report)
        for line in lines.lines { Console.note(line) }
        if let failure = report.storageFailure {
            Console.complain(
                "error: recording stopped: \(failure); the package is unchanged, and the same command continues"
            )
            throw ExitStatus.inputOutput.code
        }
        if summary != nil {
            Console.note("added \(Quantity.count(report.recorded, "response")) to \(PrintableText.quoted(package))")
        }
        return lines.isIncomplete || report.omitted[.failed] != nil
    }

    private func show(_ report: Replayer.Report) {
        let name = PrintableText.quoted(package)
        let isUnused = report.answered + report.missing + report.unreadable == 0 && missing != .record
        Console.note(
            "replayed \(name): "
                + (isUnused ? "no request came through the proxy" : Quantity.count(report.answered, "response"))
        )
        if report.unreadable > 0 {
            Console.complain(
                "error: \(Quantity.count(report.unreadable, "response")) in \(name) couldn't be read; record again"
            )
        }
        guard report.missing > 0 else { return }
        let requests = Quantity.count(report.missing, "request")
        switch missing {
        case .fail:
            Console.complain(
                "error: \(requests) failed, since \(name) has no response; add it with '--missing record':"
            )
        case .empty, .record:
            Console.note("note: \(requests) without a response in \(name) got an empty one:")
        }
        let print = missing == .fail ? Console.complain : Console.note
        for one in report.first.prefix(Self.shownMissing) { print("  \(one)") }
        if report.first.count > Self.shownMissing || report.hasMore { print("  and others") }
    }
}
