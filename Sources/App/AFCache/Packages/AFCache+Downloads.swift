internal import AFCCache
internal import AFCDelivery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCProvisioning
internal import AFCText
internal import AFCURL
public import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension AFCache {
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
}

extension AFCache {
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
}

extension AFCache {
    /// Downloads a package and installs it, completely or not at all; nothing is downloaded if the server has no other
    /// version than the installed one.
    ///
    /// An interrupted download is resumed by the next call, also after a restart. The file is compared with the digests
    /// that the server or the options state. The URL may name a patch that fits what is installed. See
    /// docs/reference/delivery.md.
    ///
    /// - Parameters:
    ///   - url: The package's URL: https, or http on this machine or in its private network.
    ///   - options: The settings.
    ///   - progress: A closure called from time to time while the package arrives; nil for none.
    /// - Returns: The package, and what happened.
    /// - Throws: ``Failure`` with the code `offline` in offline mode, else one that names the URL and the defect;
    ///   `CancellationError` if the task is cancelled. The cache is then unchanged.
    @discardableResult
    public func installPackage(
        from url: URL,
        options: PackageDownloadOptions = PackageDownloadOptions(),
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> PackageUpdate {
        try await Failure.of {
            try requireRequestable(url)
            await ready()
            var install = installOptions(options.isPinned, options.priority, options.allowsOlder)
            install.sha256 = options.sha256?.lowercased()
            install.digest = options.digest?.lowercased()
            var context = intakeContext(progress)
            context.servers.allowsPlainHTTP = options.allowsPlainHTTP
            let intake = PackageIntake(store: store, options: install, context: context)
            return try await noting { try await intake.run(WebURL(url).description, name: options.name) }
        }
    }

    /// Replaces a package by the current version at the URL from which it was installed; does nothing if that is the
    /// same.
    ///
    /// - Parameters:
    ///   - name: The package's name.
    ///   - progress: A closure called from time to time while the package arrives; nil for none.
    /// - Returns: The package, and what happened.
    /// - Throws: As ``installPackage(from:options:progress:)``; ``Failure`` with the code `noPackage` if there is none with
    ///   the name, and `badURL` if it wasn't installed from a URL, or from one with a query, which isn't kept.
    @discardableResult
    public func updatePackage(
        _ name: String,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> PackageUpdate {
        try await Failure.of {
            let known = try await blocking { cache in try cache.store.packages().first { $0.name == name } }
            guard let known else {
                let message = "the cache has no package with this name; 'packages()' lists them"
                throw CacheError(.noPackage, subject: PrintableText.quoted(name), message: message)
            }
            guard let state = known.source.flatMap({ RemoteState(text: $0) }) else {
                let reason = "the package '\(name)' wasn't installed from a URL; install it from one once"
                throw URLError(.unsupportedURL, failing: nil, reason: reason)
            }
            guard state.location.query == nil else {
                let reason =
                    "'\(name)' was installed from '\(state.location.shown)', and a query isn't kept, since it may have a "
                    + "token; install the package from the whole URL"
                throw URLError(.unsupportedURL, failing: nil, reason: reason)
            }
            var options = PackageDownloadOptions()
            options.name = name
            // The user who installed it has allowed its URL.
            options.allowsPlainHTTP = state.location.url.scheme == "http"
            return try await installPackage(from: URL(state.location.url), options: options, progress: progress)
        }
    }

    /// Throws unless the app allows requests, and the URL is one of http or https.
    func requireRequestable(_ url: URL) throws {
        guard !isOffline else { throw URLError(.notConnectedToInternet, failing: url) }
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw URLError(.unsupportedURL, failing: url)
        }
    }

    /// Returns what this cache gives to the way of packages into it.
    func intakeContext(_ progress: (@Sendable (LoadProgress) -> Void)? = nil) -> IntakeContext {
        let clock = configuration.now
        var context = IntakeContext(userAgent: "AFCache") { Timestamp(clock()) }
        context.servers.access = configuration.access
        if let progress {
            context.onEvent = { event in
                guard case .received(_, let count, let total) = event else { return }
                progress(LoadProgress(received: count, expected: total))
            }
        }
        return context
    }

    /// Returns the options for a package with its settings, and the trust that the cache's settings demand.
    func installOptions(_ isPinned: Bool?, _ priority: Int?, _ allowsOlder: Bool) -> InstallOptions {
        var options = InstallOptions()
        (options.settings.isPinned, options.settings.priority) = (isPinned, priority)
        options.trust = trust
        options.allowsOlder = allowsOlder
        return options
    }

    /// Brings a package into the cache, reports the change, and forgets what it may have changed.
    func noting(_ work: () async throws -> PackageIntake.Outcome) async throws -> PackageUpdate {
        let outcome: PackageIntake.Outcome
        do {
            outcome = try await work()
        } catch let error as DeliveryError where error.code == .cancelled {
            throw CancellationError()
        }
        switch outcome {
        case .installed(let report):
            forgetMemory()
            let package = CachedPackage(report.package)
            packageChanged.note(report.isUpdate ? .updated(package) : .installed(package))
            return report.isUpdate ? .updated(package) : .installed(package)
        case .unchanged(let package, let hasNewSettings):
            // Another priority may let another package answer.
            if hasNewSettings { forgetMemory() }
            return .unchanged(CachedPackage(package))
        }
    }
}
