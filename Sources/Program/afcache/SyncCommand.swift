import AFCCache
import AFCCaching
import AFCDelivery
import AFCPackageFormat
import AFCSyncFile
import AFCText
import ArgumentParser

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Load the packages that a file lists, except those already loaded.",
        discussion: """
            For provisioning devices, and for cron: a second run changes nothing. A package that fails doesn't keep \
            the others from being loaded, and isn't changed; in that case no package is removed, and the exit code \
            is 5. share/doc/afcache/delivery.md describes the file.

              afcache sync /etc/afcache.yaml
              afcache sync packages.yaml --cache cache --json
            """
    )

    @Argument(help: "The sync file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The cache. (default: the one that the file names, or else \(CacheFolder.variable))",
            valueName: "dir"
        ),
        completion: .directory
    )
    var cache: String?

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var waiting: WaitOptions

    @Flag(help: "Say what was done as one JSON document.")
    var json = false

    /// What was done to a package.
    private struct Line {
        var name: String
        var action: String
        var error: String?
    }

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        if let cache { _ = try CacheFolder.named(cache) }
    }

    func run() async throws {
        let text = String(decoding: try SmallFile.read(file, limit: SyncFile.byteLimit), as: UTF8.self)
        let plan: SyncPlan
        do throws(SyncFileError) {
            plan = try SyncFile.parse(text)
        } catch {
            throw ValidationError("\(file):\(error)")
        }
        guard let cache = try cache ?? plan.cache.map(beside) ?? CacheFolder.named(nil) else {
            throw ValidationError(
                "no cache is named; use '--cache', write 'cache:' into the file, or set \(CacheFolder.variable)"
            )
        }
        let policy = try policy(plan)
        let store = try OfflineCache(path: cache, access: .readWrite)
        let patience = waiting.patience(for: cache)
        var limits = try store.limits()
        limits.bytes = plan.byteLimit ?? limits.bytes
        limits.entries = plan.entryLimit ?? limits.entries
        var lines: [Line] = []
        if limits != (try store.limits()) {
            for left in try await store.setLimits(limits, now: Clock.now, patience: patience) {
                lines.append(Line(name: left, action: "evicted"))
            }
        }
        for package in plan.packages {
            let line: Line
            do {
                line = try await bring(package, to: store, policy, patience)
            } catch {
                // What is wrong with the cache itself keeps every package from being loaded.
                guard let (message, status) = Failure.describe(error), status != .badStore else { throw error }
                line = Line(name: package.name, action: "failed", error: message)
            }
            lines.append(line)
            if !json { show(line) }
        }
        // What isn't listed may be what a package that failed was to replace.
        let hasFailed = lines.contains { $0.action == "failed" }
        for name in plan.superfluous(among: try store.packages().map(\.name)) {
            if !hasFailed { _ = try await store.remove(name, patience: patience) }
            let line = Line(name: name, action: hasFailed ? "kept" : "removed")
            lines.append(line)
            if !json { show(line) }
        }
        if json { Console.print(Self.document(lines).serialized) }
        Console.flush()
        guard hasFailed else { return }
        // A cache that stays empty does no harm, so the packages' errors are the ones to report.
        try? await store.discardIfUnused()
        throw ExitStatus.incomplete.code
    }

    private func policy(_ plan: SyncPlan) throws -> TrustPolicy {
        var options = trust
        options.trust += plan.trust.map(beside)
        options.requireSignature = trust.requireSignature || plan.requiresSignature
        return try options.policy()
    }

    private func bring(
        _ package: SyncPlan.Package,
        to store: OfflineCache,
        _ policy: TrustPolicy,
        _ patience: WriterPatience
    ) async throws -> Line {
        var options = InstallOptions()
        options.settings = PackageSettings.Change(to: package.settings)
        options.sha256 = package.sha256
        options.trust = policy
        options.patience = patience
        let intake = PackageIntake(
            store: store,
            options: options,
            allowsInsecure: package.allowsInsecure,
            skipsKnownFile: true
        )
        let from = package.isRemote ? package.from : beside(package.from)
        switch try await intake.run(from, name: package.name, password: trust) {
        case .installed(let report):
            // As 'load' says; both must be known to whoever was sent an older package.
            if report.youngerBefore != nil { Console.complain("note: \(report.line)") }
            return Line(name: package.name, action: report.isUpdate ? "updated" : "installed")
        case .unchanged(_, let hasNewSettings):
            return Line(name: package.name, action: hasNewSettings ? "changed" : "unchanged")
        }
    }

    /// A path that the file means, which is relative to it.
    private func beside(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    private func show(_ line: Line) {
        Console.print("\(Quantity.padded(line.action, 9)) \(PrintableText.quoted(line.name))")
        if let error = line.error { Console.complain("error: \(error)") }
    }

    private static func document(_ lines: [Line]) -> JSONValue {
        .object([
            ("changed", .bool(lines.contains { !["unchanged", "failed", "kept"].contains($0.action) })),
            (
                "packages",
                .array(
                    lines.map { line in
                        .object([
                            ("name", .string(line.name)), ("action", .string(line.action)),
                            ("error", line.error.map { .string($0) } ?? .null),
                        ])
                    }
                )
            ),
        ])
    }
}
