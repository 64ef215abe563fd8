import AFCCache
import AFCCaching
import AFCChannel
import AFCDelivery
import AFCFiles
import AFCPackageFormat
import AFCProvisioning
import AFCSyncFile
import AFCText
import ArgumentParser

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Load the packages listed in a file, unless they are already loaded.",
        discussion: """
            Use it to provision devices, for example from cron: a second run changes nothing. If a package fails, the \
            others are still loaded, the failed one stays as it was, no package is removed, and the exit code is 5. \
            share/doc/afcache/reference/delivery.md describes the file, and share/doc/afcache/reference/channels.md the channel that it may name.

              afcache sync /etc/afcache.yaml
              afcache sync packages.yaml --cache cache --json
            """
    )

    @Argument(help: "The sync file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The folder of the cache. (default: the one named in the file, else \(CacheFolder.variable), else the user's own)",
            valueName: "dir"
        ),
        completion: .directory
    )
    var cache: String?

    @OptionGroup(title: "Download") var download: DownloadOptions

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup(title: "Trust") var age: AgeOption

    @OptionGroup var waiting: WaitOptions

    @Option(
        help: ArgumentHelp(
            "Wait for a random time up to this before the first request, so that devices don't ask all at once.",
            valueName: "time"
        ),
        transform: TimeSpan.argument
    )
    var splay: Duration?

    @Option(
        help: ArgumentHelp(
            "Write metrics to this file at the end, for Prometheus's node exporter.",
            valueName: "file"
        ),
        completion: .file(extensions: ["prom"])
    )
    var metrics: String?

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        if let cache { _ = try CacheFolder.named(cache) }
    }

    func run() async throws {
        var report = SyncReport()
        do {
            try await load(&report)
            report.status = report.channelStatus ?? (report.hasFailed ? .incomplete : .done)
        } catch {
            report.status = Failure.describe(error)?.1 ?? (error is ValidationError ? .usage : .inputOutput)
            // The error of the run is the one to report.
            try? writeMetrics(report)
            throw error
        }
        if format.json { Console.print(report.document.serialized) }
        if report.lines.isEmpty, report.status == .done {
            Console.note("note: neither the sync file nor its channel lists a package for this device")
        }
        Console.flush()
        try writeMetrics(report)
        if report.status != .done { throw report.status.code }
    }

    /// Reads the sync file, and makes the cache match it.
    private func load(_ report: inout SyncReport) async throws {
        if Path.isZip(file) {
            throw ValidationError(
                "\(PrintableText.quoted(file)) is a zip, not a sync file; load a package with "
                    + PrintableText.quoted("afcache load \(file)")
            )
        }
        let text = try TextFile.read(file, limit: SyncFile.byteLimit)
        let plan: SyncPlan
        guard !text.hasPrefix("afcache-channel-") else {
            let shown = PrintableText.quoted(file)
            throw ValidationError(
                "\(shown) is a channel; write a sync file with the keys 'channel', which names it, and 'trust'"
            )
        }
        do throws(SyncFileError) {
            plan = try SyncFile.parse(text)
        } catch {
            throw ValidationError("\(file):\(error)")
        }
        let cache = try cache ?? plan.cache.map(beside) ?? CacheFolder.required(nil)
        let (policy, servers) = try placed(plan) {
            let servers = try download.servers(
                for: plan.packages.map(\.from) + (plan.channel.map { [$0.from] } ?? []),
                orElse: plan.trustRoots.map(beside),
                netrc: plan.netrc.map(beside)
            )
            return (try self.policy(plan), servers)
        }
        if let channel = plan.channel, channel.threshold > policy.trusted.count {
            let keys = Quantity.count(policy.trusted.count, "key")
            throw ValidationError(
                place(channel.thresholdLine)
                    + "'threshold' is \(channel.threshold), and 'trust' has \(keys); add keys, or lower 'threshold'"
            )
        }
        if let splay {
            let pause = splay * Double.random(in: 0...1)
            Console.detail("waiting \(pause.components.seconds) seconds")
            try await Task.sleep(for: pause)
        }
        let store = try placed(plan) { try DiskCache(path: cache, access: .readWrite) }
        try await load(plan, store, policy, servers, &report)
        report.packages = try store.packages()
        // A cache that stays empty does no harm, so the packages' errors are the ones to report.
        if report.hasFailed || report.channelStatus != nil { try? await store.discardIfUnused() }
    }

    private func load(
        _ plan: SyncPlan,
        _ store: DiskCache,
        _ policy: TrustPolicy,
        _ servers: ServerTrust,
        _ report: inout SyncReport
    ) async throws {
        let patience = waiting.patience(for: store.path)
        var limits = try store.limits()
        limits.bytes = plan.byteLimit ?? limits.bytes
        limits.entries = plan.entryLimit ?? limits.entries
        if limits != (try store.limits()) {
            note(try await store.setLimits(limits, now: Clock.now, patience: patience), &report)
        }
        let context = IntakeContext(servers, password: trust, patience: patience)
        var listed: [WantedPackage] = []
        if let channel = plan.channel {
            do {
                listed = try await read(channel, plan, store, policy, context, &report)
            } catch {
                guard let (_, status) = Failure.describe(error), status != .badCache else { throw error }
                let message = place(channel.line(of: error)) + Failure.inSyncFile(error, isListed: false)
                report.channelStatus = status
                report.channelError = message
                if !format.json { Console.complain("error: \(message)") }
            }
        }
        // Packages without a name in the file state theirs when they are loaded.
        let others = plan.packages.compactMap(\.name) + report.listed
        var stated: [String] = []
        let own = plan.packages.map { (wanted($0), Optional($0.line)) }
        for (var wanted, place) in own + listed.map({ ($0, nil) }) {
            var line: SyncReport.Line
            let shown = wanted.name ?? PackageSource.defaultName(of: wanted.source)
            do {
                if wanted.name == nil { wanted.refusedNames = Set(others + stated) }
                let outcome = try await store.bring(wanted, trust: policy, patience: patience, context: context)
                if wanted.name == nil { stated.append(outcome.package.name) }
                line = SyncReport.Line(name: outcome.package.name, action: outcome.action)
                if case .installed(let installed) = outcome { note(installed.evicted, &report) }
            } catch {
                // An error of the cache itself affects every package.
                guard let (_, status) = Failure.describe(error), status != .badCache else { throw error }
                let said = (place.map(self.place) ?? "") + Failure.inSyncFile(error, isListed: place == nil)
                line = SyncReport.Line(name: shown, action: "failed", error: said)
            }
            report.lines.append(line)
            if !format.json { show(line) }
        }
        // A package that isn't listed may be the one that a failed package was to replace.
        let isKept = report.hasFailed || report.channelStatus != nil
        let names = try store.packages().map(\.name)
        for name in plan.superfluous(among: names, listed: report.listed + stated) {
            if !isKept { _ = try await store.remove(name, patience: patience) }
            let line = SyncReport.Line(name: name, action: isKept ? "kept" : "removed")
            report.lines.append(line)
            if !format.json { show(line) }
        }
    }

    /// Reads the channel, and returns the packages that this device should have from it.
    private func read(
        _ source: SyncPlan.Channel,
        _ plan: SyncPlan,
        _ store: DiskCache,
        _ policy: TrustPolicy,
        _ context: IntakeContext,
        _ report: inout SyncReport
    ) async throws -> [WantedPackage] {
        let from = PackageSource.isRemote(source.from) ? source.from : beside(source.from)
        let trust = ChannelTrust(name: source.name, keys: policy.trusted, threshold: source.threshold)
        let intake = ChannelIntake(store: store, from: from, trust: trust, context: context)
        do {
            report.channel = try await intake.run().channel
        } catch {
            // What was accepted before says in the metrics how old it is, and names what isn't to be removed.
            report.channel = try await OffPool.run { () throws in try intake.remembered()?.channel }
            throw error
        }
        let channel = report.channel
        let device = try await OffPool.run { () throws in try ChannelIntake.device(source.device, in: store) }
        let own = Set(plan.packages.compactMap(\.name))
        var listed: [WantedPackage] = []
        for package in channel?.packages ?? [] {
            guard !own.contains(package.name) else {
                throw ChannelError(
                    .unsuitable,
                    subject: PackageSource.shown(from),
                    message:
                        "the channel and the sync file both list \(PrintableText.quoted(package.name)); remove it from the file"
                )
            }
            // A release that isn't for this device yet leaves what is loaded.
            guard let release = package.release(for: device) else { continue }
            listed.append(WantedPackage(package, release, channel: from))
        }
        return listed
    }

    private func wanted(_ package: SyncPlan.Package) -> WantedPackage {
        var wanted = WantedPackage(name: package.name, from: package.isRemote ? package.from : beside(package.from))
        wanted.settings = package.settings
        wanted.sha256 = package.sha256
        wanted.digest = package.digest
        wanted.allowsOlder = age.allowOlder || package.allowsOlder
        wanted.allowsPlainHTTP = package.allowsPlainHTTP
        return wanted
    }

    /// Returns the place of a line in the sync file, as the beginning of an error.
    private func place(_ line: Int) -> String { "\(PrintableText.escaped(file)):\(line): " }

    /// Reads files that the sync file names; an error about one of them says where.
    private func placed<Value>(_ plan: SyncPlan, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as ValidationError {
            // Its words are those for the option.
            let about = plan.lines.first { error.message.contains(PrintableText.quoted(beside($0.key))) }
            guard let about, let start = error.message.firstRange(of: PrintableText.quoted(beside(about.key))) else {
                throw error
            }
            throw ValidationError(place(about.value) + error.message[start.lowerBound...])
        } catch {
            let named = Failure.subject(of: error)
            guard let line = plan.lines.first(where: { beside($0.key) == named })?.value else { throw error }
            throw PlacedFailure(place: place(line), cause: error)
        }
    }

    private func writeMetrics(_ report: SyncReport) throws {
        guard let metrics else { return }
        let before = try? SmallFile.read(metrics, limit: 4 << 20)
        let text = report.metrics(before: before.map { String(decoding: $0, as: UTF8.self) }, now: Clock.now)
        try WholeFile.write(Array(text.utf8), to: metrics)
    }

    private func policy(_ plan: SyncPlan) throws -> TrustPolicy {
        var options = trust
        options.keys.trust += plan.trust.map(beside)
        options.requireSignature = trust.requireSignature || plan.requiresSignature
        return try options.policy()
    }

    /// Returns a path in the sync file, which is relative to that file.
    private func beside(_ path: String) -> String {
        if path.hasPrefix(RegistryLayout.prefix) {
            return RegistryLayout.prefix + beside(String(path.dropFirst(RegistryLayout.prefix.count)))
        }
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    /// Reports what had to leave the cache for the limits.
    private func note(_ evicted: [String], _ report: inout SyncReport) {
        for left in evicted {
            report.lines.append(SyncReport.Line(name: left, action: "evicted"))
            if !format.json { Console.print("\(Quantity.padded("evicted", 9)) \(left)") }
        }
    }

    private func show(_ line: SyncReport.Line) {
        Console.print("\(Quantity.padded(line.action, 9)) \(PrintableText.quoted(line.name))")
        if let error = line.error { Console.complain("error: \(error)") }
    }
}

extension SyncPlan.Channel {
    /// Returns the line of the sync file that an error of the channel is about.
    fileprivate func line(of error: any Error) -> Int {
        switch (error as? ChannelError)?.code {
        case .otherName, .unsuitable: nameLine
        default: line
        }
    }
}

extension PackageIntake.Outcome {
    /// What was done, in one word.
    fileprivate var action: String {
        switch self {
        case .installed(let report):
            // 'load' prints the same; users must learn that they were sent an older package.
            if report.youngerBefore != nil { Console.complain("warning: \(report.line)") }
            report.warn()
            // Another process may have loaded it since this one compared.
            guard report.isUpdate else { return "installed" }
            return report.isSame && !report.isRepair ? "unchanged" : "updated"
        case .unchanged(_, let hasNewSettings): return hasNewSettings ? "changed" : "unchanged"
        }
    }
}
