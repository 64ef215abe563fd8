internal import AFCFiles
internal import Dispatch
internal import Synchronization

extension AFCache {
    /// The scarcity of memory, as far as the system reports it.
    public enum MemoryPressure: Sendable, Equatable {
        /// Memory is getting scarce: what can be made again easily should go.
        case warning
        /// The system is about to end programs.
        case critical
    }
}

extension AFCache {
    /// A source of notifications that memory is scarce.
    public protocol MemoryPressureSource: Sendable {
        /// Returns the notifications, from now on; they end when the task that reads them is cancelled.
        func levels() -> AsyncStream<MemoryPressure>
    }
}

extension AFCache {
    /// The system's own notifications.
    ///
    /// On Linux these are the events of the program's control group (`memory.events` of version 2: `high` and `max`) and the
    /// pressure stall information (`memory.pressure`, else `/proc/pressure/memory`), looked at every few seconds. On Apple's
    /// systems they are those of Dispatch.
    public struct SystemMemoryPressure: MemoryPressureSource {
        private let interval: Duration

        /// Creates a source.
        ///
        /// - Parameter interval: The time between two looks on Linux.
        public init(every interval: Duration = .seconds(2)) { self.interval = interval }

        #if canImport(Darwin)
        /// Returns the notifications, from now on.
        public func levels() -> AsyncStream<MemoryPressure> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let source = PressureSource { continuation.yield($0) }
                continuation.onTermination = { _ in source.cancel() }
            }
        }
        #else
        /// Returns the notifications, from now on.
        public func levels() -> AsyncStream<MemoryPressure> {
            Self.levels(every: interval, from: GroupPressureFiles.ofThisProcess())
        }

        static func levels(every interval: Duration, from files: GroupPressureFiles) -> AsyncStream<MemoryPressure> {
            let last = Mutex(files.read())
            return AsyncStream {
                while true {
                    do {
                        try await Task.sleep(for: interval)
                    } catch {
                        return nil
                    }
                    let now = files.read()
                    let before = last.withLock { last in
                        defer { last = now }
                        return last
                    }
                    if let level = now.level(since: before) { return level }
                }
            }
        }
        #endif
    }
}

#if canImport(Darwin)
/// A source of Dispatch, whose protocol isn't Sendable.
private final class PressureSource: Sendable {
    private let source: Mutex<any DispatchSourceMemoryPressure>

    init(_ onLevel: @escaping @Sendable (AFCache.MemoryPressure) -> Void) {
        source = Mutex(DispatchSource.makeMemoryPressureSource(eventMask: [.warning, .critical]))
        source.withLock { source in
            source.setEventHandler { [weak self] in
                guard let level = self?.level else { return }
                onLevel(level)
            }
            source.resume()
        }
    }

    private var level: AFCache.MemoryPressure { source.withLock { $0.data.contains(.critical) ? .critical : .warning } }

    func cancel() { source.withLock { $0.cancel() } }
}
#endif

extension GroupPressure {
    /// The share of the last ten seconds, in percent, in which some task waited for memory, that counts as scarcity.
    static let warningShare = 10.0
    static let criticalShare = 40.0

    /// Returns the level that two successive states mean; nil if memory isn't scarce.
    func level(since before: GroupPressure) -> AFCache.MemoryPressure? {
        if limited > before.limited || stalled >= Self.criticalShare { return .critical }
        if throttled > before.throttled || stalled >= Self.warningShare { return .warning }
        return nil
    }
}
