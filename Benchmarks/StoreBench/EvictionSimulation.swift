import AFCCache
import Foundation

/// Replays a real access pattern against a cache that is too small, and counts the requests that find their entry.
///
/// Entries are evicted by the same function as in a real cache. Its choice is compared with other policies: first in
/// first out, random, least frequently used, and one that knows the future.
struct EvictionSimulation {
    private struct Request {
        var second: Int
        var resource: Int
        var bytes: Int64
    }

    private enum Policy: String, CaseIterable {
        case ours = "afcache, recency to the minute"
        case exact = "least recently used, exact"
        case firstIn = "first in, first out"
        case chance = "random"
        case frequency = "least frequently used"
        case future = "knowing the future: the entry needed last is evicted"
    }

    private let requests: [Request]
    private let total: Int64
    /// The next request for each request's resource; the number of requests if there is none.
    private let next: [Int]

    init(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        requests = text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t").compactMap { Int($0) }
            guard parts.count == 3 else { return nil }
            return Request(second: parts[0], resource: parts[1], bytes: Int64(parts[2]))
        }
        var sizes: [Int: Int64] = [:]
        for request in requests { sizes[request.resource] = request.bytes }
        total = sizes.values.reduce(0, +)
        var next = [Int](repeating: requests.count, count: requests.count)
        var last: [Int: Int] = [:]
        for (index, request) in requests.enumerated().reversed() {
            next[index] = last[request.resource] ?? requests.count
            last[request.resource] = index
        }
        self.next = next
    }

    func run() {
        let shares = [2, 5, 10, 25, 50]
        print(
            "\(requests.count) requests, \(total / 1_000_000) MB; percentage of requests that found their entry\n"
        )
        print("| size of the cache | " + shares.map { "\($0) %" }.joined(separator: " | ") + " |")
        print("| --- |" + String(repeating: " --- |", count: shares.count))
        for policy in Policy.allCases {
            let rates = shares.map { share in
                let found = play(policy, capacity: total * Int64(share) / 100)
                let tenths = found * 1000 / requests.count
                return "\(tenths / 10).\(tenths % 10)"
            }
            print("| \(policy.rawValue) | " + rates.joined(separator: " | ") + " |")
        }
    }

    /// Returns the number of requests that found their entry; each other request adds its entry, which may evict others.
    private func play(_ policy: Policy, capacity: Int64) -> Int {
        var held: [Int: (unit: EvictionPlan.Unit, count: Int)] = [:]
        var bytes: Int64 = 0
        var found = 0
        var state: UInt64 = 1
        for (index, request) in requests.enumerated() {
            // A linear congruential generator, so that each run gives the same figures.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let known = held[request.resource]
            let count = (known?.count ?? 0) + 1
            let use: UInt32 =
                switch policy {
                case .ours: UInt32(request.second / 60)
                case .exact: UInt32(index)
                case .firstIn: known?.unit.lastUse ?? UInt32(index)
                case .chance: known?.unit.lastUse ?? UInt32(truncatingIfNeeded: state >> 33)
                case .frequency: UInt32(count)
                case .future: UInt32(requests.count - next[index])
                }
            let unit = EvictionPlan.Unit(
                kind: .entry,
                id: request.resource,
                bytes: request.bytes,
                entries: 1,
                isExpired: false,
                lastUse: use,
                order: Int64(known?.unit.order ?? Int64(index))
            )
            if known != nil {
                found += 1
            } else {
                guard request.bytes <= capacity else { continue }
                bytes += request.bytes
            }
            held[request.resource] = (unit, count)
            guard bytes > capacity else { continue }
            let others = held.values.map(\.unit).filter { $0.id != request.resource }
            for leaving in EvictionPlan.choose(from: others, bytes: bytes - capacity, entries: 0) ?? [] {
                bytes -= leaving.bytes
                held[leaving.id] = nil
            }
        }
        return found
    }
}
