import AFCAuthority
public import AFCCrawlRules
import AFCFiles
import AFCHTTP
import AFCOrigin
import AFCPackageFile
import AFCPackager
import AFCPlatform
import AFCRecorder
import AFCServer
import AFCText
import AFCURL
public import ArgumentParser
import UnixSignals

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Run a program, and pack what it requests.",
        usage: """
            afcache record [options] -- <program> [<argument> ...]
            afcache record [options] --listen <address>
            """,
        discussion: """
            The program gets the settings of a proxy that records all responses, also over https, and also those that a \
            cache may not keep. When it ends, they are written into a package. Responses that only you may see become \
            part of it, so take care whom you give it to.

              afcache record -o site.zip -- chromium https://app.example/
              afcache record -o tests.zip --post --or-replay -- pytest tests/
              afcache record -o app.zip --listen 192.168.1.5 --port 8080

            A browser that a test suite starts needs the options in AFCACHE_CHROMIUM_OPTIONS. If recording is \
            interrupted, the same command continues it. The exit code is the program's, unless that is 0 and something \
            is missing in the package. With SOURCE_DATE_EPOCH set, the same responses give the same bytes.
            """
    )

    @OptionGroup var call: ProgramArgument

    @OptionGroup var result: PackageOutputOptions

    @Flag(help: "If there is a package, run the program with its responses instead, as 'afcache replay' does.")
    var orReplay = false

    @OptionGroup var restart: RestartOption

    @Option(
        help: """
            Which response to keep if a URL has several: the 'last', the 'first', or 'all', which 'replay' then gives \
            in this order; with 'fail', no package is written if they differ.
            """
    )
    var keep: Recording.Keep = .last

    @OptionGroup var post: PostOption

    @Flag(
        help: """
            When the program has ended, also fetch what the recorded pages need besides, such as images for other \
            screens.
            """
    )
    var complete = false

    @OptionGroup(title: "The package") var making: NewPackageOptions

    @OptionGroup(title: "The package") var sizes: NewPackageSizeOptions

    @OptionGroup(title: "The package") var naming: PackageNameOption

    @OptionGroup(title: "The package") var signing: SigningOption

    @Option(
        help: ArgumentHelp(
            """
            Run no program, and record what other devices request through this address of the machine, such as \
            192.168.1.5, until SIGINT or SIGTERM. Anyone who can reach the address can use the proxy.
            """,
            valueName: "address"
        )
    )
    var listen: String?

    @OptionGroup var port: PortOption

    @Flag(
        help: """
            With '--listen', also connect to this machine and to private networks. Whoever can use the proxy can then \
            reach them too.
            """
    )
    var allowPrivate = false

    @Option(
        help: ArgumentHelp(
            """
            Use the local authority in this folder, which your devices already trust; see 'afcache ca'. (default: an \
            authority for this run only)
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var ca: String?

    @OptionGroup var roots: TrustRootsOption

    @OptionGroup var verification: InsecureOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        try NewFileOptions.require(result.output, isNone: ["--sign": signing.sign, "--cacert": [roots.cacert]])
        guard call.program.isEmpty != (listen == nil) else {
            throw ValidationError(
                call.program.isEmpty
                    ? "name a program to run after '--', as in 'afcache record -- PROGRAM', or an address with '--listen'"
                    : "'--listen' runs no program; remove it, or the program"
            )
        }
        if let listen { try PortOption.requireNone(in: listen) }
        guard !orReplay || listen == nil && result.output != Path.standardOutput else {
            throw ValidationError("'--or-replay' needs a program and the file of a package")
        }
        guard !call.isolate || listen == nil else {
            throw ValidationError("'--isolate' is for the program that runs; remove it, or '--listen'")
        }
        guard !allowPrivate || listen != nil else { throw ValidationError("'--allow-private' needs '--listen'") }
        guard port.port == nil || listen != nil else { throw ValidationError("'--port' needs '--listen'") }
    }

    func run() async throws {
        // An empty file is one that the package replaces.
        if orReplay, let file = try? OpenFile(reading: result.output), (try? file.size()) != 0 {
            return try await Replay(package: result.output).run(call)
        }
        let authority =
            try ca.map { try AuthorityFolder(path: $0).authority(at: Clock.now) }
            ?? CertificateAuthority.make(name: "recording", days: 2, at: Clock.now)
        let proxied = ProxiedProgram(call, authority: authority)
        let recorder = try Recorder(try options(authority), to: try target())
        if recorder.resumed > 0 {
            Console.note(
                "resuming an interrupted recording with \(Quantity.count(recorder.resumed, "response")); '--restart' "
                    + "starts over"
            )
        }
        let code: Int32
        do {
            code = try await listen == nil ? proxied.run(behind: recorder) : serve(proxied.proxy(recorder))
        } catch {
            await recorder.abandon()
            throw error
        }
        try await finish(recorder, code: code)
    }

    /// Serves other devices until a signal comes.
    private func serve(_ proxy: ProxyResponder) async throws -> Int32 {
        var configuration = ProxiedProgram.configuration
        if let listen { (configuration.host, configuration.port) = (listen, port.port ?? 8080) }
        return try await ChildProgram.serve(proxy, configuration) { address in
            Console.print("recording at http://\(address)/; open it to set up a device, and press Control-C to finish")
            return await ChildProgram.waitForSignal()
        }
    }

    private func options(_ authority: CertificateAuthority) throws -> Recorder.Options {
        var options = Recorder.Options(now: { Clock.now })
        options.keep = keep
        options.recordsOtherMethods = post.post
        options.completes = complete
        if let bytes = sizes.maxBodyBytes { options.bodyBytes = bytes }
        options.excluded = try making.excludedURLs()
        options.maxAge = making.maxAge
        options.pinnedTime = try Clock.pinned()
        options.restarts = restart.restart
        options.access = try OriginAccess(
            cacert: roots.cacert,
            insecure: verification.insecure,
            allowPrivate: listen == nil || allowPrivate
        )
        options.access.proxies = try .environment()
        options.authority = authority.certificate.pem
        return options
    }

    private func target() throws -> Packaging.Output {
        let created = try Clock.pinned() ?? Clock.now
        var target = Packaging.Output(
            path: result.output,
            created: created,
            generator: "afcache/\(AFCacheCommand.version)"
        )
        target.name = naming.name
        target.overwrites = result.overwrite
        target.level = Int32(sizes.level)
        target.signers = try signing.signers()
        return target
    }

    // MARK: The end

    /// Returns the signal that an exit code stands for, in words; nil for other codes.
    static func signal(in code: Int32) -> String? {
        guard (129...159).contains(code), let words = strsignal(code - 128) else { return nil }
        return "signal \(code - 128) (\(String(cString: words)))"
    }

    private func finish(_ recorder: Recorder, code: Int32) async throws {
        let (summary, report) = try await recorder.finish()
        for line in RecordingSummary(report: report).lines { Console.note(line) }
        let name = PrintableText.quoted(result.output)
        if let signal = Self.signal(in: code) {
            Console.note("note: the program ended with code \(code), as after \(signal)")
        }
        if let failure = report.storageFailure {
            Console.complain(
                "error: recording stopped: \(failure); what was recorded before is kept, and the same command continues"
            )
            throw ExitStatus.inputOutput.code
        }
        if report.conflicts > 0 {
            Console.complain(
                "error: \(Quantity.count(report.conflicts, "URL")) had different responses, so no package was written; "
                    + "'--keep' chooses one of them, and '--restart' discards them"
            )
            throw ExitCode(code == 0 ? ExitStatus.nothingToPack.rawValue : code)
        }
        guard let summary else {
            let reason =
                if !report.omitted.isEmpty {
                    "the lines above say why"
                } else if listen == nil {
                    "the program must send its requests to the proxy that the variables http_proxy and https_proxy name"
                } else {
                    "no device sent a request; each must have this proxy in its settings"
                }
            Console.complain("error: nothing was recorded, so no package was written; \(reason)")
            throw ExitCode(code == 0 ? ExitStatus.nothingToPack.rawValue : code)
        }
        if report.added > 0 { Console.note("added \(Quantity.count(report.added, "response")) that pages need") }
        let redirects = summary.redirects > 0 ? ", \(Quantity.count(summary.redirects, "redirect"))" : ""
        Console.note(
            "packed \(name): \(Quantity.count(summary.resources, "resource"))\(redirects), "
                + "\(Quantity.bytes(summary.bodyBytes)) in \(Quantity.bytes(summary.packageBytes))"
        )
        guard code == 0 else { throw ExitCode(code) }
        if RecordingSummary(report: report).isIncomplete { throw ExitStatus.incomplete.code }
    }
}

extension Recording.Keep: ExpressibleByArgument {}

/// What a recording left out, in words.
struct RecordingSummary {
    let report: RecordingReport

    /// True if the package lacks responses that the command promises to record.
    var isIncomplete: Bool {
        [.request, .tooLarge, .coding, .incomplete, .partial, .missing].contains { report.omitted[$0] != nil }
    }

    /// The lines, most important first.
    var lines: [String] {
        var lines: [String] = []
        for url in report.firstConflicts { lines.append("different responses: \(url)") }
        for omission in RecordingReport.Omission.allCases {
            guard let omitted = report.omitted[omission] else { continue }
            lines.append("not recorded: \(Quantity.count(omitted.count, Self.noun(omission)))\(Self.reason(omission))")
            lines += omitted.first.map { url in
                let cause = omission == .failed ? report.causes[url].map { ": " + PrintableText.escaped($0) } : nil
                return "  \(url)\(cause ?? "")"
            }
            if omitted.count > omitted.first.count, !omitted.first.isEmpty { lines.append("  and others") }
        }
        return lines
    }

    private static func noun(_ omission: RecordingReport.Omission) -> String {
        switch omission {
        case .upgrade: "connection"
        case .events: "event stream"
        case .method, .request, .failed, .partial: "request"
        case .missing: "URL"
        case .tooLarge, .coding, .incomplete: "response"
        }
    }

    private static func reason(_ omission: RecordingReport.Omission) -> String {
        switch omission {
        case .upgrade: " that switched to WebSocket or another protocol"
        case .events: ""
        case .method: " with another method than GET; '--post' records them"
        case .request: " with a body of more than 1 MiB or of unknown length"
        case .tooLarge: " with a body over '--max-body-bytes'"
        case .coding: " with a content coding that can't be decoded"
        case .incomplete: " that ended early"
        case .failed: " without a response"
        case .partial: " for parts of bodies that never arrived as a whole"
        case .missing: " that pages need and that couldn't be fetched"
        }
    }
}
