internal import NIOCore

/// What the connections of one event loop share; lives on that loop, so that nothing is locked.
final class LoopState {
    let loop: any EventLoop
    /// Answers that may be repeated.
    let hot: HotTable
    /// What was answered.
    var counters = Counters()
    private var identities: [SocketAddress: ServerIdentity] = [:]
    private var contexts: [ConnectionContext.Key: Int] = [:]
    private var connections: [ObjectIdentifier: Watch] = [:]
    private var contextCount = 0
    private(set) var isQuiescing = false
    private var sweep: Scheduled<Void>?
    private let period: TimeAmount
    private let limits: OfflineServer.Configuration.Limits
    private let room: ConnectionRoom
    private var drained: EventLoopPromise<Void>?

    /// Creates the state of a loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - limits: What bounds a connection.
    ///   - memoryBytes: The bytes of answers that are kept.
    ///   - room: How many connections there may be on all loops.
    init(
        loop: any EventLoop,
        limits: OfflineServer.Configuration.Limits,
        memoryBytes: Int,
        room: ConnectionRoom
    ) {
        self.loop = loop
        self.room = room
        self.limits = limits
        hot = HotTable(byteLimit: memoryBytes)
        let shortest = min(limits.idleTimeout, limits.stallTimeout, limits.lingerTimeout)
        period = min(.seconds(1), max(.milliseconds(10), .nanoseconds(shortest.nanoseconds / 4)))
    }

    /// How many connections and streams are open.
    var openConnections: Int { connections.count }

    /// By what hosts and port the server is meant on a connection.
    func identity(of channel: any Channel, boundHosts: [String]) -> ServerIdentity {
        guard let local = channel.localAddress else { return ServerIdentity(port: 0, bound: boundHosts) }
        if let known = identities[local] { return known }
        let identity = ServerIdentity(
            port: local.port.flatMap { UInt16(exactly: $0) } ?? 0,
            bound: boundHosts + (local.ipAddress.map { [$0] } ?? [])
        )
        if identities.count >= 1000 { identities.removeAll() }
        identities[local] = identity
        return identity
    }

    /// A number for a context, the same for the same one.
    func number(of context: ConnectionContext) -> Int {
        if let number = contexts[context.key] { return number }
        // Names come from clients, so that their number must be bounded; a number is never used for another context.
        if contexts.count >= 1000 { contexts.removeAll() }
        contextCount += 1
        contexts[context.key] = contextCount
        return contextCount
    }

    /// Begins to watch over a connection.
    func add(_ connection: any Watched) {
        connections[ObjectIdentifier(connection)] = Watch(connection)
        if isQuiescing { connection.quiesce() }
        schedule()
    }

    /// The connection has ended, or is watched in another shape.
    func remove(_ connection: any Watched) {
        connections[ObjectIdentifier(connection)] = nil
        guard isQuiescing else { return }
        // In its own turn of the loop, since a connection may be taking another shape.
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { if bound.value.connections.isEmpty { bound.value.drained?.succeed() } }
    }

    /// Lets answers on their way end, and closes all else; new connections too.
    ///
    /// - Parameter atOnce: Whether answers on their way are cut off.
    /// - Returns: Fulfilled when the last connection has ended.
    func quiesce(atOnce: Bool) -> EventLoopFuture<Void> {
        isQuiescing = true
        let drained = drained ?? loop.makePromise()
        self.drained = drained
        for watch in connections.values { atOnce ? watch.connection.cut() : watch.connection.quiesce() }
        if connections.isEmpty { drained.succeed() }
        return drained.futureResult
    }

    private func schedule() {
        guard sweep == nil, !connections.isEmpty else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        sweep = loop.scheduleTask(in: period) { bound.value.check() }
    }

    private func check() {
        sweep = nil
        let now = NIODeadline.now()
        for watch in connections.values where watch.isOver(now, limits: limits) { watch.connection.timeOut() }
        if room.isFull { room.makeRoom() }
        schedule()
    }

    // MARK: Giving way

    /// The connections that give way first, but for those that have only just become idle.
    ///
    /// - Parameters:
    ///   - count: The most that are wanted.
    ///   - now: The time.
    ///   - part: This loop.
    /// - Returns: At most so many.
    func idle(_ count: Int, now: NIODeadline, part: Loop) -> [ConnectionRoom.Idle] {
        Array(connections.values.compactMap { $0.idle(now, limits: limits, part: part) }.sorted().prefix(count))
    }

    /// Closes a connection that is still idle, so that another one has its place.
    func close(_ idle: ConnectionRoom.Idle, now: NIODeadline) {
        guard let watch = connections[idle.connection], watch.idle(now, limits: limits, part: idle.part) != nil else {
            return
        }
        watch.connection.giveWay()
    }
}

/// A connection, and since when it has been as it is.
private final class Watch {
    let connection: any Watched
    private var clock = ConnectionClock()

    init(_ connection: any Watched) {
        self.connection = connection
        clock.begin(at: .now())
    }

    /// Whether its time has run out.
    func isOver(_ now: NIODeadline, limits: OfflineServer.Configuration.Limits) -> Bool {
        clock.isOver(connection.activity, now: now, limits: limits)
    }

    /// What is known of it where it could give way to others; nil where it is in use, or was within its grace.
    func idle(
        _ now: NIODeadline,
        limits: OfflineServer.Configuration.Limits,
        part: Loop
    ) -> ConnectionRoom.Idle? {
        let view = connection.activity
        let grace: TimeAmount
        switch view.use {
        case .busy: return nil
        case .idle: grace = limits.idleGrace
        case .tunnel: grace = max(limits.idleTimeout, limits.idleGrace)
        }
        let since = clock.stillSince(view, now: now)
        guard since + grace <= now else { return nil }
        return ConnectionRoom.Idle(connection: ObjectIdentifier(connection), view: view, since: since, part: part)
    }
}

/// A connection under the eyes of its loop.
protocol Watched: AnyObject {
    /// What can be seen of it now.
    var activity: ConnectionClock.View { get }
    /// Ends, since its time has run out.
    func timeOut()
    /// Ends when nothing is on its way any more.
    func quiesce()
    /// Ends at once.
    func cut()
    /// Ends, though it is only idle.
    func giveWay()
}

extension Watched {
    func timeOut() { cut() }

    func giveWay() { cut() }
}
