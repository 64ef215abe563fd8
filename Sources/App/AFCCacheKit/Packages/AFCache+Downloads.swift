internal import AFCCache
internal import AFCDelivery
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
public import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The settings for installing a package from a server.
public struct PackageDownloadOptions: Sendable {
    /// The name in the cache; nil for the last part of the URL's path without its extension.
    public var name: String?
    /// True if the package is never evicted; nil for what an installed one has, else false.
    public var isPinned: Bool?
    /// The priority among packages with the same URL; nil for what an installed one has, else 0.
    public var priority: Int?
    /// The SHA-256 that the package's file must have, in hexadecimal digits; nil for any.
    public var sha256: String?
    /// The digest that the package's contents must have, in hexadecimal digits, whatever their compression; nil for any.
    public var digest: String?
    /// True to install a signed package even if it is older than the installed one.
    ///
    /// Anyone who can replace a package can then bring back an old version with known defects.
    public var allowsOlder = false
    /// True to allow plain http from any host; anyone on the network path can then alter the package.
    public var allowsPlainHTTP = false

    /// Creates settings with the defaults.
    public init() {}
}

/// The result of asking a server for a package.
public enum PackageUpdate: Sendable, Equatable {
    /// The package is new in the cache.
    case installed(CachedPackage)
    /// Another version replaced the installed one.
    case updated(CachedPackage)
    /// The server has no other version, so nothing was installed.
    case unchanged(CachedPackage)

    /// The package that is installed now.
    public var package: CachedPackage {
        switch self {
        case .installed(let package), .updated(let package), .unchanged(let package): package
        }
    }
}

extension AFCache {
    /// Downloads a package and installs it, completely or not at all; nothing is downloaded if the server has no other
    /// version than the installed one.
    ///
    /// An interrupted download is resumed by the next call, also after a restart. The file is compared with the digests
    /// that the server or the options state. See docs/delivery.md.
    ///
    /// - Parameters:
    ///   - url: The package's URL: https, or http on this machine or in its private network.
    ///   - options: The settings.
    ///   - progress: A closure called from time to time while the package arrives; nil for none.
    /// - Returns: The package, and what happened.
    /// - Throws: `URLError` with `notConnectedToInternet` in offline mode; an error that names the URL and the defect;
    ///   `CancellationError` if the task is cancelled. The cache is then unchanged.
    @discardableResult
    public func installPackage(
        from url: URL,
        options: PackageDownloadOptions = PackageDownloadOptions(),
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> PackageUpdate {
        guard !isOffline else { throw URLError(.notConnectedToInternet, failing: url) }
        await ready()
        let name = options.name ?? url.deletingPathExtension().lastPathComponent
        let address = try WebURL(url)
        let known = try await blocking { cache in
            try cache.store.packages().first { $0.name == name }.flatMap {
                try cache.isTrusted($0) && cache.store.damage(of: name).isEmpty ? $0 : nil
            }
        }
        var download = PackageDownload.Options(userAgent: "AFCCacheKit", now: now)
        let digest = options.digest?.lowercased()
        let state = known?.source.flatMap { RemoteState(text: $0) }
        download.known = state.flatMap { $0.url == address && (digest ?? $0.digest) == $0.digest ? $0 : nil }
        download.sha256 = options.sha256?.lowercased()
        download.digest = digest
        // A signature proves who made the package.
        download.allowsPlainHTTP = options.allowsPlainHTTP || trust.requiresSignature
        download.trustRoots = configuration.certificates?.path
        download.verifiesCertificates = configuration.verifiesCertificates
        let store = store
        if try await blocking({ cache in try cache.store.packages().contains { $0.name == name } }) {
            download.heldMembers = { package in try store.heldMembers(of: package, replacing: name) }
        }
        var settings = PackageSettings.Change()
        (settings.isPinned, settings.priority) = (options.isPinned, options.priority)
        let outcome: PackageDownload.Delivery<PackageUpdate>
        do {
            outcome = try await PackageDownload.deliver(address, into: store.downloadFolder, options: download) {
                progress?(LoadProgress(received: $0, expected: $1))
            } isCuredByWholePackage: {
                ($0 as? CacheError)?.code.isCuredByWholePackage ?? false
            } load: { arrived in
                try await install(arrived, as: name, from: url, settings, options)
            }
        } catch let error as DeliveryError where error.code == .cancelled {
            throw CancellationError()
        }
        switch outcome {
        case .unchanged(let state):
            guard let known else { throw URLError(.badServerResponse, failing: url) }
            guard known.settings.applying(settings) != known.settings || known.source != state.text else {
                return .unchanged(CachedPackage(known))
            }
            return .unchanged(CachedPackage(try await store.update(name, settings, source: state.text)))
        case .loaded(let update): return update
        }
    }

    /// Replaces a package by the current version at the URL from which it was installed; does nothing if that is the
    /// same.
    ///
    /// - Parameters:
    ///   - name: The package's name.
    ///   - progress: A closure called from time to time while the package arrives; nil for none.
    /// - Returns: The package, and what happened.
    /// - Throws: As ``installPackage(from:options:progress:)``; `URLError` with `unsupportedURL` if the package wasn't
    ///   installed from a URL.
    @discardableResult
    public func updatePackage(
        _ name: String,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> PackageUpdate {
        let known = try await blocking { cache in try cache.store.packages().first { $0.name == name } }
        guard let state = known?.source.flatMap({ RemoteState(text: $0) }) else {
            let reason = "no package '\(name)' was installed from a URL"
            throw URLError(.unsupportedURL, failing: nil, reason: reason)
        }
        var options = PackageDownloadOptions()
        options.name = name
        // The user who installed it has allowed its URL.
        options.allowsPlainHTTP = state.url.scheme == "http"
        return try await installPackage(from: URL(state.url), options: options, progress: progress)
    }

    private func install(
        _ arrived: ArrivedPackage,
        as name: String,
        from url: URL,
        _ settings: PackageSettings.Change,
        _ options: PackageDownloadOptions
    ) async throws -> PackageUpdate {
        var install = InstallOptions()
        install.name = name
        install.settings = settings
        install.trust = trust
        install.allowsOlder = options.allowsOlder
        install.digest = options.digest?.lowercased()
        var state = arrived.state
        state.digest = install.digest
        install.source = state.text
        install.held = arrived.lacking
        do throws(CacheError) {
            let report = try await store.install(arrived.path, options: install, now: now)
            forgetMemory()
            let package = CachedPackage(report.package)
            packageChanged.note(report.isUpdate ? .updated(package) : .installed(package))
            return report.isUpdate ? .updated(package) : .installed(package)
        } catch {
            var error = error
            // Errors of the package are permanent; errors of the disk may be temporary.
            switch error.code {
            case .package(.inputOutput): break
            case .package, .olderPackage, .bodyMissing: arrived.discard()
            default: break
            }
            if error.subject == arrived.path { error.subject = url.absoluteString }
            throw error
        }
    }
}
