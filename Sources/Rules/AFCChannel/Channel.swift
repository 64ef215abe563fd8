public import AFCHTTP
public import AFCPackageFormat

/// The packages that a fleet of devices should have, according to their publisher; see docs/reference/channels.md.
public struct Channel: Sendable, Equatable {
    /// The highest version; JSON programs elsewhere read whole numbers exactly up to here.
    public static let highestVersion: Int64 = 1 << 53

    /// The name, which no other channel of the same publisher has.
    public var name: String
    /// The version, which grows with each signing; 0 before the first one.
    public var version: Int64 = 0
    /// When it was signed; nil before the first signing.
    public var created: Timestamp?
    /// When it expires; nil before the first signing.
    public var expires: Timestamp?
    /// The number of keys that must sign.
    public var threshold: Int
    /// The keys that may sign this version and the next one.
    public var keys: [PublicKey]
    /// The packages, with distinct names.
    public var packages: [Package] = []

    /// Creates a channel without packages.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - keys: The keys that may sign.
    ///   - threshold: The number of keys that must sign.
    public init(name: String, keys: [PublicKey], threshold: Int = 1) {
        self.name = name
        self.keys = keys
        self.threshold = threshold
    }

    /// Returns true if a channel may have the name, which is also that of a file.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether it has 1 to 64 lower-case letters, digits, dots, underscores and hyphens.
    public static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }

    /// A package, with one or two releases.
    public struct Package: Sendable, Equatable {
        /// The name of the package in the cache.
        public var name: String
        /// The settings of the package, without user data.
        public var settings = PackageSettings()
        /// The releases, the newest first.
        public var releases: [Release]

        /// Creates a package.
        ///
        /// - Parameters:
        ///   - name: The name of the package in the cache.
        ///   - releases: The releases, the newest first.
        public init(name: String, releases: [Release]) {
            self.name = name
            self.releases = releases
        }

        /// Returns the release that a device should have.
        ///
        /// - Parameter device: The device's ID.
        /// - Returns: The first release that is for the device; nil if none is for it yet.
        public func release(for device: String) -> Release? { releases.first { $0.isFor(device) } }
    }

    /// One version of a package.
    public struct Release: Sendable, Equatable {
        /// The digest of the contents, in lower-case hexadecimal digits; docs/reference/signatures.md.
        public var digest: String
        /// The size of the zip in bytes.
        public var size: Int64
        /// The package's own date.
        public var created: Timestamp?
        /// Where the zip is: URLs, or references relative to the channel's URL, in the order in which they are tried.
        public var urls: [String]
        /// The patches that lead to it.
        public var patches: [Patch] = []
        /// The devices that it is for.
        public var rollout = Rollout.all

        /// Creates a release for all devices.
        ///
        /// - Parameters:
        ///   - digest: The digest of the contents, in lower-case hexadecimal digits.
        ///   - size: The size of the zip in bytes.
        ///   - urls: Where the zip is.
        public init(digest: String, size: Int64, urls: [String]) {
            self.digest = digest
            self.size = size
            self.urls = urls
        }

        /// Returns true if the release is for a device.
        ///
        /// - Parameter device: The device's ID.
        /// - Returns: Whether the device is among the share of devices that the release is for.
        public func isFor(_ device: String) -> Bool { rollout.includes(device, of: digest) }
    }

    /// A patch that leads to a release.
    public struct Patch: Sendable, Equatable {
        /// The digest of the contents that it needs, in lower-case hexadecimal digits.
        public var from: String
        /// The size of the patch in bytes.
        public var size: Int64
        /// Where it is, as for the zip.
        public var urls: [String]

        /// Creates a patch.
        ///
        /// - Parameters:
        ///   - from: The digest of the contents that it needs.
        ///   - size: The size of the patch in bytes.
        ///   - urls: Where it is.
        public init(from: String, size: Int64, urls: [String]) {
            self.from = from
            self.size = size
            self.urls = urls
        }
    }
}
