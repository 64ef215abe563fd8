internal import AFCCache
internal import AFCChannel
internal import AFCDelivery
internal import AFCPackageFormat
internal import AFCProvisioning
internal import AFCText
internal import AFCURL
public import Foundation

extension AFCache {
    /// The settings for following a channel.
    public struct ChannelOptions: Sendable {
        /// The name that the channel must have; nil for the last part of the URL's path without its extension.
        public var name: String?
        /// The public keys that may sign the channel, as lines of key files that end in `.pub`.
        public var keys: [String]
        /// The number of these keys that must have signed it the first time; after that, the channel itself says how many.
        public var threshold = 1
        /// The ID of this device, which decides when a rollout reaches it; nil for a random one that the cache keeps.
        public var device: String?

        /// Creates settings.
        ///
        /// - Parameter keys: The public keys that may sign the channel; at least one.
        public init(keys: [String]) { self.keys = keys }
    }
}

extension AFCache {
    /// What following a channel has done.
    public struct ChannelUpdate: Sendable {
        /// A package that couldn't be brought to the state that the channel lists; it stays as it was.
        public struct Failure: Sendable {
            /// The package's name.
            public let name: String
            /// The reason.
            public let error: any Error
        }

        /// The channel's version, which never decreases.
        public let version: Int64
        /// The time after which the channel is refused, so that nobody can hide newer versions for longer.
        public let expires: Date?
        /// The packages that are as the channel lists them, and what happened to them.
        public let packages: [PackageUpdate]
        /// The packages that failed.
        public let failures: [Failure]
    }
}

extension AFCache {
    /// Brings the packages that a channel lists to the state that this device should have; see
    /// docs/reference/channels.md.
    ///
    /// If nothing is new, that takes one small request. Otherwise a patch is downloaded if the channel lists one that
    /// fits what is installed, else only what is new if the server has ranges. Each package is installed completely or
    /// not at all. Packages that the channel doesn't list stay; pin and priority of the others are the channel's.
    ///
    /// - Parameters:
    ///   - url: The channel's URL: https, or http, since the signatures prove who made it.
    ///   - options: The settings.
    ///   - progress: A closure called from time to time while a package arrives; nil for none.
    /// - Returns: The channel's version, and what happened to each package.
    /// - Throws: ``Failure`` with the code `offline` in offline mode, else one that names the URL and the reason if
    ///   the channel can't be downloaded, is refused or has expired; `CancellationError` if the task is cancelled. What
    ///   is installed is then unchanged.
    @discardableResult
    public func followChannel(
        _ url: URL,
        options: ChannelOptions,
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> ChannelUpdate {
        try await Failure.of {
            try requireRequestable(url)
            await ready()
            let from = try WebURL(url).description
            let keys = try PublicKey.list(Array(options.keys.joined(separator: "\n").utf8))
            let name = options.name ?? url.deletingPathExtension().lastPathComponent
            let context = intakeContext(progress)
            let intake = ChannelIntake(
                store: store,
                from: from,
                trust: ChannelTrust(name: name, keys: keys, threshold: options.threshold),
                context: context
            )
            let channel: Channel
            do {
                channel = try await intake.run().channel
            } catch let error as DeliveryError where error.code == .cancelled {
                throw CancellationError()
            }
            let device = try await blocking { try ChannelIntake.device(options.device, in: $0.store) }
            var packages: [PackageUpdate] = []
            var failures: [ChannelUpdate.Failure] = []
            for package in channel.packages {
                // A release that isn't for this device yet leaves what is installed.
                guard let release = package.release(for: device) else { continue }
                let wanted = WantedPackage(package, release, channel: from)
                do {
                    packages.append(try await noting { try await store.bring(wanted, trust: trust, context: context) })
                } catch let error as CancellationError {
                    throw error
                } catch {
                    failures.append(ChannelUpdate.Failure(name: package.name, error: error))
                }
            }
            return ChannelUpdate(
                version: channel.version,
                expires: channel.expires.map { Date($0) },
                packages: packages,
                failures: failures
            )
        }
    }
}
