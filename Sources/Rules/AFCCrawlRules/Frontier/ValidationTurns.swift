internal import Synchronization

/// Distributes the items to validate so that no host gets too many requests at once; a pure value.
///
/// A worker that is done with an item gets the next one of the same host, while there is one.
package struct ValidationTurns: Sendable {
    /// An item and its host, by their numbers.
    package struct Turn: Equatable, Sendable {
        package var item: Int
        package var host: Int
    }

    private struct Host: Sendable {
        var items: [Int] = []
        var next = 0
        var running = 0
    }

    private var hosts: [Host] = []
    private let limit: Int
    /// The first host that may have items left.
    private var firstOpen = 0
    private var isStopped = false

    /// Creates the turns for all items.
    ///
    /// - Parameters:
    ///   - items: The items' numbers, in order.
    ///   - limit: The number of items of one host to process at once, at least 1.
    ///   - host: The host of an item.
    package init(_ items: some Sequence<Int>, limit: Int, host: (Int) -> String) {
        self.limit = max(1, limit)
        var places: [String: Int] = [:]
        for item in items {
            let name = host(item)
            let place = places[name] ?? hosts.count
            if place == hosts.count {
                places[name] = place
                hosts.append(Host())
            }
            hosts[place].items.append(item)
        }
    }

    /// The number of workers that can be busy at once.
    package var width: Int { hosts.reduce(0) { $0 + min(limit, $1.items.count) } }

    /// Returns the next item for a worker.
    ///
    /// - Parameter host: The host of the item that the worker has finished, or nil.
    /// - Returns: The item, or nil if all remaining items are for other workers.
    package mutating func next(after host: Int?) -> Turn? {
        if let host {
            hosts[host].running -= 1
            if let turn = start(host) { return turn }
        }
        while firstOpen < hosts.count, hosts[firstOpen].next == hosts[firstOpen].items.count { firstOpen += 1 }
        for host in firstOpen..<hosts.count {
            if let turn = start(host) { return turn }
        }
        return nil
    }

    /// Ends the distribution.
    package mutating func stop() { isStopped = true }

    private mutating func start(_ host: Int) -> Turn? {
        guard !isStopped, hosts[host].running < limit, hosts[host].next < hosts[host].items.count else { return nil }
        hosts[host].running += 1
        hosts[host].next += 1
        return Turn(item: hosts[host].items[hosts[host].next - 1], host: host)
    }
}

/// Validation turns that several workers share.
package final class SharedTurns: Sendable {
    private let turns: Mutex<ValidationTurns>

    package init(_ turns: ValidationTurns) { self.turns = Mutex(turns) }

    package func next(after host: Int?) -> ValidationTurns.Turn? { turns.withLock { $0.next(after: host) } }

    package func stop() { turns.withLock { $0.stop() } }
}
