// Loads large bodies in one of the ways that an app has, and prints what that took; Benchmarks/streaming.py runs it.
//
//     swift build -c release --product streambench
//     python3 Benchmarks/streaming.py
//
// By itself: streambench bytes|file|session|unstored|limit|cancel FOLDER URL [SECONDS]

import AFCache
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@main
struct StreamBench {
    struct Usage: Error, CustomStringConvertible {
        var description = "usage: streambench bytes|file|session|unstored|limit|cancel FOLDER URL [SECONDS]"
    }

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 3, let url = URL(string: words[3]) else { throw Usage() }
        var configuration = AFCache.Configuration()
        configuration.largestStoredBody = 8 << 30
        let cache = try AFCache(
            diskCapacity: 8 << 30,
            directory: URL(fileURLWithPath: words[2]),
            configuration: configuration
        )
        let seconds = words.count > 4 ? TimeInterval(words[4]) ?? 2 : 2
        let before = memory("VmRSS")
        switch words[1] {
        case "bytes": try await bytes(cache, URLRequest(url: url))
        case "unstored": try await bytes(cache, URLRequest(url: url), AFCache.LoadOptions(storagePolicy: .notAllowed))
        case "file": try await file(cache, URLRequest(url: url))
        case "session": try await session(cache, url)
        case "limit": try await limit(cache, url, seconds)
        case "cancel": try await cancel(cache, url)
        default: throw Usage()
        }
        print("memory before \(before) MB, peak \(memory("VmHWM")) MB")
        try await cache.close()
    }

    /// The seconds since a moment, with three digits.
    private static func since(_ start: ContinuousClock.Instant) -> String {
        String(format: "%.3f", (ContinuousClock.now - start) / .seconds(1))
    }

    /// A line of the system's account of this process, in megabytes.
    private static func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) / 1000
    }

    private static func bytes(
        _ cache: AFCache,
        _ request: URLRequest,
        _ options: AFCache.LoadOptions = AFCache.LoadOptions()
    ) async throws {
        let start = ContinuousClock.now
        let (bytes, _) = try await cache.bytes(for: request, options: options)
        print("head \(since(start)) s")
        var count: Int64 = 0
        for try await piece in bytes {
            if count == 0 { print("first byte \(since(start)) s") }
            count += Int64(piece.count)
        }
        print("\(count) bytes \(since(start)) s")
    }

    private static func file(_ cache: AFCache, _ request: URLRequest) async throws {
        let start = ContinuousClock.now
        let (file, _) = try await cache.file(for: request)
        print("\(file.size) bytes \(since(start)) s, \(file.isStored ? "stored" : "a copy")")
        for place in stride(from: 0, to: file.size, by: 64 << 20) {
            guard try await file.data(in: place..<place + 1000).count == min(1000, Int(file.size - place)) else {
                throw Usage(description: "a range at \(place) is short")
            }
        }
    }

    /// What a session's delegate gets.
    private final class Taker: NSObject, URLSessionDataDelegate {
        struct State {
            var count: Int64 = 0
            var first: String?
            var head: String?
            var end: CheckedContinuation<(any Error)?, Never>?
        }

        let state = Mutex(State())
        let start = ContinuousClock.now

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            state.withLock { $0.head = StreamBench.since(start) }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            state.withLock { state in
                if state.first == nil { state.first = StreamBench.since(start) }
                state.count += Int64(data.count)
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let end = state.withLock { state in
                defer { state.end = nil }
                return state.end
            }
            end?.resume(returning: error)
        }
    }

    private static func session(_ cache: AFCache, _ url: URL) async throws {
        let taker = Taker()
        let session = URLSession(configuration: cache.urlSessionConfiguration(), delegate: taker, delegateQueue: nil)
        let error = await withCheckedContinuation { continuation in
            taker.state.withLock { $0.end = continuation }
            session.dataTask(with: url).resume()
        }
        if let error { throw error }
        let state = taker.state.withLock { ($0.head, $0.first, $0.count) }
        print("head \(state.0 ?? "never") s\nfirst byte \(state.1 ?? "never") s")
        print("\(state.2) bytes \(since(taker.start)) s")
        session.finishTasksAndInvalidate()
    }

    /// The time after which each of a session's limits ends a task.
    private static func limit(_ cache: AFCache, _ url: URL, _ seconds: TimeInterval) async throws {
        for isResource in [false, true] {
            for isCached in [true, false] {
                let configuration = URLSessionConfiguration.default
                if isResource {
                    configuration.timeoutIntervalForResource = seconds
                } else {
                    configuration.timeoutIntervalForRequest = seconds
                }
                if isCached { cache.configure(configuration) }
                // Foundation on Linux has no limit for a resource.
                guard isCached || !isResource else { continue }
                let session = URLSession(configuration: configuration)
                let start = ContinuousClock.now
                let result: String
                do {
                    let (data, _) = try await session.data(from: url)
                    result = "\(data.count) bytes"
                } catch let error as URLError {
                    result = "error \(error.code.rawValue)"
                }
                let name = isResource ? "resource" : "request"
                print("\(isCached ? "" : "Foundation, ")\(name) \(seconds) s: \(since(start)) s \(result)")
                session.finishTasksAndInvalidate()
            }
        }
    }

    /// 20,000 loads in pieces, of which most are cancelled at random moments.
    private static func cancel(_ cache: AFCache, _ url: URL) async throws {
        let start = ContinuousClock.now
        var counts: [String: Int] = [:]
        for round in 0..<20_000 {
            guard let url = URL(string: "?\(round % 100)", relativeTo: url)?.absoluteURL else { throw Usage() }
            let task = Task {
                let (bytes, _) = try await cache.bytes(for: URLRequest(url: url))
                var count = 0
                for try await piece in bytes { count += piece.count }
                return count
            }
            for _ in 0..<Int.random(in: 0..<40) { await Task.yield() }
            if round % 10 > 0 { task.cancel() }
            do {
                counts["\(try await task.value) bytes", default: 0] += 1
            } catch is CancellationError {
                counts["cancelled", default: 0] += 1
            }
        }
        print("\(since(start)) s \(counts.sorted { $0.value > $1.value }.map { "\($0.key): \($0.value)" })")
    }
}
