/// Decides what is asked for next within a round, so that no host gets more at once, or sooner, than it should.
///
/// A pure value: time is a parameter, and what it returns is to be done by the driver.
struct HostSchedule {
    /// What to do.
    enum Step: Equatable {
        /// Ask for the item.
        case start(Int)
        /// Nothing before this time.
        case wait(until: Duration)
        /// Nothing before an answer comes.
        case busy
        /// Nothing any more.
        case finished
    }

    private struct Host {
        var queue: [Int] = []
        var next = 0
        var running = 0
        var notBefore: Duration = .zero
        var delay: Duration?
    }

    private var hosts: [String: Host] = [:]
    private var order: [String] = []
    private var turn = 0
    private var running = 0
    private let perHost: Int
    private let total: Int

    /// Creates a schedule for items in order, each with its host.
    ///
    /// - Parameters:
    ///   - items: The host of each item.
    ///   - perHost: How many of one host run at once; one, where it has a delay.
    ///   - total: How many run at once.
    ///   - delays: How long to wait between two requests, by host.
    ///   - notBefore: When hosts may be asked again, from the round before.
    init(
        _ items: [String],
        perHost: Int,
        total: Int,
        delays: [String: Duration] = [:],
        notBefore: [String: Duration] = [:]
    ) {
        self.perHost = max(1, perHost)
        self.total = max(1, total)
        for (index, name) in items.enumerated() {
            if hosts[name] == nil {
                order.append(name)
                hosts[name] = Host(notBefore: notBefore[name] ?? .zero, delay: delays[name])
            }
            hosts[name]?.queue.append(index)
        }
    }

    /// When each host that has a delay may be asked again.
    var notBefore: [String: Duration] { hosts.filter { $0.value.delay != nil }.mapValues(\.notBefore) }

    /// The next step; hosts take turns.
    mutating func next(at now: Duration) -> Step {
        var earliest: Duration?
        var isWaiting = false
        guard running < total else { return .busy }
        for offset in order.indices {
            let name = order[(turn + offset) % order.count]
            guard var host = hosts[name], host.next < host.queue.count else { continue }
            isWaiting = true
            guard host.running < (host.delay == nil ? perHost : 1) else { continue }
            guard host.notBefore <= now else {
                earliest = min(earliest ?? host.notBefore, host.notBefore)
                continue
            }
            let item = host.queue[host.next]
            host.next += 1
            host.running += 1
            running += 1
            if let delay = host.delay { host.notBefore = now + delay }
            hosts[name] = host
            turn = (turn + offset + 1) % order.count
            return .start(item)
        }
        if let earliest { return .wait(until: earliest) }
        return isWaiting || running > 0 ? .busy : .finished
    }

    /// Notes that an item of the host is done.
    mutating func finish(_ name: String) {
        running -= 1
        hosts[name]?.running -= 1
    }
}
