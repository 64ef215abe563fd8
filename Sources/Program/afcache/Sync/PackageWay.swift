import AFCCache
import AFCCaching
import AFCChannel
import AFCDelivery
import AFCPackageFormat
import AFCSyncFile
import AFCURL

/// A package that a device should have, and the places that have it.
struct Wanted {
    /// A place of the package, or of a patch that leads to it.
    struct Place {
        /// A URL or a path.
        var from: String
        /// The number of bytes there; nil if it isn't known.
        var size: Int64?
    }

    var name: String
    var settings = PackageSettings()
    var sha256: String?
    var digest: String?
    var allowsOlder = false
    var allowsPlainHTTP = false
    /// The places of the package, in the order in which they are tried.
    var places: [Place] = []
    /// The places of patches, by the digest of the contents that they need.
    var patches: [String: [Place]] = [:]
    /// True if the digest alone says which version it is.
    var isFromChannel = false

    init(name: String) { self.name = name }

    /// Creates the package of a channel, whose signatures vouch for the digest and for the version.
    init(_ package: Channel.Package, _ release: Channel.Release, channel: String) {
        name = package.name
        settings = package.settings
        digest = release.digest
        allowsOlder = true
        allowsPlainHTTP = true
        isFromChannel = true
        places = release.urls.map { Place(from: Self.resolved($0, channel), size: release.size) }
        for patch in release.patches where patch.size < release.size {
            patches[patch.from, default: []] += patch.urls.map {
                Place(from: Self.resolved($0, channel), size: patch.size)
            }
        }
    }

    /// Returns a URL of a channel in full, or a path next to a channel that is a file.
    static func resolved(_ reference: String, _ channel: String) -> String {
        if PackageIntake.isRemote(channel) {
            // The channel was checked, so this fails only if the channel's own URL is wrong.
            guard let base = try? WebURL(channel), let url = try? WebURL(reference, base: base) else {
                return reference
            }
            return url.description
        }
        guard (try? WebURL(reference)) == nil else { return reference }
        let name = String(decoding: PercentDecoding.decode(reference.utf8), as: UTF8.self)
        guard !name.hasPrefix("/"), let slash = channel.lastIndex(of: "/") else { return name }
        return String(channel[...slash]) + name
    }
}

/// The way of wanted packages into a cache.
struct PackageWay {
    let store: OfflineCache
    let policy: TrustPolicy
    let servers: ServerTrust
    let patience: WriterPatience
    let password: TrustOptions

    /// Loads a package, unless it is loaded already.
    ///
    /// Of a channel's package, patches are tried first, and then one place after the other.
    ///
    /// - Parameter wanted: The package.
    /// - Returns: What was done: `installed`, `updated`, `changed` or `unchanged`.
    /// - Throws: The error of the last place.
    func bring(_ wanted: Wanted) async throws -> String {
        var options = InstallOptions()
        options.settings = PackageSettings.Change(to: wanted.settings)
        options.sha256 = wanted.sha256
        options.digest = wanted.digest
        options.allowsOlder = wanted.allowsOlder
        options.trust = policy
        options.patience = patience
        var servers = servers
        servers.allowsPlainHTTP = servers.allowsPlainHTTP || wanted.allowsPlainHTTP
        var intake = PackageIntake(store: store, options: options, servers: servers, skipsKnownFile: true)
        var places = wanted.places
        if wanted.isFromChannel, let loaded = try intake.loadedDigest(wanted.name) {
            if loaded == wanted.digest, let outcome = try await intake.keep(wanted.name) { return action(outcome) }
            places = (wanted.patches[loaded] ?? []) + places
        }
        for (index, place) in places.enumerated() {
            do {
                intake.maxBytes = place.size
                return action(try await intake.run(place.from, name: wanted.name, password: password))
            } catch {
                guard index + 1 < places.count, let (message, status) = Failure.describe(error),
                    Self.isOf(place, status)
                else { throw error }
                Console.complain("warning: \(message); trying the next place")
            }
        }
        preconditionFailure("a wanted package has a place")
    }

    /// Returns true if another place may not have the same problem, as it would on a full disk.
    private static func isOf(_ place: Wanted.Place, _ status: ExitStatus) -> Bool {
        switch status {
        case .missing, .invalidPackage, .untrusted, .undelivered: true
        case .inputOutput: !PackageIntake.isRemote(place.from)
        default: false
        }
    }

    private func action(_ outcome: PackageIntake.Outcome) -> String {
        switch outcome {
        case .installed(let report):
            // 'load' prints the same; users must learn that they were sent an older package.
            if report.youngerBefore != nil { Console.complain("warning: \(report.line)") }
            return report.isUpdate ? "updated" : "installed"
        case .unchanged(_, let hasNewSettings): return hasNewSettings ? "changed" : "unchanged"
        }
    }
}
