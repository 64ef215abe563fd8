internal import AFCResolver
internal import Foundation
internal import HTTPTypes
internal import Synchronization

#if canImport(Network)
internal import Network
#endif

extension AFCache {
    /// The state of the network, as far as a cache knows it.
    ///
    /// It is independent of ``AFCache/AFCache/isOffline``, which is a decision: nothing is answered differently because of it.
    public enum Reachability: String, Sendable, CaseIterable {
        /// An origin answered, or there is a route to others.
        case reachable
        /// No origin was reached, and there is no route to any.
        case unreachable
        /// Nothing is known yet.
        case unknown

        /// Looks if the system has a route to other networks; takes some microseconds on Linux.
        ///
        /// - Returns: The state; on Linux, `unknown` if the routing table can't be read.
        public static func ofSystem() -> Reachability {
            #if canImport(Network)
            switch SystemPath.shared.status {
            case .satisfied: .reachable
            case .unsatisfied: .unreachable
            default: .unknown
            }
            #else
            ofRoutes(
                IPv4: FileManager.default.contents(atPath: "/proc/net/route"),
                IPv6: FileManager.default.contents(atPath: "/proc/net/ipv6_route")
            )
            #endif
        }

        /// Returns the state that Linux's routing tables mean: reachable if one has a route in use other than loopback's.
        ///
        /// - Parameters:
        ///   - table: The text of `/proc/net/route`; nil if it can't be read.
        ///   - second: The text of `/proc/net/ipv6_route`; nil if it can't be read.
        /// - Returns: The state; `unknown` without any table.
        static func ofRoutes(IPv4 table: Data?, IPv6 second: Data?) -> Reachability {
            guard table != nil || second != nil else { return .unknown }
            func lines(_ table: Data?) -> [[Substring]] {
                String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n").map {
                    $0.split(whereSeparator: \.isWhitespace)
                }
            }
            // Interface, destination, gateway and flags, of which 1 says that the route is up and 0x200 that it rejects.
            let has4 = lines(table).dropFirst().contains { line in
                line.count > 3 && line[0] != "lo" && isInUse(line[3])
            }
            // A link-local address alone (fe80) reaches no origin, nor does a multicast route (ff00).
            let has6 = lines(second).contains { line in
                line.count > 9 && line[9] != "lo" && isInUse(line[8]) && !line[0].hasPrefix("fe80")
                    && !line[0].hasPrefix("ff")
            }
            return has4 || has6 ? .reachable : .unreachable
        }

        private static func isInUse(_ flags: Substring) -> Bool {
            guard let flags = UInt32(flags, radix: 16) else { return false }
            return flags & 1 == 1 && flags & 0x200 == 0
        }
    }
}

#if canImport(Network)
/// The system's monitor of network paths.
private final class SystemPath: Sendable {
    static let shared = SystemPath()
    private let monitor = NWPathMonitor()

    var status: NWPath.Status { monitor.currentPath.status }

    init() { monitor.start(queue: DispatchQueue(label: "afcache.network")) }
}
#endif

/// The state of the network that requests and a probe show.
final class NetworkWatch: Sendable {
    private struct State {
        var value = AFCache.Reachability.unknown
        /// True if the last request that ended was answered.
        var isAnswered = false
        var poll: Task<Void, Never>?
    }

    /// The time between two looks while somebody observes.
    private static let interval = Duration.seconds(2)

    private let state = Mutex(State())
    private let changed = ChangeStream<AFCache.Reachability>()
    private let probe: @Sendable () -> AFCache.Reachability

    init(probe: @escaping @Sendable () -> AFCache.Reachability) { self.probe = probe }

    deinit { state.withLock { $0.poll?.cancel() } }

    /// The state now, after a probe.
    var value: AFCache.Reachability { look() }

    /// Notes the end of a request.
    func note(isAnswered: Bool) {
        let isNews = state.withLock { state in
            defer { state.isAnswered = isAnswered }
            return state.isAnswered != isAnswered || state.value == .unknown
        }
        if isNews { look() }
    }

    /// Probes, and tells those who observe if the state has changed.
    @discardableResult
    private func look() -> AFCache.Reachability {
        let probed = probe()
        let (value, isNews) = state.withLock { state in
            // An origin on this machine answers without any route.
            let value = probed == .reachable || !state.isAnswered ? probed : .reachable
            // A lost network shows in the routes before the next request fails.
            defer { state.value = value }
            return (value, value != state.value)
        }
        if isNews { changed.note(value) }
        return value
    }

    /// Returns the changes from now on.
    func changes() -> AsyncStream<AFCache.Reachability> {
        let stream = changed.changes()
        look()
        state.withLock { state in
            guard state.poll == nil else { return }
            state.poll = Task { [weak self] in
                while !Task.isCancelled {
                    do { try await Task.sleep(for: Self.interval) } catch { return }
                    guard let self, self.continues() else { return }
                }
            }
        }
        return stream
    }

    /// Looks again; false if nobody observes any more.
    private func continues() -> Bool {
        guard changed.isRead else {
            state.withLock { $0.poll = nil }
            return false
        }
        look()
        return true
    }

    /// Ends all streams.
    func end() {
        let poll = state.withLock { state in
            defer { state.poll = nil }
            return state.poll
        }
        poll?.cancel()
        changed.end()
    }
}

/// A transport whose requests show the state of the network.
struct WatchedTransport: OriginTransport {
    let transport: any OriginTransport
    let watch: NetworkWatch

    func send(
        _ request: TransportRequest,
        interim: @escaping @Sendable (Int, HTTPFields) async -> Void
    ) async throws(TransportFailure) -> TransportResponse {
        do throws(TransportFailure) {
            let response = try await transport.send(request, interim: interim)
            watch.note(isAnswered: true)
            return response
        } catch {
            switch error.code {
            case .unreachable, .timedOut, .disconnected: watch.note(isAnswered: false)
            default: break
            }
            throw error
        }
    }

    func shutDown() async { await transport.shutDown() }
}

extension AFCache {
    /// The state of the network: what the last request saw, and a look at the system's routes, which takes microseconds.
    public var reachability: Reachability { network.value }

    /// The changes of ``reachability`` from now on; a change that no request shows is noticed within two seconds.
    ///
    /// The sequence ends when the cache is closed.
    public var reachabilityChanges: AsyncStream<Reachability> { network.changes() }
}
