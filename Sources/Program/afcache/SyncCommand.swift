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
        abstract: "Load the packages listed in a file, unless they are already loaded.",
        discussion: """
            Use it to provision devices, for example from cron: a second run changes nothing. If a package fails, the \
            others are still loaded, the failed one stays as it was, no package is removed, and the exit code is 5. \
            share/doc/afcache/delivery.md describes the file.

              afcache sync /etc/afcache.yaml
              afcache sync packages.yaml --cache cache --json
            """
    )

    @Argument(help: "The sync file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The folder of the cache. (default: the one named in the file, or else \(CacheFolder.variable))",
            valueName: "dir"
        ),
        completion: .directory
    )
    var cache: String?

    @OptionGroup(title: "Download") var download: DownloadOptions

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup(title: "Trust") var age: AgeOption

    @OptionGroup var waiting: WaitOptions

    @Flag(help: "Print what was done as JSON (one document).")
    var json = false

    /// The result for one package.
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
                "no cache is named; use '--cache', add 'cache:' to the file, or set \(CacheFolder.variable)"
            )
        }
        let policy = try policy(plan)
        let servers = try download.servers(orElse: plan.trustRoots.map(beside))
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
                line = try await bring(package, to: store, policy, servers, patience)
            } catch {
                // An error of the cache itself affects every package.
                guard let (message, status) = Failure.describe(error), status != .badCache else { throw error }
                line = Line(name: package.name, action: "failed", error: message)
            }
            lines.append(line)
            if !json { show(line) }
        }
        // A package that isn't listed may be the one that a failed package was to replace.
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
        _ servers: ServerTrust,
        _ patience: WriterPatience
    ) async throws -> Line {
        var options = InstallOptions()
        options.settings = PackageSettings.Change(to: package.settings)
        options.sha256 = package.sha256
        options.digest = package.digest
        options.allowsOlder = age.allowOlder || package.allowsOlder
        options.trust = policy
        options.patience = patience
        var servers = servers
        servers.allowsPlainHTTP = servers.allowsPlainHTTP || package.allowsPlainHTTP
        let intake = PackageIntake(store: store, options: options, servers: servers, skipsKnownFile: true)
        let from = package.isRemote ? package.from : beside(package.from)
        switch try await intake.run(from, name: package.name, password: trust) {
        case .installed(let report):
            // 'load' prints the same; users must learn that they were sent an older package.
            if report.youngerBefore != nil { Console.complain("warning: \(report.line)") }
            return Line(name: package.name, action: report.isUpdate ? "updated" : "installed")
        case .unchanged(_, let hasNewSettings):
            return Line(name: package.name, action: hasNewSettings ? "changed" : "unchanged")
        }
    }

    /// Returns a path in the sync file, which is relative to that file.
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
