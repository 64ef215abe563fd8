import AFCCache
import AFCCaching
import AFCDelivery
import AFCText
import AFCURL
import ArgumentParser

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare everything in a store with what was loaded.",
        discussion: """
            Each body is read and compared with its SHA-256; nothing is changed. Exits with 1 if something is wrong; \
            'afcache cache repair' repairs it.

              afcache cache verify --cache cache
            """
    )

    @OptionGroup var cache: CacheOption

    @Flag(help: "Look at names and sizes only.")
    var quick = false

    @Flag(help: "One JSON object a finding.")
    var json = false

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let store = try cache.open(.readOnly)
        let report = try store.verify(isQuick: quick)
        for finding in report.findings { Console.print(json ? finding.json.serialized : finding.line) }
        if !json, report.findings.isEmpty {
            Console.print(
                "\(Quantity.count(report.packages, "package")), "
                    + (report.received > 0 ? "\(Quantity.count(report.received, "received response")), " : "")
                    + "\(Quantity.count(report.bodies, "body")), "
                    + "\(Quantity.bytes(report.bytes)): sound"
            )
        }
        Console.flush()
        if !report.findings.isEmpty { throw ExitStatus.findings.code }
    }
}

extension CacheFinding {
    var line: String { "\(PrintableText.quoted(path)): \(message) [\(kind.rawValue)]" }

    var json: JSONValue {
        .object([
            ("kind", .string(kind.rawValue)),
            ("path", .string(path)),
            ("package", package.map { .string($0) } ?? .null),
            ("url", url.map { .string($0) } ?? .null),
            ("message", .string(message)),
        ])
    }
}

struct CacheRepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Restore missing or damaged files in a store.",
        discussion: """
            Bodies are restored from other generations in the store and from the packages given (files or URLs), \
            indexes from their packages, and a lost or damaged catalogue from the packages in the store. A package \
            that isn't the one that was loaded restores nothing; load it instead. Damaged received responses are \
            removed. Exits with 1 if something is still wrong.

              afcache cache repair docs.zip --cache cache
              afcache cache repair https://packages.example/docs.zip --cache cache
            """
    )

    @Argument(help: "Packages that were loaded: files or URLs.", completion: .file(extensions: ["zip"]))
    var packages: [String] = []

    @OptionGroup var cache: CacheOption

    @Option(
        help: "A file whose first line is the password of encrypted packages. (default: AFCACHE_PASSWORD)",
        completion: .file()
    )
    var passwordFile: String?

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try OfflineCache(path: cache, access: .repairing)
        let password = try PasswordSource.given(file: passwordFile)
        var paths: [String] = []
        var arrived: [ArrivedPackage] = []
        defer { for package in arrived { package.discard() } }
        for package in packages {
            guard PackageIntake.isRemote(package) else {
                paths.append(package)
                continue
            }
            let found = try await Self.download(package, into: store.downloadFolder)
            arrived.append(found)
            paths.append(found.path)
        }
        let report = try await store.repair(from: paths, password: password, patience: waiting.patience(for: cache))
        for finding in report.remaining { Console.print("still wrong: \(finding.line)") }
        if packages.isEmpty { suggestSources(for: report, in: try store.packages(), cache: cache) }
        Console.print("\(report.repaired.count) repaired, \(report.remaining.count) remain")
        Console.flush()
        if !report.remaining.isEmpty { throw ExitStatus.findings.code }
    }

    private static func download(_ text: String, into folder: String) async throws -> ArrivedPackage {
        let url = try WebURL.argument(text)
        var options = PackageDownload.Options(userAgent: "afcache/\(AFCache.version)", now: Clock.now)
        // Only bytes with the digests of the loaded package are used, so the sender needn't be trusted.
        options.allowsInsecure = true
        defer { Console.endProgress() }
        let outcome = try await PackageDownload.fetch(url, into: folder, options: options) { count, total in
            Console.progress("\(url): \(Quantity.bytes(count))\(total.map { " of \(Quantity.bytes($0))" } ?? "")")
        }
        guard case .arrived(let package) = outcome else {
            throw DeliveryError(.protocolViolation, url, "the server sent 304 Not Modified to an unconditional request")
        }
        return package
    }

    /// Suggests the commands that download the packages that are still damaged.
    private func suggestSources(for report: RepairReport, in packages: [InstalledPackage], cache: String) {
        let damaged = Set(report.remaining.compactMap(\.package))
        for package in packages where damaged.contains(package.name) {
            guard let url = package.source.flatMap({ RemoteState(text: $0) })?.url else { continue }
            Console.complain("download it again with 'afcache cache repair \(url) --cache \(cache)'")
        }
    }
}
