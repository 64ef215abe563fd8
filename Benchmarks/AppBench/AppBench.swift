// Measures what an app waits for: hits in memory, look-ups, decoded values, and the same with Foundation's URLCache.
//
//     swift build -c release --product appbench
//     .build/release/appbench [ROW]
//     .build/release/appbench mount PACKAGE INDEX URL     the time until a mounted package has answered for the first time
//
// Measured, in times of reading such a body from its file (2.8 to 5 µs): `cachedResponse` in memory 0.18 (URLCache of Linux 0.8),
// a decoded value 0.12, `cachedResponse` from the disk, one of 100 URLs, 4.1 (870).
//
// ROW measures only the rows whose names contain it, for a profile.

import AFCache
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct AppBench {
    /// The number of stored responses, each with a body of this many bytes.
    static let count = 1000
    static let size = 8 << 10

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    struct Picture: Sendable {
        var bytes: Int
    }

    static func mount(_ arguments: [String], in folder: URL) async throws {
        guard let url = URL(string: arguments[4]) else { throw Failure(description: "\(arguments[4]) is no URL") }
        let clock = ContinuousClock()
        let cache = try AFCache(directory: folder.appendingPathComponent("cache"))
        cache.isOffline = true
        // The capacity is in effect from now on, as after the first start.
        try await cache.setDiskCapacity(cache.diskCapacity)
        let start = clock.now
        try await cache.mount(URL(fileURLWithPath: arguments[2]), index: URL(fileURLWithPath: arguments[3]))
        let mounted = clock.now
        let (data, _) = try await cache.data(from: url)
        let answered = clock.now
        _ = try await cache.data(from: url)
        print(
            "mounted \(mounted - start), first answer \(answered - mounted), next \(clock.now - answered), \(data.count) bytes"
        )
        try await cache.close()
    }

    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("appbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        if CommandLine.arguments.count == 5 { return try await mount(CommandLine.arguments, in: folder) }
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let requests = (0..<count).compactMap { number in
            URL(string: "https://bench.example/articles/2026/\(number)/index.html?lang=en").map { URLRequest(url: $0) }
        }
        let file = folder.appendingPathComponent("body")
        try body.write(to: file)

        let warm = try AFCache(directory: folder.appendingPathComponent("warm"))
        let cold = try AFCache(memoryCapacity: 0, directory: folder.appendingPathComponent("cold"))
        let foundation = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0, diskPath: nil)
        let onDisk = URLCache(
            memoryCapacity: 0,
            diskCapacity: 512 << 20,
            diskPath: folder.appendingPathComponent("urlcache").path
        )
        for (number, request) in requests.enumerated() {
            guard let url = request.url,
                let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            else { throw Failure(description: "no response could be made") }
            try warm.store(head, body, for: request)
            try cold.store(head, body, for: request)
            let cached = CachedURLResponse(response: head, data: body)
            foundation.storeCachedResponse(cached, for: request)
            // A store takes 50 ms on Linux.
            if number < 20 { onDisk.storeCachedResponse(cached, for: request) }
        }
        for request in requests {
            guard try warm.cachedResponse(for: request) != nil else { throw Failure(description: "nothing was stored") }
        }
        // What was stored is written to the disk meanwhile; until then, nothing is known about changes.
        for url in requests.compactMap(\.url) {
            for attempt in 1... {
                _ = try await warm.object(for: url) { Picture(bytes: $0.count) }
                if warm.cachedObject(for: url, as: Picture.self) != nil { break }
                guard attempt < 200 else { throw Failure(description: "\(url) has no value in memory") }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        for request in requests { _ = try warm.cachedResponse(for: request) }

        let reading = try measure("read the file", 20_000) { _ in try Data(contentsOf: file).count }
        let wanted = CommandLine.arguments.dropFirst().first ?? ""
        func row(_ name: String, _ times: Int, _ work: (Int) throws -> Int) throws {
            guard wanted.isEmpty || name.contains(wanted) else { return }
            let time = try measure(name, times, work)
            print("  of reading the file: \(Double(Int(1000 * time / reading)) / 1000)")
        }
        try row("memory hit", 1_000_000) { try warm.cachedResponse(for: requests[$0 % 100])?.data.count ?? -1 }
        try row("memory hit, 1000 URLs", 1_000_000) {
            try warm.cachedResponse(for: requests[$0 % count])?.data.count ?? -1
        }
        try row("URLCache memory hit", 200_000) { foundation.cachedResponse(for: requests[$0 % 100])?.data.count ?? -1 }
        try row("look-up with body", 20_000) { try cold.cachedResponse(for: requests[$0 % 100])?.data.count ?? -1 }
        try row("look-up with body and head", 20_000) {
            try cold.cachedResponse(for: requests[$0 % 100])?.response.allHeaderFields.count ?? -1
        }
        try row("look-up, 1000 URLs", 20_000) { try cold.cachedResponse(for: requests[$0 % count])?.data.count ?? -1 }
        try row("URLCache look-up on disk", 100) { onDisk.cachedResponse(for: requests[$0 % 20])?.data.count ?? -1 }
        let urls = requests.compactMap(\.url)
        try row("decoded value", 2_000_000) { warm.cachedObject(for: urls[$0 % 100], as: Picture.self)?.bytes ?? -1 }
        print("memory hits \(warm.memoryHits), values \(warm.objectHits)")
        try await warm.close()
        try await cold.close()
    }

    private static let fields = [
        "Cache-Control": "max-age=86400", "Content-Type": "text/html; charset=utf-8", "ETag": "\"5e8d-1\"",
        "Last-Modified": "Sat, 27 Mar 2004 18:43:30 GMT", "Server": "bench",
    ]

    /// Prints and returns the processor time of one call in nanoseconds, which other programs hardly change: the median of
    /// five rounds.
    @discardableResult
    private static func measure(_ name: String, _ times: Int, _ work: (Int) throws -> Int) throws -> Double {
        var rounds: [Double] = []
        for _ in 0..<5 {
            let start = clock()
            for number in 0..<times {
                guard try work(number) > 0 else { throw Failure(description: "\(name): call \(number) found nothing") }
            }
            rounds.append(Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9 / Double(times))
        }
        let median = rounds.sorted()[2]
        print("\(name): \(Int(median)) ns")
        return median
    }
}
