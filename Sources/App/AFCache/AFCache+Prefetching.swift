internal import AFCResolver
public import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The result of loading a list of URLs ahead of their use.
public struct PrefetchReport: Sendable {
    /// The number of URLs whose responses came from their origins.
    public internal(set) var loaded = 0
    /// The number of URLs whose responses were stored already, and still fresh or confirmed by their origins.
    public internal(set) var known = 0
    /// The statuses of responses other than successes (2xx), by URL.
    public internal(set) var refused: [URL: Int] = [:]
    /// The URLs that were loaded but aren't stored, so that offline mode can't answer them, in the order of loading.
    ///
    /// Their responses forbid storing, state neither a lifetime nor a validator, or come by a redirect that isn't
    /// stored; or this cache can't store any (``AFCache/AFCache/storesResponses``). They count as ``loaded``, too.
    public internal(set) var notStored: [URL] = []
    /// The errors, by URL.
    public internal(set) var failures: [URL: any Error] = [:]
}

extension AFCache {
    /// Loads a list of URLs so that they are stored, a few at a time; errors don't end it.
    ///
    /// Requests have low priority, so that they don't delay others. What a response forbids to store isn't stored.
    ///
    /// - Parameters:
    ///   - urls: The URLs; repeated ones are loaded once.
    ///   - options: Options for each request; the priority is low.
    ///   - limit: The most URLs at a time, at least 1.
    ///   - progress: A closure called after each URL with the number of URLs that are done.
    /// - Returns: A report.
    /// - Throws: `CancellationError` if the task is cancelled; what was loaded until then is stored.
    @discardableResult
    public func prefetch(
        _ urls: [URL],
        options: LoadOptions = LoadOptions(),
        atOnce limit: Int = 4,
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> PrefetchReport {
        var options = options
        options.priority = .low
        let known = options
        var seen: Set<URL> = []
        let all = urls.filter { seen.insert($0).inserted }
        return try await withThrowingTaskGroup(of: (URL, Result<Prefetched, any Error>).self) { group in
            var rest = all[...]
            func next() {
                guard let url = rest.popFirst() else { return }
                group.addTask {
                    do {
                        return (url, .success(try await self.prefetch(url, known)))
                    } catch {
                        return (url, .failure(error))
                    }
                }
            }
            for _ in 0..<max(1, limit) { next() }
            var report = PrefetchReport()
            var done = 0
            while let (url, result) = try await group.next() {
                try Task.checkCancellation()
                report.add(url, result)
                done += 1
                progress?(done)
                next()
            }
            return report
        }
    }

    /// Loads a URL, and looks what is stored then.
    private func prefetch(_ url: URL, _ options: LoadOptions) async throws -> Prefetched {
        let loaded = try await load(URLRequest(url: url), options: options)
        let isNew = (200..<300).contains(loaded.statusCode) && loaded.source == .miss
        // What came from the cache is there.
        return Prefetched(response: loaded, isStored: isNew ? try await isStored(url) : true)
    }

    /// Returns true if offline mode would answer a request for a URL, with its redirects.
    private func isStored(_ url: URL) async throws -> Bool {
        try await blocking { cache in
            var request = URLRequest(url: url)
            for _ in 0...cache.configuration.redirects {
                let resolving = try request.resolving(LoadOptions(), place: .nowhere)
                guard let found = try cache.resolver.lookUp(resolving, policy: .returnCacheDataDontLoad) else {
                    return false
                }
                let (status, fields) = (found.response.status.code, found.response.fields.dictionary)
                let head = ResponseHead(request.url ?? url, status, fields)
                guard let next = RedirectRules.next(after: head.response, to: request) else { return true }
                request = next
            }
            return false
        }
    }
}

/// A response that was loaded ahead of its use.
private struct Prefetched: Sendable {
    var response: LoadedResponse
    var isStored: Bool
}

extension PrefetchReport {
    fileprivate mutating func add(_ url: URL, _ result: Result<Prefetched, any Error>) {
        switch result {
        case .failure(let error): failures[url] = error
        case .success(let prefetched):
            let loaded = prefetched.response
            if !prefetched.isStored { notStored.append(url) }
            if !(200..<300).contains(loaded.statusCode) {
                refused[url] = loaded.statusCode
            } else if loaded.source == .miss {
                self.loaded += 1
            } else {
                known += 1
            }
        }
    }
}
