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
    private var connections: [ObjectIdentifier: any Watched] = [:]
    private var contextCount = 0
    private(set) var isQuiescing = false
    private var sweep: Scheduled<Void>?
    private let period: TimeAmount
    private let grace: TimeAmount
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
        grace = limits.idleGrace
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
        connections[ObjectIdentifier(connection)] = connection
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
        for connection in connections.values { atOnce ? connection.cut() : connection.quiesce() }
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
        for connection in connections.values { connection.check(now) }
        if room.isFull { room.makeRoom() }
        schedule()
    }

    // MARK: Giving way

    /// The connections that have been idle longest, but for those that have only just begun to be.
    ///
    /// - Parameters:
    ///   - count: The most that are wanted.
    ///   - now: The time.
    ///   - part: This loop.
    /// - Returns: At most so many.
    func idle(_ count: Int, now: NIODeadline, part: Loop) -> [ConnectionRoom.Idle] {
        let idle = connections.compactMap { connection, watched -> ConnectionRoom.Idle? in
            guard let since = watched.idleSince(now), since + grace <= now else { return nil }
            return ConnectionRoom.Idle(connection: connection, since: since, part: part)
        }
        return Array(idle.sorted { $0.since < $1.since }.prefix(count))
    }

    /// Closes a connection that is still idle, so that another one has its place.
    func close(_ connection: ObjectIdentifier, now: NIODeadline) {
        guard let watched = connections[connection], let since = watched.idleSince(now), since + grace <= now else {
            return
        }
        watched.giveWay()
    }
}

/// A connection under the eyes of its loop.
protocol Watched: AnyObject {
    /// Looks whether a time has run out.
    func check(_ now: NIODeadline)
    /// Ends when nothing is on its way any more.
    func quiesce()
    /// Ends at once.
    func cut()
    /// Since when nothing has moved, where nothing is on its way; nil where the connection is in use.
    func idleSince(_ now: NIODeadline) -> NIODeadline?
    /// Ends, though it is only idle.
    func giveWay()
}

extension Watched {
    func idleSince(_ now: NIODeadline) -> NIODeadline? { nil }

    func giveWay() { cut() }
}
