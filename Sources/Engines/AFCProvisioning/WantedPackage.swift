public import AFCCache
public import AFCChannel
internal import AFCDelivery
internal import AFCDelta
internal import AFCPackageFile
public import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// A package that a device should have, and the places that have it.
public struct WantedPackage: Sendable {
    /// A place of the package, or of a patch that leads to it.
    struct Place: Sendable {
        /// A URL or a path.
        var from: String
        /// The number of bytes there; nil if it isn't known.
        var size: Int64?
    }

    /// The name in the cache; nil for the one that the package states, or that of its file.
    public let name: String?
    /// Names that the package must not state, since other packages have them.
    public var refusedNames: Set<String> = []
    /// The settings in the cache.
    public var settings = PackageSettings()
    /// The SHA-256 that the package's file must have; nil for any.
    public var sha256: String?
    /// The digest that the package's contents must have; nil for any.
    public var digest: String?
    /// True if a signed package may be older than the loaded one.
    public var allowsOlder = false
    /// True if it may come over plain HTTP.
    public var allowsPlainHTTP = false
    /// The places of the package, in the order in which they are tried.
    var places: [Place]
    /// The places of patches, by the digest of the contents that they need.
    var patches: [String: [Place]] = [:]
    /// The source to name in messages if the package has no name yet.
    public var source: String { places.first?.from ?? "" }
    /// True if the digest alone says which version it is.
    var isFromChannel = false

    /// Creates a package that has one place.
    ///
    /// - Parameters:
    ///   - name: The name in the cache, or nil.
    ///   - from: The URL, the artifact's name, or the path.
    public init(name: String?, from: String) {
        self.name = name
        places = [Place(from: from)]
    }

    /// Creates the package of a channel, whose signatures vouch for the digest and for the version.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - release: The release of it that this device should have.
    ///   - channel: The channel's URL or path, on which the places are based.
    public init(_ package: Channel.Package, _ release: Channel.Release, channel: String) {
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
        if PackageSource.isRemote(channel) {
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

extension DiskCache {
    /// Loads a package, unless it is loaded already.
    ///
    /// Of a channel's package, patches are tried first, and then one place after the other.
    ///
    /// - Parameters:
    ///   - wanted: The package.
    ///   - trust: The signatures that packages must have.
    ///   - patience: The waiting time for another writer.
    ///   - context: What the program gives.
    /// - Returns: What was done.
    /// - Throws: The error of the last place.
    public func bring(
        _ wanted: WantedPackage,
        trust: TrustPolicy,
        patience: WriterPatience = WriterPatience(),
        context: IntakeContext
    ) async throws -> PackageIntake.Outcome {
        var options = InstallOptions()
        options.settings = PackageSettings.Change(to: wanted.settings)
        options.sha256 = wanted.sha256
        options.digest = wanted.digest
        options.allowsOlder = wanted.allowsOlder
        options.refusedNames = wanted.refusedNames
        options.trust = trust
        options.patience = patience
        var context = context
        context.servers.allowsPlainHTTP = context.servers.allowsPlainHTTP || wanted.allowsPlainHTTP
        var intake = PackageIntake(store: self, options: options, context: context)
        intake.skipsKnownFile = true
        var places = wanted.places
        if wanted.isFromChannel, let name = wanted.name, let loaded = try await intake.loadedDigest(name) {
            if loaded == wanted.digest, let outcome = try await intake.keep(name) { return outcome }
            places = (wanted.patches[loaded] ?? []) + places
        }
        for (index, place) in places.enumerated() {
            do {
                intake.maxBytes = place.size
                intake.hasOtherPlaces = index + 1 < places.count
                return try await intake.run(place.from, name: wanted.name)
            } catch {
                guard index + 1 < places.count, place.isToBlame(for: error) else { throw error }
                context.onEvent(.nextPlace(after: error))
            }
        }
        preconditionFailure("a wanted package has a place")
    }
}

extension WantedPackage.Place {
    /// Returns true if another place may not have the same problem, as it would on a full disk.
    fileprivate func isToBlame(for error: any Error) -> Bool {
        func isOfPackage(_ code: PackageError.Code) -> Bool {
            switch code {
            case .invalidArchive, .invalidPackage, .untrusted: true
            // Of a path, it is the file; of a URL, the downloads.
            case .inputOutput: !PackageSource.isRemote(from)
            case .locked, .unwritable, .cancelled: false
            }
        }
        switch error {
        case let error as PackageError: return isOfPackage(error.code)
        case let error as CacheError:
            switch error.code {
            case .package(let code): return isOfPackage(code)
            case .inputOutput: return isOfPackage(.inputOutput)
            case .olderPackage: return true
            default: return false
            }
        case let error as PatchError:
            switch error.code {
            case .package(let code): return isOfPackage(code)
            case .invalid, .misfit: return true
            case .unsuitable, .cancelled: return false
            }
        case let error as DeliveryError:
            switch error.code {
            case .refusedRedirect, .status, .connection, .timeout, .protocolViolation, .tooLarge, .digest: return true
            case .inputOutput: return isOfPackage(.inputOutput)
            case .badURL, .busy, .cancelled: return false
            }
        default: return false
        }
    }
}
