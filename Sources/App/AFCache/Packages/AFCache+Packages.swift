internal import AFCCache
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCProvisioning
internal import AFCText
public import Foundation

extension AFCache {
    /// An installed package.
    public struct CachedPackage: Sendable, Equatable {
        /// The name under which it is installed.
        public let name: String
        /// The number of resources.
        public let resources: Int
        /// The size of all bodies in bytes.
        public let bytes: Int64
        /// The time of its installation.
        public let installed: Date
        /// The time when it was made; nil if it doesn't say.
        public let created: Date?
        /// True if it is never evicted.
        public let isPinned: Bool
        /// The priority among packages with the same URL.
        public let priority: Int
        /// The program's own texts about the package, by key; set with ``AFCache/AFCache/setPackageUserData(_:for:key:)``.
        public let userData: [String: String]

        init(_ package: InstalledPackage) {
            name = package.name
            resources = package.resources
            bytes = package.bodyBytes
            installed = Date(package.loaded)
            created = package.created.map { Date($0) }
            isPinned = package.settings.isPinned
            priority = package.settings.priority
            userData = package.settings.userData
        }
    }
}

extension Date {
    /// Creates the date of a second.
    init(_ time: Timestamp) { self.init(timeIntervalSince1970: TimeInterval(time.secondsSinceEpoch)) }
}

extension AFCache {
    /// Installs a package, completely or not at all, in place of one with the same name.
    ///
    /// The file may be a patch (docs/reference/patches.md) that fits what is installed.
    ///
    /// - Parameters:
    ///   - file: The file of the package or patch.
    ///   - name: The name in the cache; nil for the one that the package states, or else its file's without extension.
    ///     A patch replaces the package that it leads from.
    ///   - isPinned: True if the package is never evicted; nil for what an installed one has, else false.
    ///   - priority: The priority among packages with the same URL; nil for what an installed one has, else 0.
    ///   - allowsOlder: True to install a signed package even if it is older than the installed one. Anyone who can
    ///     replace a package can then bring back an old version with known defects.
    /// - Returns: The package.
    /// - Throws: ``Failure`` that names the defect; the cache is then unchanged.
    @discardableResult
    public func install(
        _ file: URL,
        name: String? = nil,
        isPinned: Bool? = nil,
        priority: Int? = nil,
        allowsOlder: Bool = false
    ) async throws -> CachedPackage {
        try await Failure.of {
            await ready()
            let options = installOptions(isPinned, priority, allowsOlder)
            let intake = PackageIntake(store: store, options: options, context: intakeContext())
            return try await noting { try await intake.run(file.path, name: name) }.package
        }
    }

    /// Returns the installed packages, sorted by name; blocks for a look at the catalogue.
    ///
    /// - Throws: ``Failure`` if the catalogue can't be read.
    public func packages() throws -> [CachedPackage] {
        try Failure.of { try store.packages().map { CachedPackage($0) } }
    }

    /// Removes a package.
    ///
    /// - Parameter name: Its name.
    /// - Throws: ``Failure`` if there is no such package.
    public func removePackage(_ name: String) async throws {
        try await Failure.of {
            _ = try await store.remove(name)
            forgetMemory()
            packageChanged.note(.removed(name: name))
        }
    }

    /// Returns to the package that the last installation under a name replaced.
    ///
    /// - Parameter name: Its name.
    /// - Returns: The package that is installed now.
    /// - Throws: ``Failure`` if there is no such package, or none before it.
    @discardableResult
    public func rollBackPackage(_ name: String) async throws -> CachedPackage {
        try await Failure.of {
            let package = CachedPackage(try await store.rollBack(name))
            forgetMemory()
            packageChanged.note(.rolledBack(package))
            return package
        }
    }

    /// Returns a text that the program keeps with a package; blocks for a look at the catalogue.
    ///
    /// - Parameters:
    ///   - name: The package's name.
    ///   - key: The text's key.
    /// - Returns: The text; nil if there is none, or no such package.
    /// - Throws: ``Failure`` if the catalogue can't be read.
    public func packageUserData(_ name: String, key: String) throws -> String? {
        try Failure.of {
            try packages().first { $0.name == name }?.userData[key]
        }
    }

    /// Keeps a text with a package until the package is removed; newer versions and restarts don't change it.
    ///
    /// - Parameters:
    ///   - text: The text; nil to remove it. All keys and texts of a package may have 16 KiB together, since every
    ///     reader of the cache reads them with the catalogue.
    ///   - name: The package's name.
    ///   - key: The text's key.
    /// - Throws: ``Failure`` if there is no such package, the texts are too large, or the catalogue can't be changed.
    public func setPackageUserData(_ text: String?, for name: String, key: String) async throws {
        try await Failure.of {
            var change = PackageSettings.Change()
            change.userData = [key: text]
            _ = try await store.update(name, change)
        }
    }
}

extension AFCache {
    /// Returns the keys that must have signed packages, from the lines of the settings.
    ///
    /// - Throws: `PublicKey.Malformation` if a line is not a public key.
    static func trust(_ configuration: Configuration) throws -> TrustPolicy {
        let lines = configuration.trustedPackageKeys
        guard !lines.isEmpty else { return TrustPolicy() }
        let keys = try PublicKey.list(Array(lines.joined(separator: "\n").utf8))
        return TrustPolicy(requiresSignature: true, trusted: keys)
    }
}
