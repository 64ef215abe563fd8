import AFCBatch
import AFCCache
import AFCFiles
import AFCLinter
import AFCText
import AFCYAML
import ArgumentParser

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Pack, check and publish each site that a file lists.",
        discussion: """
            Use it for many sites, for example each night. A package is published if it differs from the last one. If a \
            site fails, the others go on, and the exit code is 5. What was done isn't done again until all sites are \
            done, so the same command resumes after a crash. Several jobs can share the sites, with '--shard'. \
            share/doc/afcache/reference/batch.md describes the file.

              afcache batch sites.yaml --root packages
              afcache batch sites.yaml --root packages --shard 3/8 --round "$(date +%F)" --junit batch.xml
            """
    )

    @Argument(help: "The file that lists the sites.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: ArgumentHelp("The folder for packages, reports and results; it is created.", valueName: "dir"),
        completion: .directory
    )
    var root: String

    @Option(
        help: ArgumentHelp(
            "Take only this part of the sites, such as 3/8, or /8 with the number from the job service's variables.",
            valueName: "part"
        )
    )
    var shard: String?

    @Option(
        help: ArgumentHelp(
            """
            The name of the round; what was done in it isn't done again. (default: the job's number in its service, or \
            a round until all sites are done)
            """,
            valueName: "name"
        )
    )
    var round: String?

    @Option(help: ArgumentHelp("Take only this site, also if it was done. Repeatable.", valueName: "name"))
    var only: [String] = []

    @Option(help: "How many sites to work on at once, never two of one host.")
    var jobs = 4

    @OptionGroup var results: JUnitOption

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("'--jobs' must be a number from 1 to 64") }
        guard !root.isEmpty else { throw ValidationError("'--root' is empty; name a folder") }
        guard only.isEmpty || shard == nil else {
            throw ValidationError("'--only' names sites, and '--shard' takes a part of all; use one of them")
        }
        if let round, !BatchRun.isName(round) {
            throw ValidationError(
                "'--round' must have 1 to 100 visible ASCII characters without '/', for example 2026-11-28"
            )
        }
    }

    func run() async throws {
        let run = try prepared()
        // A signal that ends the process before it has cleaned up loses nothing, either.
        let records: [BatchRecord]
        do {
            records = try await StopSignals.cancelling { try await run.run() }
        } catch let stopped as Stopped {
            Console.note("stopped: the same command resumes")
            throw stopped.signal == StopSignals.terminate ? ExitStatus.again.code : ExitCode(128 + stopped.signal)
        }
        run.end()
        if let junit = run.junit { try WholeFile.write(BatchRecord.junit(records), to: junit) }
        let counts = Dictionary(grouping: records, by: \.state).mapValues(\.count)
        if !format.json {
            let parts = [(BatchRecord.State.packed, "packed"), (.unchanged, "unchanged"), (.failed, "failed")]
            let counted = parts.compactMap { state, word in counts[state].map { "\($0) \(word)" } }
            let sum = Quantity.count(records.count, "site")
            Console.print(counted.isEmpty ? sum : "\(sum): \(counted.joined(separator: ", "))")
        }
        Console.flush()
        if records.contains(where: { !$0.isDone }) { throw ExitStatus.incomplete.code }
    }

    /// Reads the file, and checks everything that can be checked before the first request.
    private func prepared() throws -> BatchRun {
        if Path.isZip(file) {
            throw ValidationError(
                "\(PrintableText.quoted(file)) is a zip, not a list of sites; 'afcache lint' checks a package"
            )
        }
        if let junit = results.junit, Path.isSameFile(junit, file) {
            throw ValidationError("'--junit': \(PrintableText.quoted(junit)) is the list of sites; name another file")
        }
        let text = try TextFile.read(file, limit: BatchFile.byteLimit)
        let listed: BatchFile
        do throws(YAMLFileError) {
            listed = try BatchFile(text)
        } catch {
            let isPlainList = !text.contains("sites:") && text.contains("://")
            throw ValidationError(
                "\(file):\(error)"
                    + (isPlainList ? "; a list of URLs for one package is for 'afcache pack --list'" : "")
            )
        }
        let variables = ProcessEnvironment.variables
        let part: (shard: BatchShard, variable: String?)?
        do throws(BatchShard.Problem) {
            part = only.isEmpty ? try BatchShard.read(shard, variables: variables) : nil
        } catch {
            throw ValidationError("'--shard': \(error.message)")
        }
        let sites = try chosen(listed.sites, part?.shard)
        if let part {
            let variable = part.variable.map { " (from \($0))" } ?? ""
            Console.note(
                "shard \(part.shard)\(variable): \(sites.count) of \(Quantity.count(listed.sites.count, "site"))"
            )
        }
        let root = Path.absolute(root)
        let junit = results.junit.map(Path.absolute)
        do throws(FileError) {
            // The paths in the file, and in the options that it has, are relative to it.
            try CurrentFolder.enter(Durable.folder(of: file))
        } catch {
            throw CacheError(.inputOutput, subject: file, message: error.message)
        }
        for site in sites {
            do {
                try BatchSite.check(site)
            } catch {
                let message = Failure.outcome(of: error, arguments: ["pack"] + site.arguments).message
                let place = (error as? BatchSite.WrongKey).flatMap { site.places[$0.key + ":"] }
                throw ValidationError(
                    "\(file):\(place ?? Self.place(of: message ?? "", in: site)): the site "
                        + "\(PrintableText.quoted(site.name)): \(message ?? "its options are wrong")"
                )
            }
        }
        return try BatchRun(
            sites: sites,
            root: root,
            round: round ?? BatchRun.jobName(variables),
            part: part.map { "\($0.shard.index)-of-\($0.shard.count)" } ?? "all",
            isForced: !only.isEmpty && round == nil,
            jobs: jobs,
            isJSON: format.json,
            junit: junit
        )
    }

    /// Returns the place of the option that an error names first, or else of the site.
    private static func place(of message: String, in site: BatchFile.Site) -> BatchFile.Place {
        let named = message.matches(of: /'--([a-z0-9-]+)/).lazy.compactMap { site.places[String($0.1)] }
        return named.first ?? site.place
    }

    private func chosen(_ sites: [BatchFile.Site], _ shard: BatchShard?) throws -> [BatchFile.Site] {
        for name in only where !sites.contains(where: { $0.name == name }) {
            let near = NearestName.nearest(to: name, among: sites.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw ValidationError("'--only': the file lists no site \(PrintableText.quoted(name))\(near)")
        }
        let names = Set(only)
        return sites.filter { (names.isEmpty || names.contains($0.name)) && shard?.contains($0.name) ?? true }
    }
}
