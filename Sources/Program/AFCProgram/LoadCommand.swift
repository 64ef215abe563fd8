import AFCCache
import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFormat
import AFCProvisioning
import AFCText
import ArgumentParser

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load packages into a cache, each either completely or not at all.",
        discussion: """
            A package is checked first: its archive, its manifest, and the size, checksum and digest of each body. \
            It replaces a package of the same name in one step, so readers of the cache see either the old package or \
            the new one, never a mixture. The old one is kept for 'afcache cache rollback', and both share the bodies \
            that didn't change. Once the command has finished, a power cut doesn't undo it. If one of several packages \
            fails, the others are loaded nevertheless. With '--json', each has a line of its own.

            Given a URL, an interrupted download is resumed, and nothing is downloaded if the server has no newer \
            version.

              afcache load docs.zip --cache /var/lib/afcache
              afcache load library.zip tutorial.zip
              afcache load news-2026-11-21.zip --name news --pin --cache cache
              afcache load https://packages.example/docs.zip --require-signature --trust keys --cache cache
              afcache load --collection packages --host docs.example
            """
    )

    @Argument(help: "The packages to load: files or URLs.", completion: .file(extensions: ["zip"]))
    var packages: [String] = []

    @Option(
        help: ArgumentHelp(
            "Load the packages that have the hosts named by '--host' from this folder of 'afcache crawl publish'.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var collection: String?

    @Option(help: ArgumentHelp("A host whose package is loaded. Repeatable.", valueName: "host"))
    var host: [String] = []

    @OptionGroup var cache: CacheOption

    @OptionGroup var settings: PackageSettingsOptions

    @Flag(
        inversion: .prefixedNo,
        help: """
            When the cache is full, single pages of this package may be removed instead of the whole package. \
            (default: no, or the current value)
            """
    )
    var separable: Bool?

    @Option(help: ArgumentHelp("Refuse the package unless its file has this SHA-256 digest.", valueName: "digest"))
    var sha256: String?

    @Option(
        help: ArgumentHelp(
            """
            Refuse the package unless its contents have this digest, as 'lint --format json' and 'ls --json' print it. \
            Unlike '--sha256', it doesn't depend on how the package is compressed.
            """,
            valueName: "digest"
        )
    )
    var digest: String?

    @OptionGroup(title: "Download") var download: DownloadOptions

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup(title: "Trust") var age: AgeOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard collection == nil || packages.isEmpty else {
            throw ValidationError("'--collection' names the packages; load others by another command")
        }
        guard (collection == nil) == host.isEmpty else {
            throw ValidationError("'--collection' and '--host' belong together; name both")
        }
        guard collection != nil || !packages.isEmpty else { throw ValidationError("name a package to load") }
        for package in packages { try Self.requirePackage(package) }
        for (name, value) in [("--sha256", sha256), ("--digest", digest)] {
            if let value, value.utf8.count != 64 || !value.allSatisfy(\.isHexDigit) {
                let end = value.lowercased().hasPrefix("sha256:") ? ", without 'sha256:'" : ""
                throw ValidationError("'\(name)' must have 64 hexadecimal digits" + end)
            }
        }
        guard packages.count > 1 || collection != nil else { return }
        for (name, value) in [("--name", settings.name), ("--sha256", sha256), ("--digest", digest)] where value != nil
        {
            throw ValidationError("'\(name)' is for one package; load the others by another command")
        }
    }

    /// Throws a usage error if an argument can't be a package, before others are loaded.
    private static func requirePackage(_ argument: String) throws {
        let name = PrintableText.quoted(argument)
        let source = PackageSource.normalized(argument)
        guard !PackageSource.isRemote(source) else { return }
        if let scheme = source.firstRange(of: "://").map({ source[..<$0.lowerBound] }),
            !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && $0.isLetter })
        {
            throw ValidationError(
                "\(name): packages are not loaded by '\(scheme)'; write a file, or a URL with https, s3 or oci"
            )
        }
        if let rest = argument.hasPrefix("oci:") ? argument.dropFirst(4) : nil, !rest.hasPrefix("//") {
            let folder = PrintableText.quoted("oci-layout:" + rest)
            throw ValidationError(
                "\(name) names no package; for a folder write \(folder), for a registry oci://HOST/NAME:TAG"
            )
        }
        guard argument != "-" else {
            throw ValidationError("'load' doesn't read standard input; write the package to a file first")
        }
        if Path.isCache(argument) {
            throw ValidationError(
                "\(name) is a cache, not a package; write \(PrintableText.quoted("--cache " + argument))"
            )
        }
        if Path.isFolder(argument) {
            throw ValidationError(
                "\(name) is a folder, not a package; make one of it with "
                    + PrintableText.quoted("afcache pack --folder \(argument) -o NAME.zip")
            )
        }
        guard (try? OpenFile.kind(of: argument)) == nil else { return }
        if argument.hasPrefix("-") { throw ValidationError("there is no package \(name); options stand before '--'") }
        guard let host = argument.split(separator: "/").first, argument.contains("/"), !argument.hasPrefix("/"),
            host.wholeMatch(of: /[A-Za-z0-9.-]+:[0-9]+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+/) != nil,
            !Path.isFolder(String(host))
        else { return }
        let isLocal = host.hasPrefix("127.") || host.hasPrefix("localhost")
        throw ValidationError(
            "there is no file \(name); did you mean '\(isLocal ? "http" : "https")://\(PrintableText.escaped(argument))'?"
        )
    }

    func run() async throws {
        let cache = try self.cache.path()
        let packages = try collection.map { try PublishedCrawl(in: $0).paths(of: host) } ?? self.packages
        let sources = packages.map { PackageSource.normalized($0) }
        guard settings.name.map(PackageName.isValid) ?? true else {
            throw ValidationError(
                "a package's name must have 1 to 255 bytes and no control characters; choose one with '--name'"
            )
        }
        var options = InstallOptions()
        options.settings = settings.change
        options.settings.isSeparable = separable
        options.trust = try trust.policy()
        let servers = try download.servers(for: sources)
        options.sha256 = sha256?.lowercased()
        options.digest = digest?.lowercased()
        options.allowsOlder = age.allowOlder
        options.patience = waiting.patience(for: cache)
        let store = try DiskCache(path: cache, access: .readWrite)
        let context = IntakeContext(servers, password: trust, patience: options.patience)
        var intake = PackageIntake(store: store, options: options, context: context)
        var isLoaded = false
        var failure: (any Error)?
        for source in sources {
            do {
                let outcome = try await intake.run(source, name: settings.name)
                show(outcome)
                intake.options.refusedNames.insert(outcome.package.name)
                isLoaded = true
            } catch  where sources.count > 1 && !(error is CancellationError) && !(error is Stopped) {
                guard let sentence = Failure.outcome(of: error, arguments: Failure.arguments).message else {
                    throw error
                }
                if format.json {
                    let document = JSONValue.object([("from", .string(source)), ("error", .string(sentence))])
                    Console.print(document.serialized)
                }
                Console.flush()
                Console.complain("error: \(sentence)")
                failure = failure ?? error
            } catch {
                // The package's error is the one to report; a cache that stays empty does no harm.
                try? await store.discardIfUnused()
                throw error
            }
        }
        guard let failure else { return }
        if !isLoaded { try? await store.discardIfUnused() }
        Console.flush()
        // Each sentence is said already.
        throw isLoaded ? ExitStatus.incomplete.code : Failure.describe(failure)?.1.code ?? ExitStatus.incomplete.code
    }

    private func show(_ outcome: PackageIntake.Outcome) {
        switch outcome {
        case .installed(let report):
            if format.json {
                report.warn()
                return Console.print(report.json.serialized)
            }
            Console.print(report.line)
            if let words = report.signature.words { Console.print(words) }
            for left in report.evicted { Console.print("evicted \(left)") }
            report.warn()
        case .unchanged(let package, _):
            if format.json { return Console.print(package.json(isUnchanged: true).serialized) }
            let isRemote = package.origin?.location != nil
            Console.print(
                "unchanged \(PrintableText.quoted(package.name)): "
                    + (isRemote ? "the server has nothing newer" : "it is loaded already")
            )
        }
    }
}

extension InstallReport {
    /// The result of loading in words.
    var line: String {
        let size = Quantity.bytes(package.bodyBytes)
        let what = "\(Quantity.count(package.resources, "resource")), \(size)"
        let name = PrintableText.quoted(package.name)
        guard isUpdate else { return "loaded \(name): \(what)" }
        if isSame, youngerBefore == nil { return "loaded \(name) again: \(what); the contents are the same" }
        let bodies = "\(writtenBodies) new, \(sharedBodies) unchanged"
        guard let youngerBefore else { return "updated \(name): \(what); \(bodies)" }
        let created = package.created?.iso8601 ?? "at an unknown time"
        return "replaced \(name) with an older package, created \(created) and not \(youngerBefore.iso8601): "
            + "\(what); \(bodies)"
    }

    /// Says on standard error what didn't go as the limits of the cache want it, and what the user may not have wanted.
    func warn() {
        if !hostsBefore.isEmpty {
            let name = PrintableText.quoted(package.name)
            Console.complain(
                "warning: the package that \(name) replaced was one of other hosts: \(hostsBefore.joined(separator: ", ")); "
                    + "'afcache cache rollback \(PrintableText.escaped(package.name))\(Remedy.typedCache)' brings it back"
            )
        }
        if let created = package.created, created > Clock.now + 86_400 {
            Console.complain(
                "warning: \(PrintableText.quoted(package.name)) says that it was created at \(created.iso8601), and this machine's "
                    + "clock \(Clock.now.iso8601); packages that were created before don't take its place"
            )
        }
        guard let evictionFailure else { return }
        Console.complain("warning: received responses still exceed the cache's limits: \(evictionFailure)")
    }

    var json: JSONValue {
        var members = package.jsonMembers
        members.append(("unchanged", .bool(false)))
        members.append(("updated", .bool(isUpdate)))
        members.append(("older", .bool(youngerBefore != nil)))
        members.append(("writtenBodies", .number(String(writtenBodies))))
        members.append(("sharedBodies", .number(String(sharedBodies))))
        members.append(("evicted", .array(evicted.map { .string($0) })))
        return .object(members)
    }
}

extension InstalledPackage {
    var json: JSONValue { .object(jsonMembers) }

    fileprivate func json(isUnchanged: Bool) -> JSONValue {
        .object(jsonMembers + [("unchanged", .bool(isUnchanged)), ("updated", .bool(false))])
    }

    fileprivate var jsonMembers: [(String, JSONValue)] {
        [
            ("name", .string(name)),
            ("resources", .number(String(resources))),
            ("bodyBytes", .number(String(bodyBytes))),
            ("storedBytes", .number(String(storedBytes))),
            ("loaded", .string(loaded.iso8601)),
            ("created", created.map { .string($0.iso8601) } ?? .null),
            ("generator", generator.map { .string($0) } ?? .null),
            ("seeds", .array(seeds.map { .string($0) })),
        ] + settings.json + [
            ("versions", .array(versions.map { .string($0.iso8601) })),
            ("previousLoaded", previousLoaded.map { .string($0.iso8601) } ?? .null),
            ("source", origin.map { .string($0.text) } ?? .null),
            ("from", origin?.location.map { .string($0) } ?? .null),
            ("sha256", origin?.sha256.map { .string($0) } ?? .null),
            ("digest", origin?.digest.map { .string($0) } ?? .null),
            ("signers", .array(signers.map { .string($0) })),
        ]
    }
}
