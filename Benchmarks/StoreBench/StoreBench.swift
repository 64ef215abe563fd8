import AFCCache
import AFCCaching
internal import AFCHTTP
import AFCURL

/// Measures opening a cache and finding URLs in it, and other parts of afcache.
///
///     storebench CACHE [LOOKUPS]                 opens a cache and finds URLs; the best of five
///     storebench evict TRACE                     the hit rate of a cache that is too small
///     storebench received CACHE [COUNT]          stores and finds received responses in a new cache
///     storebench mount PACKAGE FOLDER            mounts a package, first and again; FOLDER keeps it, PACKAGE.index too
///     storebench manifest FILE                   only parses a manifest; the best of five
///     storebench rewrite FOLDER                  finds and replaces the references of a folder's pages; the best of five
///     storebench written PACKAGE [COUNT [SAME]]  writes a package of COUNT pages, SAME percent like the previous one
@main
enum StoreBench {
    static func main() async throws {
        guard CommandLine.arguments.count >= 2 else {
            print(
                "usage: storebench CACHE [LOOKUPS], storebench evict TRACE, storebench received CACHE [COUNT], "
                    + "storebench mount PACKAGE FOLDER, storebench manifest FILE, storebench rewrite FOLDER, or storebench written PACKAGE [COUNT [SAME]]"
            )
            return
        }
        if CommandLine.arguments[1] == "written", CommandLine.arguments.count >= 3 {
            let numbers = CommandLine.arguments.dropFirst(3).compactMap { Int($0) }
            let (count, duplicates) = (numbers.first ?? 100_000, numbers.dropFirst().first ?? 0)
            let path = CommandLine.arguments[2]
            return try await PackageBenchmark(count: count, path: path, duplicates: duplicates).run()
        }
        if CommandLine.arguments[1] == "mount", CommandLine.arguments.count == 4 {
            return try mount(CommandLine.arguments[2], keeping: CommandLine.arguments[3])
        }
        if CommandLine.arguments[1] == "manifest", CommandLine.arguments.count == 3 {
            return try ManifestBenchmark(path: CommandLine.arguments[2]).run()
        }
        if CommandLine.arguments[1] == "rewrite", CommandLine.arguments.count == 3 {
            return try RewritingBenchmark(path: CommandLine.arguments[2]).run()
        }
        if CommandLine.arguments[1] == "evict", CommandLine.arguments.count == 3 {
            return try EvictionSimulation(path: CommandLine.arguments[2]).run()
        }
        if CommandLine.arguments[1] == "received", CommandLine.arguments.count >= 3 {
            let count = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 100_000 : 100_000
            return try ReceivingBenchmark(path: CommandLine.arguments[2], count: count).run()
        }
        let path = CommandLine.arguments[1]
        let wanted = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 20000 : 20000
        let clock = ContinuousClock()
        let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
        var urls: [WebURL] = []
        do {
            let store = try DiskCache(path: path, access: .readOnly)
            let total = try store.packages().reduce(0) { $0 + $1.resources }
            var last: WebURL?
            // URLs from all over the cache, so that a lookup seldom uses a page that the previous one has read.
            while urls.count < wanted {
                let page = try store.resources(after: last, limit: max(1, min(1000, wanted - urls.count)))
                urls.append(contentsOf: page.map(\.url))
                guard page.count == 1000, urls.count < total else { break }
                last = page.last?.url
            }
        }
        urls.shuffle()
        var opening: [Duration] = []
        var finding: [Duration] = []
        var answering: [Duration] = []
        for _ in 0..<5 {
            var store: DiskCache?
            opening.append(
                try clock.measure {
                    store = try DiskCache(path: path, access: .readOnly)
                    _ = try store?.contains(urls[0])
                }
            )
            guard let store else { return }
            finding.append(try clock.measure { for url in urls { _ = try store.contains(url) } })
            let policy = OfflinePolicy()
            answering.append(
                try clock.measure {
                    for url in urls {
                        _ = try store.respond(to: OfflineRequest(url: url), now: now, policy: policy)
                    }
                }
            )
        }
        print("open and find one: \(microseconds(opening.min(), 1) / 1000) ms")
        print("find: \(microseconds(finding.min(), urls.count)) us per URL")
        print("answer, with the body opened: \(microseconds(answering.min(), urls.count)) us per URL")
    }

    private static func microseconds(_ duration: Duration?, _ count: Int) -> Double {
        let (seconds, attoseconds) = (duration ?? .zero).components
        let total = Double(seconds) * 1e6 + Double(attoseconds) / 1e12
        return (total / Double(count) * 100).rounded() / 100
    }
}

extension StoreBench {
    /// Prints the milliseconds of mounting a package and answering for one URL: the first time, and the median of five
    /// more, and the first time with an index that was made beforehand.
    private static func mount(_ path: String, keeping folder: String) throws {
        let clock = ContinuousClock()
        let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
        var options = MountedPackages.Options()
        options.indexFolder = folder
        var url: WebURL?
        var times: [Double] = []
        for _ in 0..<6 {
            let duration = try clock.measure {
                let packages = try MountedPackages([path], options: options, now: now)
                if let url { _ = try packages.respond(to: OfflineRequest(url: url), now: now, policy: OfflinePolicy()) }
                if url == nil { url = try packages.resources(limit: 1).first?.url }
            }
            times.append(duration / .milliseconds(1))
        }
        // The first time with an index that was made beforehand, by another value with nothing in memory.
        let index = path + ".index"
        try MountedPackages.writeIndex(of: path, to: index, now: now)
        options.indexFolder = nil
        options.indexes = [index]
        let prepared = try clock.measure {
            let packages = try MountedPackages([path], options: options, now: now)
            if let url { _ = try packages.respond(to: OfflineRequest(url: url), now: now, policy: OfflinePolicy()) }
        }
        print("\(times[0]) \(times[1...].sorted()[2]) \(prepared / .milliseconds(1))")
    }
}
