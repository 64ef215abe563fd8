import AFCCache
import AFCCaching
internal import AFCHTTP
import AFCURL
import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Measures storing and finding responses that were received from origins.
struct ReceivingBenchmark {
    let path: String
    let count: Int
    private let clock = ContinuousClock()
    private let now = Timestamp(secondsSinceEpoch: 1_700_000_000)

    init(path: String, count: Int) {
        self.path = path
        self.count = count
    }

    func run() throws {
        let urls = try (0..<count).map { try WebURL("http://www.example/section/\($0 % 97)/page-\($0).html") }
        let others = try (0..<count).map { try WebURL("http://www.example/other/\($0 % 97)/page-\($0).html") }
        var store: DiskCache? = try DiskCache(path: path, access: .readWrite)
        try store?.startReceiving()
        print("memory before: \(memory()) kB")
        for (size, part) in [(2 << 10, 0..<count), (16 << 10, 0..<2000), ((16 << 10) + 1, 0..<2000)] {
            var finished: Duration = .zero
            let flushed = try clock.measure {
                finished = try clock.measure { for place in part { try put(store, urls[place], size) } }
                try store?.flushReceived()
            }
            let rates = (rate(finished, part.count), rate(flushed, part.count))
            print("put \(size) bytes: \(rates.0) per second, \(rates.1) per second including writing")
        }
        print("memory after: \(memory()) kB")
        print("hit, all: \(try time(store, urls.shuffled())) us")
        let few = Array(urls.shuffled().prefix(1000))
        _ = try time(store, few)
        print("hit, 1000 URLs from memory: \(try time(store, few)) us; with the body \(try answer(store, few)) us")
        print("miss: \(try time(store, others)) us")
        print("memory after lookups: \(memory()) kB")
        store = nil
        let opening = try clock.measure {
            store = try DiskCache(path: path, access: .readOnly)
            _ = try store?.candidates(for: urls[0])
        }
        print("open for reading and find one: \(opening)")
        print("another process, hit, all: \(try time(store, urls.shuffled())) us")
        let empty = path + "-empty"
        _ = try DiskCache(path: empty, access: .readWrite)
        store = try DiskCache(path: empty, access: .readOnly)
        print("miss in a cache without received responses: \(try time(store, others)) us")
    }

    private func put(_ store: DiskCache?, _ url: WebURL, _ size: Int) throws {
        let fields: HTTPFields = [
            .date: "Tue, 14 Nov 2023 22:13:20 GMT", .contentType: "text/html; charset=utf-8", .server: "example/1.0",
            .eTag: "\"5f3759df-2000\"", .lastModified: "Mon, 13 Nov 2023 08:00:00 GMT", .cacheControl: "max-age=3600",
            .contentLength: "\(size)", .vary: "Accept-Encoding",
        ]
        let request: HTTPFields = [.acceptEncoding: "gzip, br", .userAgent: "bench/1"]
        let response = StoredResponse(
            status: 200,
            fields: fields,
            size: 0,
            received: now,
            requestFields: request,
            requested: now
        )
        guard let body = try store?.receive(response, for: url) else { return }
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: size &+ url.description.utf8.count), count: size)
        try bytes.withUnsafeBytes { try body.write($0) }
        _ = try body.finish()
    }

    private func time(_ store: DiskCache?, _ urls: [WebURL]) throws -> Double {
        let took = try clock.measure { for url in urls { _ = try store?.candidates(for: url) } }
        return microseconds(took, urls.count)
    }

    private func answer(_ store: DiskCache?, _ urls: [WebURL]) throws -> Double {
        let took = try clock.measure {
            for url in urls {
                guard let found = try store?.candidates(for: url).first else { continue }
                _ = try store?.body(of: found)
                store?.markUsed(found, at: now)
            }
        }
        return microseconds(took, urls.count)
    }

    private func microseconds(_ duration: Duration, _ count: Int) -> Double {
        (duration / .microseconds(1) / Double(count) * 100).rounded() / 100
    }

    private func rate(_ duration: Duration, _ count: Int) -> Int { Int(Double(count) / (duration / .seconds(1))) }

    /// Returns the peak memory of the process, in kilobytes.
    private func memory() -> Int {
        var usage = rusage()
        // RUSAGE_SELF, whose type differs between C libraries.
        getrusage(0, &usage)
        return usage.ru_maxrss
    }
}
