import AFCCache
import AFCCaching
import AFCFiles
import AFCPlatform
import AFCServer
import AFCText

/// A cache that doesn't exist yet while the server's sockets are open already, as on a device before its first sync.
enum AwaitedCache {
    private enum Event: Sendable {
        case found(DiskCache)
        case stopped
    }

    /// Serves an empty cache until there is another one.
    ///
    /// - Parameters:
    ///   - path: The path of the cache.
    ///   - verifiesBodies: True if the cache's bodies are verified.
    ///   - configuration: The settings of the server, whose sockets stay open.
    ///   - onReady: A closure called with the address of each socket.
    /// - Returns: The cache; nil if a signal came first.
    /// - Throws: `ServerError` if the server can't listen.
    static func open(
        _ path: String,
        verifiesBodies: Bool,
        configuration: Server.Configuration,
        onReady: @escaping @Sendable (Server.Address) async -> Void
    ) async throws -> DiskCache? {
        var own = configuration
        // The server closes its sockets at its end, and the next one needs them.
        own.sockets = configuration.sockets.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        let settings = own
        let empty = try MountedPackages([], now: Clock.now)
        let responder = CacheResponder(store: empty, policy: OfflinePolicy(), now: { Clock.now })
        return try await withThrowingTaskGroup(of: Event.self) { tasks in
            tasks.addTask {
                do {
                    try await Server.run(responder: responder, configuration: settings, onReady: onReady)
                } catch {
                    guard Task.isCancelled else { throw error }
                }
                return .stopped
            }
            tasks.addTask { try await find(path, verifiesBodies: verifiesBodies) }
            let first = try await tasks.next()
            tasks.cancelAll()
            // Only one server at a time accepts connections.
            while let _ = await tasks.nextResult() {}
            guard case .found(let cache) = first else { return nil }
            return cache
        }
    }

    /// Looks for the cache once a second.
    private static func find(_ path: String, verifiesBodies: Bool) async throws -> Event {
        var complaint: String?
        while true {
            try await Task.sleep(for: .seconds(1))
            do throws(CacheError) {
                let cache = try await OffPool.run { () throws(CacheError) in
                    try DiskCache(path: path, access: .readOnly, verifiesBodies: verifiesBodies)
                }
                return .found(cache)
            } catch {
                // A cache that is just being created may look damaged.
                guard error.code != .noCache, complaint != "\(error)" else { continue }
                complaint = "\(error)"
                Console.complain("warning: \(error)")
            }
        }
    }
}
