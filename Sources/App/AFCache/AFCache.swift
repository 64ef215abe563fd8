internal import AFCCache
internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCResolver
internal import AFCText
internal import AFCURL
public import Foundation
internal import Synchronization

/// A cache of web resources for an app: a replacement for `URLCache` that stores responses by the standard, works
/// offline, and has packages.
///
/// It is used by itself (``data(for:options:progress:)``), behind any `URLSession` (``configure(_:options:)``), as a
/// `URLCache` (``urlCache``), and for decoded values (``object(for:variant:policy:cost:decode:)``). All of them share what is
/// stored. See docs/reference/app.md.
public final class AFCache: Sendable {
    /// The folder with the responses and packages.
    public let directory: URL

    let store: DiskCache
    let shared: SharedFolder
    private let user: Int
    let configuration: Configuration
    /// The keys that must have signed packages.
    let trust: TrustPolicy
    let memory: ResponseMemory
    let objects: ObjectMemory
    let memoryOnly: MemoryResponses
    let foreign: ForeignChanges
    private let online: Resolver
    private let offline: Resolver
    private let settings: Mutex<Settings>
    private let fitting = Mutex(Fitting())
    private let pressure = Mutex<Task<Void, Never>?>(nil)
    let changed: ChangeStream<CacheChange>
    let packageChanged = ChangeStream<PackageChange>()
    let network: NetworkWatch
    let making = SharedWork<ObjectKey, any Sendable>()

    struct Settings: Sendable {
        var isOffline = false
        var memoryCapacity: Int
        var diskCapacity: Int
        var isClosed = false
    }

    /// The work of making what is on disk fit a capacity that was set without waiting for that.
    private struct Fitting: Sendable {
        /// The capacity that isn't in effect yet.
        var wanted: Int?
        /// The last one that is.
        var applied = 0
        /// The one task that applies them; nil if none is wanted.
        var task: Task<Void, Never>?

        /// Takes the capacity to apply next; nil if there is none, which ends the task.
        mutating func next() -> Int? {
            defer { wanted = nil }
            if wanted == nil { task = nil }
            return wanted
        }
    }

    /// Opens a cache, and creates it if it doesn't exist.
    ///
    /// Of several processes that have a folder open, one stores responses; see ``storesResponses``. Several caches of
    /// one process share what is in their folder.
    ///
    /// - Parameters:
    ///   - memoryCapacity: The most bytes of responses in memory; 0 for none.
    ///   - diskCapacity: The most bytes of bodies on disk, of packages and responses together; 0 to store responses in
    ///     memory only. If both are 0, no response is stored.
    ///   - directory: The folder; nil for one in the user's folder for caches, named after the program.
    ///   - configuration: Further settings.
    /// - Throws: ``Failure`` that names the folder if it can't be used, or the line that is not a key.
    public init(
        memoryCapacity: Int = 32 << 20,
        diskCapacity: Int = 512 << 20,
        directory: URL? = nil,
        configuration: Configuration = Configuration()
    ) throws {
        let directory = directory ?? Self.defaultDirectory
        let parent = directory.deletingLastPathComponent()
        try Failure.of { try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true) }
        self.directory = directory
        self.configuration = configuration
        trust = try Failure.of { try Self.trust(configuration) }
        // The stored responses' heads, and small bodies that are on disk as well. Without any, each look-up would read
        // and verify a row of the database again.
        let heads = min(4 << 20, max(2 << 20, memoryCapacity / 4))
        let opened = try Failure.of {
            let shared = try SharedFolder.open(path: directory.path, memory: heads)
            try Self.startReceiving(shared.store, configuration)
            return (shared, try shared.store.limits().bytes)
        }
        let limit = opened.1
        shared = opened.0
        store = shared.store
        let shared = shared
        foreign = ForeignChanges(shared) {
            configuration.onTrouble(
                "the folder '\(directory.path)' was removed or emptied while the cache was open; what it stored is lost"
            )
            // Nothing that is in memory is on disk any more.
            shared.note(nil)
        }
        let memory = ResponseMemory(limit: Self.share(memoryCapacity))
        let objects = ObjectMemory(limit: configuration.objectCapacity)
        (self.memory, self.objects) = (memory, objects)
        memoryOnly = MemoryResponses(limit: Self.share(memoryCapacity))
        let changed = ChangeStream<CacheChange>()
        let network = NetworkWatch(probe: configuration.networkProbe)
        self.network = network
        self.changed = changed
        user = shared.join { url in
            if let key = url.map({ MemoryKey($0) }) {
                memory.forget(key)
                objects.doubt(key)
            } else {
                memory.removeAll()
                objects.doubtAll()
            }
            changed.note(CacheChange(url?.description))
        }
        var rules = configuration.resolving { shared.note($0) }
        let transport = WatchedTransport(
            transport: configuration.transport ?? Self.transport(configuration),
            watch: network
        )
        online = Resolver(store: store, memory: memoryOnly, transport: transport, configuration: rules)
        rules.rules.connectivity = .offline(.init(expired: .always))
        offline = Resolver(store: store, memory: memoryOnly, transport: transport, configuration: rules)
        settings = Mutex(Settings(memoryCapacity: max(0, memoryCapacity), diskCapacity: max(0, diskCapacity)))
        fitting.withLock { $0.applied = limit.map { Int(clamping: $0) } ?? .max }
        if diskCapacity > 0, limit != Int64(diskCapacity) { startSettingDiskCapacity(diskCapacity) }
        watchPressure()
    }

    deinit {
        ProtocolSlots.remove(ObjectIdentifier(self))
        shared.forget(user)
        pressure.withLock { $0?.cancel() }
    }

    /// Acquires the right to store responses, unless another process has it.
    private static func startReceiving(_ store: DiskCache, _ configuration: Configuration) throws(CacheError) {
        do throws(CacheError) {
            try store.startReceiving()
        } catch {
            guard error.code == .busy else { throw error }
            configuration.onTrouble("responses are loaded, but not stored: \(error)")
        }
    }

    private static func share(_ capacity: Int) -> Int { max(0, capacity) * 3 / 8 }

    private static func transport(_ configuration: Configuration) -> any OriginTransport {
        let now = configuration.now
        return QueuedTransport(
            DirectTransport(access: configuration.access, now: { Timestamp(now()) }),
            limit: configuration.connections
        )
    }

    private static var defaultDirectory: URL {
        let folder =
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return folder.appendingPathComponent(name).appendingPathComponent("AFCache")
    }

    // MARK: The shared cache

    private static let sharedCache = Mutex<AFCache?>(nil)

    /// The cache that is used where no other is named; a new one with the default capacities if none was set.
    ///
    /// Set it once, when the app starts, as with `URLCache.shared`. A cache whose folder can't be opened ends the
    /// program; to handle that, create the cache with ``init(memoryCapacity:diskCapacity:directory:configuration:)``.
    public static var shared: AFCache {
        get {
            sharedCache.withLock { cache in
                if let cache { return cache }
                do {
                    let made = try AFCache()
                    cache = made
                    return made
                } catch {
                    preconditionFailure("cannot open the shared cache: \(error)")
                }
            }
        }
        set { sharedCache.withLock { $0 = newValue } }
    }

    // MARK: Capacities

    /// The most bytes of responses in memory.
    ///
    /// A lower value evicts at once. A fixed part, 2 to 4 MiB, is for the heads of stored responses and is set when
    /// the cache is opened.
    public var memoryCapacity: Int {
        get { settings.withLock { $0.memoryCapacity } }
        set {
            settings.withLock { $0.memoryCapacity = max(0, newValue) }
            memory.setLimit(Self.share(newValue))
            memoryOnly.setLimit(Self.share(newValue))
        }
    }

    /// The most bytes of bodies on disk, of packages and responses together.
    ///
    /// Set it with ``setDiskCapacity(_:)``.
    public var diskCapacity: Int { settings.withLock { $0.diskCapacity } }

    /// Sets the most bytes of bodies on disk, and evicts until they fit: responses first, in the order of
    /// docs/reference/cache.md.
    ///
    /// - Parameter bytes: The capacity; 0 to store responses in memory only.
    /// - Throws: ``Failure`` if the pinned packages alone need more; the capacity is then unchanged.
    public func setDiskCapacity(_ bytes: Int) async throws {
        await ready()
        if bytes > 0 { try await Failure.of { try await limit(bytes) } }
        settings.withLock { $0.diskCapacity = max(0, bytes) }
    }

    private func limit(_ bytes: Int) async throws {
        var limits = try store.limits()
        limits.bytes = Int64(bytes)
        _ = try await store.setLimits(limits, now: now)
        fitting.withLock { $0.applied = bytes }
    }

    /// Sets the most bytes of bodies on disk without waiting until they fit; of several values, the last one counts.
    ///
    /// A value that can't be kept is reported, and the one before it counts again.
    func startSettingDiskCapacity(_ bytes: Int) {
        // Both under one lock, so that the value that counts is the last one that is applied.
        fitting.withLock { fitting in
            settings.withLock { $0.diskCapacity = max(0, bytes) }
            // Without a capacity, what is on disk stays, as it does when one is set with `setDiskCapacity`.
            fitting.wanted = bytes > 0 ? bytes : nil
            guard fitting.wanted != nil, fitting.task == nil, !settings.withLock({ $0.isClosed }) else { return }
            fitting.task = Task { await fit() }
        }
    }

    private func fit() async {
        while let wanted = fitting.withLock({ $0.next() }) {
            do {
                try await limit(wanted)
            } catch {
                report("set the capacity of '\(directory.path)' to \(wanted) bytes", error)
                fitting.withLock { fitting in
                    guard fitting.wanted == nil else { return }
                    settings.withLock { if $0.diskCapacity == wanted { $0.diskCapacity = fitting.applied } }
                }
            }
        }
    }

    /// Waits until the capacity that was set last is in effect.
    func ready() async {
        guard let task = fitting.withLock({ $0.task }) else { return }
        await task.value
    }

    /// The approximate number of bytes that responses take in memory.
    public var currentMemoryUsage: Int { memory.cost + memoryOnly.bytes }

    /// The number of bytes that bodies take on disk, of packages and responses together.
    ///
    /// - Throws: ``Failure`` if the cache can't be read.
    public func currentDiskUsage() async throws -> Int {
        try await Failure.of { try await blocking { Int(clamping: try $0.store.bodyBytes()) } }
    }

    /// True if this cache stores responses on the disk.
    ///
    /// Of several processes with the same folder, such as an app and its extension, only one has that right at a time;
    /// the others read what it stores and load the rest, but don't store it. ``Configuration/onTrouble`` reports that
    /// when the cache is opened. If the right has become free, this property and the next response to store take it.
    /// It is false with a disk capacity of 0 and after ``close()``.
    ///
    /// It looks at a file, so it may block for a moment.
    public var storesResponses: Bool {
        guard settings.withLock({ !$0.isClosed && $0.diskCapacity > 0 }) else { return false }
        do throws(CacheError) {
            try store.startReceiving()
            return true
        } catch {
            // Another process's right is a state and no failure.
            if error.code != .busy { report("store responses", error) }
            return false
        }
    }

    // MARK: Offline mode

    /// True if everything is answered from the cache, without any connection.
    ///
    /// That is a decision of the app or its user, and not the state of the network. What is stored is then served
    /// whatever its age; what isn't stored fails with `notConnectedToInternet`.
    public var isOffline: Bool {
        get { settings.withLock { $0.isOffline } }
        set { settings.withLock { $0.isOffline = newValue } }
    }

    // MARK: End

    /// Ends requests to origins, and writes pending changes to the disk.
    ///
    /// Call it before the program ends; without that, the last responses may be lost, as in a crash. The cache can't
    /// load from origins afterwards.
    ///
    /// - Throws: ``Failure`` if pending changes can't be written, or if the folder was removed or
    ///   emptied meanwhile.
    public func close() async throws {
        settings.withLock { $0.isClosed = true }
        await ready()
        let task = pressure.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        changed.end()
        packageChanged.end()
        network.end()
        await online.shutDown()
        await offline.shutDown()
        try await Failure.of {
            try await blocking { cache in
                cache.foreign.look()
                try cache.shared.leave(cache.user)
                guard cache.shared.isMissing else { return }
                let message = "the folder was removed or emptied while the cache was open; what was stored is lost"
                throw CacheError(.inputOutput, subject: cache.directory.path, message: message)
            }
        }
    }

    // MARK: For the other parts

    /// The resolver that answers now.
    var resolver: Resolver { isOffline ? offline : online }

    /// The current time.
    var now: Timestamp { Timestamp(configuration.now()) }

    /// Runs blocking work.
    func blocking<Value: Sendable>(_ work: @escaping @Sendable (AFCache) throws -> Value) async throws -> Value {
        try await OffPool.run { try work(self) }
    }

    private func watchPressure() {
        guard let source = configuration.memoryPressure else { return }
        let (memory, memoryOnly, objects) = (memory, memoryOnly, objects)
        let task = Task {
            for await level in source.levels() {
                AFCache.relieve(level, memory, memoryOnly, objects)
            }
        }
        pressure.withLock { $0 = task }
    }

    /// Frees memory as if the system had asked for it.
    ///
    /// - Parameter level: The level: `warning` frees half of what is in memory, `critical` everything.
    public func relieveMemory(_ level: MemoryPressure) { Self.relieve(level, memory, memoryOnly, objects) }

    private static func relieve(
        _ level: MemoryPressure,
        _ memory: ResponseMemory,
        _ memoryOnly: MemoryResponses,
        _ objects: ObjectMemory
    ) {
        let isCritical = level == .critical
        memory.shrink(to: isCritical ? 0 : memory.cost / 2)
        memoryOnly.shrink(to: isCritical ? 0 : memoryOnly.bytes / 2)
        objects.shrink(to: isCritical ? 0 : objects.cost / 2)
    }
}
