import AFCCache
import AFCCaching
import AFCDelivery
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import ArgumentParser

/// Brings one package into a store, from a file or from a server.
struct PackageIntake {
    /// What became of it.
    enum Outcome {
        case installed(InstallReport)
        /// It was there already; its settings may have changed.
        case unchanged(InstalledPackage, hasNewSettings: Bool)
    }

    let store: OfflineCache
    var options: InstallOptions
    /// Whether http will do where anybody on the way could change the package.
    var allowsInsecure = false
    /// Whether a file is left alone that is the one that was loaded last.
    var skipsKnownFile = false

    /// Whether the text is a URL; what begins like one is none of a file's name.
    static func isRemote(_ from: String) -> Bool { from.hasPrefix("https://") || from.hasPrefix("http://") }

    func run(_ from: String, name: String, password: TrustOptions) async throws -> Outcome {
        try await Self.isRemote(from) ? fetch(from, name, password) : load(from, name, password)
    }

    private func load(_ path: String, _ name: String, _ password: TrustOptions) async throws -> Outcome {
        var options = options
        options.name = name
        Console.detail("reading \(PrintableText.quoted(path))")
        if skipsKnownFile {
            let digest = try PackageReader.fileDigest(path: path)
            options.source = "sha256:" + digest
            // What is loaded must be what was looked at.
            options.sha256 = options.sha256 ?? digest
            if let known = try sound(name), isTrusted(known), known.source == options.source, options.sha256 == digest {
                return try await keep(known)
            }
        }
        return .installed(try await install(path, options, password, shown: path))
    }

    private func fetch(_ from: String, _ name: String, _ password: TrustOptions) async throws -> Outcome {
        let url = try WebURL.argument(from)
        let known = try sound(name).flatMap { isTrusted($0) ? $0 : nil }
        var request = PackageDownload.Options(userAgent: "afcache/\(AFCache.version)", now: Clock.now)
        request.known = known?.source.flatMap { RemoteState(text: $0) }.flatMap { $0.url == url ? $0 : nil }
        request.sha256 = options.sha256
        request.allowsInsecure = allowsInsecure || options.trust.requiresSignature
        request.onWait = { Console.note("waiting for another process that gets \(PrintableText.quoted(from))") }
        Console.detail(known == nil ? "downloading \(url)" : "asking whether \(url) has changed")
        defer { Console.endProgress() }
        let outcome = try await PackageDownload.fetch(url, into: store.downloadFolder, options: request) {
            count,
            total in
            let all = total.map { " of \(Quantity.bytes($0))" } ?? ""
            Console.progress("\(url): \(Quantity.bytes(count))\(all)")
        }
        Console.endProgress()
        switch outcome {
        case .unchanged(let state):
            guard let known else {
                throw DeliveryError(.protocolViolation, url, "nothing is known of it, and nothing came")
            }
            return try await keep(known, source: state.text)
        case .arrived(let package):
            var options = options
            options.name = name
            options.source = package.state.text
            do {
                let report = try await install(package.path, options, password, shown: from)
                package.discard()
                return .installed(report)
            } catch let error as CacheError {
                // What is wrong with a package stays wrong; what is wrong with the disk may pass.
                if case .package(let code) = error.code, code != .inputOutput { package.discard() }
                throw error
            }
        }
    }

    /// Errors name where the package came from, not where it was kept meanwhile.
    private func install(
        _ path: String,
        _ options: InstallOptions,
        _ password: TrustOptions,
        shown: String
    ) async throws -> InstallReport {
        try await password.unlocking(shown) { key in
            var options = options
            options.password = key
            do {
                return try await store.install(path, options: options, now: Clock.now)
            } catch var error as CacheError {
                if error.subject == path { error.subject = shown }
                throw error
            }
        }
    }

    /// The package of a name, unless bodies or index are missing or damaged: that one is loaded again.
    private func sound(_ name: String) throws -> InstalledPackage? {
        guard let known = try store.packages().first(where: { $0.name == name }) else { return nil }
        guard let damage = try store.damage(of: name).first else { return known }
        Console.complain(
            "note: the package \(PrintableText.quoted(name)) is damaged and is loaded again: "
                + "\(PrintableText.quoted(damage.path)): \(damage.message)"
        )
        return nil
    }

    /// Whether what is there may stay: it was signed by a key that is trusted now, where that is asked for.
    ///
    /// A package that may not is got as if nothing were known of it, and then judged by all of its signatures.
    private func isTrusted(_ package: InstalledPackage) -> Bool {
        guard options.trust.requiresSignature else { return true }
        let trusted = Set(options.trust.trusted.map(\.id))
        return package.signers.contains { trusted.contains($0) }
    }

    private func keep(_ known: InstalledPackage, source: String? = nil) async throws -> Outcome {
        let hasNewSettings = known.settings.applying(options.settings) != known.settings
        guard hasNewSettings || (source != nil && source != known.source) else {
            return .unchanged(known, hasNewSettings: false)
        }
        let package = try await store.update(
            known.name,
            options.settings,
            source: source,
            patience: options.patience
        )
        return .unchanged(package, hasNewSettings: hasNewSettings)
    }
}
