internal import NIOCore

/// The state that the connections of one event loop share; it lives on that loop, so it needs no lock.
final class LoopState {
    let loop: any EventLoop
    /// The statistics of the loop.
    var counters = Counters()
    private var identities: [SocketAddress: ServerIdentity] = [:]
    private var connections: [ObjectIdentifier: Watch] = [:]
    private(set) var isQuiescing = false
    private var sweep: Scheduled<Void>?
    private let period: TimeAmount
    private let limits: Server.Configuration.Limits
    private let room: ConnectionRoom
    private var drained: EventLoopPromise<Void>?

    /// Creates the state of a loop.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - limits: The limits of one connection.
    ///   - room: The count of connections on all loops.
    init(
        loop: any EventLoop,
        limits: Server.Configuration.Limits,
        room: ConnectionRoom
    ) {
        self.loop = loop
        self.room = room
        self.limits = limits
        let shortest = min(limits.idleTimeout, limits.stallTimeout, limits.lingerTimeout)
        period = min(.seconds(1), max(.milliseconds(10), .nanoseconds(shortest.nanoseconds / 4)))
    }

    /// The number of open connections.
    var openConnections: Int { connections.count }

    /// Returns the server's identity on a connection.
    func identity(of channel: any Channel, _ service: Serving) -> ServerIdentity {
        guard let local = channel.localAddress else { return service.identity(0, nil) }
        if let known = identities[local] { return known }
        let identity = service.identity(local.port.flatMap { UInt16(exactly: $0) } ?? 0, local.ipAddress)
        if identities.count >= 1000 { identities.removeAll() }
        identities[local] = identity
        return identity
    }

    /// Starts to watch a connection.
    func add(_ connection: any Watched) {
        connections[ObjectIdentifier(connection)] = Watch(connection)
        if isQuiescing { connection.quiesce() }
        schedule()
    }

    /// Stops watching a connection that has ended, or that another handler watches from now on.
    func remove(_ connection: any Watched) {
        connections[ObjectIdentifier(connection)] = nil
        guard isQuiescing else { return }
        // In its own turn of the loop, since another handler may be taking the connection over.
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { if bound.value.connections.isEmpty { bound.value.drained?.succeed() } }
    }

    /// Lets answers in progress finish, and closes everything else, including new connections.
    ///
    /// - Parameter atOnce: True to cut off answers in progress.
    /// - Returns: A future that is fulfilled when the last connection has ended.
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
        for watch in connections.values {
            if watch.isOver(now, limits: limits) {
                watch.connection.timeOut()
            } else {
                watch.connection.checkParts(now, limits: limits)
            }
        }
        if room.isFull { room.makeRoom() }
        schedule()
    }

    // MARK: Making room

    /// Returns the connections to close first to make room, except those that have only just become idle.
    ///
    /// - Parameters:
    ///   - count: The most connections to return.
    ///   - now: The time.
    ///   - part: This loop.
    /// - Returns: At most that many connections.
    func idle(_ count: Int, now: NIODeadline, part: Loop) -> [ConnectionRoom.Idle] {
        Array(connections.values.compactMap { $0.idle(now, limits: limits, part: part) }.sorted().prefix(count))
    }

    /// Closes a connection that is still idle, to make room for another.
    func close(_ idle: ConnectionRoom.Idle, now: NIODeadline) {
        guard let watch = connections[idle.connection], watch.idle(now, limits: limits, part: idle.part) != nil else {
            return
        }
        watch.connection.giveWay()
    }
}

/// A connection, and the time since which its state is unchanged.
private final class Watch {
    let connection: any Watched
    private var clock = ConnectionClock()

    init(_ connection: any Watched) {
        self.connection = connection
        clock.begin(at: .now())
    }

    /// Returns true if the connection has timed out.
    func isOver(_ now: NIODeadline, limits: Server.Configuration.Limits) -> Bool {
        clock.isOver(connection.activity, now: now, limits: limits)
    }

    /// Returns the connection as a candidate for closing; nil if it is in use, or was within its grace period.
    func idle(
        _ now: NIODeadline,
        limits: Server.Configuration.Limits,
        part: Loop
    ) -> ConnectionRoom.Idle? {
        let view = connection.activity
        let grace: TimeAmount
        switch view.use {
        case .busy: return nil
        case .idle: grace = limits.idleGrace
        case .receiving: grace = max(limits.receivingGrace, limits.idleGrace)
        case .tunnel: grace = max(limits.idleTimeout, limits.idleGrace)
        }
        let since = clock.stillSince(view, now: now)
        guard since + grace <= now else { return nil }
        return ConnectionRoom.Idle(connection: ObjectIdentifier(connection), view: view, since: since, part: part)
    }
}

/// A connection that its loop watches.
protocol Watched: AnyObject {
    /// The current state of the connection.
    var activity: ConnectionClock.View { get }
    /// Ends the connection, because it has timed out.
    func timeOut()
    /// Ends the connection as soon as no answer is in progress.
    func quiesce()
    /// Ends the connection at once.
    func cut()
    /// Ends the connection to make room for another, although it is only idle.
    func giveWay()
    /// Ends the parts of the connection that have timed out.
    func checkParts(_ now: NIODeadline, limits: Server.Configuration.Limits)
}

extension Watched {
    func timeOut() { cut() }

    func giveWay() { cut() }

    func checkParts(_ now: NIODeadline, limits: Server.Configuration.Limits) {}
}
