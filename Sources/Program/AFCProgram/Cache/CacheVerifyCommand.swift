import AFCCache
import AFCCaching
import AFCDelivery
import AFCFiles
import AFCOrigin
import AFCPackageFormat
import AFCProvisioning
import AFCText
import AFCURL
import ArgumentParser

struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a cache for missing and damaged files.",
        discussion: """
            Each body is read and compared with its SHA-256; nothing is changed. If something is wrong, the exit code is \
            1; 'afcache cache repair' restores it.

              afcache cache verify --cache cache
            """
    )

    @OptionGroup var cache: CacheOption

    @Flag(help: "Check only names and sizes.")
    var quick = false

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let store = try cache.open(.readOnly)
        let report = try store.verify(isQuick: quick)
        for finding in report.findings { Console.print(format.json ? finding.json.serialized : finding.line) }
        if !format.json, report.findings.isEmpty {
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
        abstract: "Restore missing or damaged files in a cache.",
        discussion: """
            Bodies are restored from other versions in the cache and from the packages that you name, indexes from \
            those packages, and the catalogue from the packages in the cache. A package restores files only if it is \
            the one that was loaded; if you have a newer one, load it instead. Damaged received responses are removed. \
            If something is still wrong, the exit code is 1.

              afcache cache repair docs.zip --cache cache
              afcache cache repair https://packages.example/docs.zip --cache cache
            """
    )

    @Argument(help: "The packages that were loaded: files or URLs.", completion: .file(extensions: ["zip"]))
    var packages: [String] = []

    @OptionGroup var cache: CacheOption

    @Option(
        help: ArgumentHelp(
            """
            A file whose first line is the password of the encrypted packages. (default: AFCACHE_PASSWORD)
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var passwordFile: String?

    @OptionGroup var roots: TrustRootsOption

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try DiskCache(path: cache, access: .repairing)
        let password = try PasswordSource.given(file: passwordFile)
        let servers = try ServerTrust(OriginAccess(cacert: roots.cacert))
        // A cache without damage needs no package, and a path that was mistyped would go unnoticed.
        for package in packages where !PackageSource.isRemote(PackageSource.normalized(package)) {
            do throws(FileError) {
                _ = try OpenFile(reading: package)
            } catch {
                throw CacheError(.inputOutput, subject: package, message: error.message)
            }
        }
        var paths: [String] = []
        var arrived: [ArrivedPackage] = []
        defer { for package in arrived { package.discard() } }
        for package in packages.map(PackageSource.normalized) {
            guard PackageSource.isRemote(package) else {
                paths.append(package)
                continue
            }
            let found = try await Self.download(package, into: store.downloadFolder, from: servers)
            arrived.append(found)
            paths.append(found.path)
        }
        let report = try await store.repair(from: paths, password: password, patience: waiting.patience(for: cache))
        for finding in report.remaining { Console.print("still wrong: \(finding.line)") }
        suggestSources(for: report, in: try store.packages(), cache: cache)
        Console.print("\(report.repaired.count) repaired, \(report.remaining.count) remain")
        Console.flush()
        if !report.remaining.isEmpty { throw ExitStatus.findings.code }
    }

    private static func download(
        _ text: String,
        into folder: String,
        from servers: ServerTrust
    ) async throws -> ArrivedPackage {
        let url = try WebURL.argument(text)
        var options = PackageDownload.Options.ofProgram(for: url.shown)
        options.servers = servers
        // Only bytes with the digests of the loaded package are used, so the sender needn't be trusted.
        options.servers.allowsPlainHTTP = true
        defer { Console.endProgress() }
        let outcome = try await PackageDownload.fetch(url, into: folder, options: options) { count, total in
            Console.progress("\(url.shown): \(Quantity.bytes(count))\(total.map { " of \(Quantity.bytes($0))" } ?? "")")
        }
        guard case .arrived(let package) = outcome else {
            throw DeliveryError(.protocolViolation, url, "the server sent 304 Not Modified to an unconditional request")
        }
        return package
    }

    /// Suggests the commands that download the packages that are still damaged.
    private func suggestSources(for report: RepairReport, in packages: [InstalledPackage], cache: String) {
        let damaged = Set(report.remaining.compactMap(\.package))
        let cache = PrintableText.escaped(cache)
        for package in packages where damaged.contains(package.name) {
            let name = PrintableText.quoted(package.name)
            guard self.packages.isEmpty else {
                Console.complain(
                    "warning: \(name) is still damaged: none of the packages given is the one that was loaded"
                )
                continue
            }
            guard let location = package.source.flatMap({ RemoteState(text: $0) })?.location else {
                Console.complain(
                    "name the file from which \(name) was loaded: 'afcache cache repair FILE --cache \(cache)'; or load a newer "
                        + "one: 'afcache load FILE --cache \(cache)'"
                )
                continue
            }
            let rest = location.query == nil ? "" : "; write the whole URL, of which the query isn't kept"
            Console.complain("download it again with 'afcache cache repair \(location.shown) --cache \(cache)'\(rest)")
        }
    }
}
