internal import AFCCaching
internal import AFCHTTP
public import AFCResolver
internal import AFCURL
public import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension AFCache {
    /// The settings of a cache.
    public struct Configuration: Sendable {
        /// The lifetime of a stored response whose fields state none, in seconds; nil for the standard's estimate (RFC
        /// 9111 §4.2.2).
        public var defaultLifetime: TimeInterval?
        /// The lifetime of every stored response, in seconds, whatever its fields say; nil for what they say.
        ///
        /// A response that forbids storing (`no-store`) isn't stored even then.
        public var assignedLifetime: TimeInterval?
        /// True to store successes and redirects that state neither a lifetime nor a validator, as most APIs send them;
        /// they are never fresh.
        ///
        /// They answer in offline mode, to the policies that return stored responses whatever their age, and when the
        /// origin can't be reached. What forbids storing (`no-store`) isn't stored, nor are streams of events.
        public var storesWithoutLifetime = true
        /// The place where responses may be stored.
        public var storagePolicy = URLCache.StoragePolicy.allowed
        /// A closure called with each response that is about to be stored; it may change it, or prevent that.
        public var willCacheResponse: (@Sendable (inout ProposedResponse) -> Void)?
        /// The most bytes of decoded values that ``AFCache/AFCache/object(for:variant:policy:cost:decode:)`` keeps.
        public var objectCapacity = 64 << 20
        /// The largest body that is returned as `Data`, in bytes; larger ones fail with `dataLengthExceedsMaximum`.
        public var largestData = 512 << 20
        /// The largest body that is stored, in bytes; larger ones only pass through.
        public var largestStoredBody: Int64 = 1 << 30
        /// The most redirects that are followed for one request.
        public var redirects = 20
        /// The most requests to origins at a time.
        public var connections = 6
        /// A file with certificates of authorities to trust in addition to the system's, in PEM; nil for none.
        public var certificates: URL?
        /// False to accept any certificate of https origins.
        ///
        /// Anyone on the network path can then alter responses.
        public var verifiesCertificates = true
        /// A closure that decides whether to accept an https origin whose certificate is trusted; nil to accept all.
        ///
        /// Pin certificates or public keys here: nothing calls a session's delegate for them. No request is sent to an
        /// origin that isn't accepted; it fails with `serverCertificateUntrusted`. The downloads of packages ask the
        /// closure, too; only a ``transport`` of the app's own doesn't. It is called on threads that connections wait
        /// for, so it must not block.
        public var acceptsServer: (@Sendable (ServerCertificate) -> Bool)?
        /// The public keys that may sign packages, as lines of key files that end in `.pub`;
        /// docs/reference/signatures.md.
        ///
        /// If there is one, each package that is installed must be signed by one of them. Without any, an unsigned
        /// package is installed; one with a wrong signature never is.
        public var trustedPackageKeys: [String] = []
        /// The carrier of requests to origins; nil for HTTP/1.1 over SwiftNIO.
        ///
        /// A transport that uses a `URLSession` must mark its requests with ``AFCache/AFCache/bypassing(_:)`` if that session
        /// could be answered by a cache, or they would never end.
        public var transport: (any OriginTransport)?
        /// The notifications that memory is scarce; nil for none.
        public var memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure()
        /// A function that looks cheaply if there is a network; it may be called every two seconds.
        public var networkProbe: @Sendable () -> Reachability = { Reachability.ofSystem() }
        /// A closure called as the body of a URL is read: for requests of URL sessions, whose tasks have no progress of
        /// their own on Linux.
        public var onProgress: (@Sendable (URL, LoadProgress) -> Void)?
        /// A closure called with a sentence if something fails that no caller notices.
        ///
        /// The default writes it to the system's log, which is standard error on Linux.
        public var onTrouble: @Sendable (String) -> Void = { sentence in
            // The text is a format.
            NSLog("%@", NSString(string: "AFCache: \(sentence)"))
        }
        /// The clock.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates settings with the defaults.
        public init() {}

        /// Returns the settings of the resolver.
        func resolving(onChange: @escaping @Sendable (WebURL) -> Void) -> Resolver.Configuration {
            let now = now
            var resolving = Resolver.Configuration.library(now: { Timestamp(now()) })
            resolving.rules.defaultLifetime = defaultLifetime.map { Int64(clamping: $0) }
            resolving.rules.assignedLifetime = assignedLifetime.map { Int64(clamping: $0) }
            resolving.rules.storesWithoutLifetime = storesWithoutLifetime
            resolving.largestStoredBody = largestStoredBody
            resolving.onTrouble = onTrouble
            resolving.onChange = onChange
            if let willCacheResponse {
                resolving.onStoring = { proposal in
                    var proposed = ProposedResponse(proposal)
                    willCacheResponse(&proposed)
                    proposed.apply(to: &proposal)
                }
            }
            return resolving
        }
    }
}

extension Timestamp {
    /// Creates the second that contains a date.
    init(_ date: Date) { self.init(secondsSinceEpoch: Int64(clamping: date.timeIntervalSince1970.rounded(.down))) }
}

extension Int64 {
    /// Creates the nearest integer to a number of seconds; 0 if it isn't a number.
    init(clamping seconds: TimeInterval) {
        guard !seconds.isNaN else {
            self = 0
            return
        }
        self = seconds >= 9e18 ? .max : seconds <= -9e18 ? .min : Int64(seconds.rounded())
    }
}
