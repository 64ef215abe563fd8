internal import AFCCache
internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCExport
internal import AFCFiles
internal import AFCHTTP
public import AFCLinter
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCPackager
internal import AFCText
internal import AFCTime
internal import AFCURL
internal import AFCZip
public import Foundation

/// Packages as files: packed, signed, checked, loaded and exported by one call each.
///
/// The engines below have all settings: `AFCPackager`, `AFCLinter`, `AFCCache`. See docs/reference/library.md.
public enum Package {
    private static let generator =
        CrawlOptions.defaultUserAgent.split(separator: " ").first.map(String.init) ?? "afcache"

    /// Crawls sites, and packs what was fetched.
    ///
    /// - Parameters:
    ///   - urls: The URLs to start from.
    ///   - file: The package's file; an existing package of the same site is replaced once the new one is complete.
    ///   - change: A closure that changes the settings.
    /// - Returns: What is in the package, and what failed.
    /// - Throws: An error that names the URL or the file if nothing was fetched, or the package can't be written;
    ///   `CancellationError` if the task is cancelled. The file is then unchanged.
    @discardableResult
    public static func pack(
        _ urls: [URL],
        to file: URL,
        _ change: (inout CrawlSettings) -> Void = { _ in }
    ) async throws -> PackReport {
        var settings = CrawlSettings()
        change(&settings)
        let output = try output(file, name: settings.name, keys: settings.keys, overwrites: settings.overwrites)
        let crawl = settings.options(try urls.map { try webURL($0) }, to: output.path)
        let (summary, report) = try await Packaging.pack(crawl, to: output)
        let failures = report.failures.compactMap { failure in
            URL(string: failure.url.description).map { PackReport.Failure(url: $0, reason: failure.reason.description) }
        }
        guard let summary else {
            let reason = failures.first.map { "; \($0)" } ?? ""
            throw PackagingError(
                .nothing,
                subject: file.path,
                message: "nothing was fetched, so there is no package\(reason)"
            )
        }
        return PackReport(summary, failures)
    }

    /// Packs the files of a folder, such as one that a site generator has made.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - base: The URL of its contents, to which the files' paths are appended.
    ///   - file: The package's file; an existing package of the same site is replaced once the new one is complete.
    ///   - name: The name of the package; nil for one that the URL suggests.
    ///   - keys: The files of the private keys that sign the package.
    /// - Returns: What is in the package.
    /// - Throws: An error that names the file if the folder can't be read, or the package can't be written;
    ///   `CancellationError` if the task is cancelled. The file is then unchanged.
    @discardableResult
    public static func pack(
        folder: URL,
        as base: URL,
        to file: URL,
        name: String? = nil,
        keys: [URL] = []
    ) async throws -> PackReport {
        let output = try output(file, name: name, keys: keys)
        var options = FolderOptions(folder: folder.path, baseURL: try webURL(base), now: output.created)
        options.output = output.path
        return PackReport(try await Packaging.pack(options, to: output).summary)
    }

    /// Signs a package, in place of signatures that it has.
    ///
    /// - Parameters:
    ///   - file: The package, which is replaced once the new one is complete.
    ///   - keys: The files of the private keys.
    /// - Throws: An error that names the file if a key or the package can't be used; the package is then unchanged.
    public static func sign(_ file: URL, with keys: [URL]) async throws {
        let signers = try keys.map { try signingKey($0) }
        guard !signers.isEmpty else {
            throw PackagingError(.badOption, subject: file.path, message: "there is no key to sign with; name one")
        }
        let salvage = try await OffPool.run { () throws(PackageError) in try PackageSalvage(path: file.path) }
        if let lost = salvage.leftOut.first(where: { $0.kind != .signature }) {
            throw PackageError(
                .invalidPackage(rule: "package.damaged"),
                subject: file.path,
                message:
                    "\(PrintableText.quoted(lost.subject)) \(lost.reason); make the package again, and sign it then"
            )
        }
        var options = PackageWriter.Options(created: .now, generator: generator)
        options.signed = options.created
        options.signers = signers
        options.adopt(salvage)
        _ = try await PackageWriter.write(salvage.resources, to: file.path, options: options)
    }

    /// Checks a package or a manifest against all rules.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - keys: The files of the public keys of which one must have signed it; empty if it needs no signature.
    /// - Returns: The findings, in the order of the file; the severity of each says if the package can be loaded.
    /// - Throws: An error that names a key that can't be used.
    public static func lint(_ file: URL, trusting keys: [URL] = []) async throws -> [Finding] {
        var options = Linter.Options(now: .now)
        options.trust = try trust(keys)
        let settings = options
        return await OffPool.run { Linter.lint(file.path, options: settings).findings }
    }

    /// Loads a package into a cache, completely or not at all.
    ///
    /// - Parameters:
    ///   - file: The package.
    ///   - cache: The cache's folder, which is made if it doesn't exist.
    ///   - name: The name in the cache; nil for the one that the package states, or else its file's.
    ///   - keys: The files of the public keys of which one must have signed it; empty if it needs no signature.
    /// - Returns: The number of resources.
    /// - Throws: An error that names the defect; the cache is then unchanged.
    @discardableResult
    public static func load(
        _ file: URL,
        into cache: URL,
        name: String? = nil,
        trusting keys: [URL] = []
    ) async throws -> Int {
        var options = InstallOptions()
        options.name = name
        options.trust = try trust(keys)
        let store = try await OffPool.run { () throws(CacheError) in try DiskCache(path: cache.path, access: .readWrite)
        }
        let report = try await store.install(file.path, options: options, now: .now)
        try await OffPool.run { () throws(CacheError) in try store.close() }
        return report.package.resources
    }

    /// Writes a package in a form that any browser opens without a server.
    ///
    /// - Parameters:
    ///   - file: The package.
    ///   - target: A folder, or an HTML file if its name ends so.
    /// - Throws: An error that names the file if the package is damaged, or the target has other files or can't be
    ///   written.
    public static func export(_ file: URL, to target: URL) async throws {
        let isFile = ["html", "htm"].contains(target.pathExtension.lowercased())
        try await OffPool.run {
            let packages = [try PackageReader(path: file.path)]
            try packages[0].requireLoadable()
            var export = try SiteExport(packages, scripts: .auto, now: .now)
            if isFile {
                _ = try export.write(to: FileOutput(target.path, maxBytes: 200_000_000))
            } else {
                _ = try export.write(to: FolderOutput(target.path, export.plan, of: packages))
            }
        }
    }

    // MARK: Files and URLs

    private static func output(
        _ file: URL,
        name: String?,
        keys: [URL],
        overwrites: Bool = false
    ) throws -> Packaging.Output {
        var output = Packaging.Output(path: file.path, created: .now, generator: generator)
        output.name = name
        output.signers = try keys.map { try signingKey($0) }
        output.overwrites = overwrites
        return output
    }

    private static func webURL(_ url: URL) throws -> WebURL {
        do throws(WebURL.ParseError) {
            return try WebURL(url.absoluteString)
        } catch {
            throw PackagingError(.badOption, subject: url.absoluteString, message: "this is not a URL: \(error)")
        }
    }

    private static func signingKey(_ file: URL) throws -> SigningKey {
        let text = try contents(file)
        do throws(SigningKey.Malformation) {
            return try SigningKey(file: text)
        } catch {
            throw PackagingError(.badOption, subject: file.path, message: "the key can't be used: \(error)")
        }
    }

    private static func contents(_ file: URL) throws -> [UInt8] {
        do throws(FileError) {
            return try OpenFile(reading: file.path).contents(upTo: keyLimit)
        } catch {
            throw PackagingError(.badOption, subject: file.path, message: "the key can't be read: \(error.message)")
        }
    }

    /// The largest file of keys, in bytes.
    private static let keyLimit = 1 << 20

    private static func trust(_ keys: [URL]) throws -> TrustPolicy {
        guard !keys.isEmpty else { return TrustPolicy() }
        var trusted: [PublicKey] = []
        for file in keys {
            let text = try contents(file)
            do throws(PublicKey.Malformation) {
                trusted += try PublicKey.list(text)
            } catch {
                throw PackagingError(.badOption, subject: file.path, message: "the key can't be used: \(error)")
            }
        }
        return TrustPolicy(requiresSignature: true, trusted: trusted)
    }
}
