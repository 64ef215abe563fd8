internal import AFCCache
internal import AFCResolver
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension AFCache {
    /// Options of one request, in addition to its `cachePolicy`.
    public struct LoadOptions: Sendable, Equatable {
        /// The use of what is stored, beyond the cache policy: the request options of AFCache.
        public struct Reuse: OptionSet, Sendable {
            /// The options as bits.
            public let rawValue: Int

            /// Creates options.
            ///
            /// - Parameter rawValue: The options as bits.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// Invalidates what is stored for the URL first, for this request and later ones.
            public static let invalidate = Reuse(rawValue: 1 << 0)
            /// Answers with the stored response at once, however old, and revalidates it in the background.
            public static let returnThenRevalidate = Reuse(rawValue: 1 << 1)
            /// Contacts the origin even in offline mode; if that fails, the cache answers as it does offline.
            public static let revalidateEvenOffline = Reuse(rawValue: 1 << 2)
            /// Answers with the stored response, however old, and never revalidates it.
            public static let neverRevalidate = Reuse(rawValue: 1 << 3)
            /// Requests the head alone: HEAD instead of GET.
            public static let headOnly = Reuse(rawValue: 1 << 4)
        }

        /// The order among requests that wait for an origin.
        public enum Priority: Sendable {
            /// After all others.
            case low
            /// The default.
            case normal
            /// Before all others.
            case high
        }

        /// The use of what is stored, beyond the cache policy.
        public var reuse: Reuse = []
        /// The lifetime of the response once it is stored, in seconds, whatever its fields say; nil for what they say, or
        /// what the cache's configuration says.
        public var lifetime: TimeInterval?
        /// The place where the response may be stored; nil for the configuration's.
        public var storagePolicy: URLCache.StoragePolicy?
        /// Data to keep with the response if it is stored; at most 64 KiB as JSON.
        public var userInfo: [String: String] = [:]
        /// The order among requests that wait for an origin.
        public var priority = Priority.normal
        /// True if redirects are followed, so that the last response is returned.
        public var followsRedirects = true

        /// Creates options.
        ///
        /// - Parameters:
        ///   - reuse: The use of what is stored, beyond the cache policy.
        ///   - lifetime: The lifetime of the response once it is stored, in seconds.
        ///   - storagePolicy: The place where the response may be stored.
        ///   - userInfo: Data to keep with the response.
        ///   - priority: The order among requests that wait for an origin.
        public init(
            _ reuse: Reuse = [],
            lifetime: TimeInterval? = nil,
            storagePolicy: URLCache.StoragePolicy? = nil,
            userInfo: [String: String] = [:],
            priority: Priority = .normal
        ) {
            self.reuse = reuse
            self.lifetime = lifetime
            self.storagePolicy = storagePolicy
            self.userInfo = userInfo
            self.priority = priority
        }

        /// True if a response that is in memory may answer.
        var isPlain: Bool { reuse.isEmpty }
    }
}

extension AFCache.LoadOptions.Reuse {
    /// The same options for the resolver.
    var resource: ResourceOptions {
        let pairs: [(AFCache.LoadOptions.Reuse, ResourceOptions)] = [
            (.invalidate, .invalidate), (.returnThenRevalidate, .returnThenRevalidate),
            (.revalidateEvenOffline, .revalidateEvenOffline), (.neverRevalidate, .neverRevalidate),
            (.headOnly, .headOnly),
        ]
        return pairs.reduce(into: []) { if contains($1.0) { $0.insert($1.1) } }
    }
}

extension AFCache.LoadOptions.Priority {
    /// The same priority for the resolver.
    var request: RequestPriority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
    }
}

extension AFCache {
    /// The progress of reading a body.
    public struct LoadProgress: Sendable, Equatable {
        /// The bytes read so far.
        public var received: Int64
        /// The length of the body in bytes; nil if it isn't known.
        public var expected: Int64?

        /// Creates a progress value.
        ///
        /// - Parameters:
        ///   - received: The bytes read so far.
        ///   - expected: The length of the body in bytes.
        public init(received: Int64, expected: Int64?) {
            self.received = received
            self.expected = expected
        }
    }
}
