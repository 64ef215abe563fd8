internal import AFCResolver
public import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension AFCache {
    /// The result of loading a list of URLs ahead of their use.
    public struct PrefetchReport: Sendable, CustomStringConvertible {
        /// The number of URLs whose responses came from their origins.
        public internal(set) var loaded = 0
        /// The number of URLs whose responses were stored already, and still fresh or confirmed by their origins.
        public internal(set) var known = 0
        /// The statuses of responses other than successes (2xx), by URL.
        public internal(set) var refused: [URL: Int] = [:]
        /// The reasons for URLs that were loaded but aren't stored, so that offline mode can't answer them.
        ///
        /// They count as ``loaded``, too.
        public internal(set) var notStored: [URL: Obstacle] = [:]
        /// The errors, by URL.
        public internal(set) var failures: [URL: any Error] = [:]

        /// The numbers in words.
        public var description: String {
            "\(loaded) loaded, \(known) known, \(refused.count) refused, \(notStored.count) not stored, "
                + "\(failures.count) failed"
        }

        /// The reason that a response isn't stored.
        public enum Obstacle: Sendable, Equatable, CaseIterable, CustomStringConvertible {
            /// The response, or the request, forbids it.
            case forbidden
            /// The storage policy, or a capacity of 0, doesn't allow it.
            case notAllowed
            /// Another process stores responses in the folder (``AFCache/AFCache/storesResponses``).
            case otherProcess
            /// The body is larger than ``AFCache/AFCache/Configuration/largestStoredBody`` or the capacity.
            case tooLarge
            /// The response states neither a lifetime nor a validator, and
            /// ``AFCache/AFCache/Configuration/storesWithoutLifetime`` is false.
            case noLifetime
            /// Something else: `willCacheResponse` prevented it, a redirect to it isn't stored, it is a stream of events, or
            /// the disk is full, which ``AFCache/AFCache/Configuration/onTrouble`` reports.
            case other

            /// The reason as the end of a sentence.
            public var description: String {
                switch self {
                case .forbidden: "the response or the request forbids storing it"
                case .notAllowed: "the storage policy or a capacity of 0 doesn't allow storing it"
                case .otherProcess: "another process stores responses in this folder"
                case .tooLarge: "its body is too large to be stored"
                case .noLifetime: "it states neither a lifetime nor a validator"
                case .other: "it, or a redirect to it, was not kept"
                }
            }
        }
    }
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
                        return (url, .success(try await Failure.of { try await self.prefetch(url, known) }))
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
        let (open, last) = try await openLast(URLRequest(url: url), options, nil)
        try await open.reader.skip()
        var result = Prefetched(status: open.head.status, source: open.source)
        // What came from the cache is there.
        guard (200..<300).contains(result.status), result.source == .miss, try await !isStored(url) else {
            return result
        }
        result.obstacle = try await blocking { try $0.obstacle(open, to: last, options) }
        return result
    }

    /// Returns the reason that a response wasn't stored; blocks.
    private func obstacle(
        _ open: OpenResponse,
        to request: URLRequest,
        _ options: LoadOptions
    ) throws -> PrefetchReport.Obstacle {
        let place = place(options)
        if place == .nowhere { return .notAllowed }
        if place == .disk, !storesResponses { return .otherProcess }
        let resolving = try request.resolving(options, place: place)
        guard let response = open.response else { return .other }
        guard resolver.storable(response.fields, status: response.status.code, for: resolving) != nil else {
            var assigned = resolving
            assigned.assignedLifetime = 0
            let known = resolver.storable(response.fields, status: response.status.code, for: assigned)
            guard known != nil else { return .forbidden }
            return configuration.storesWithoutLifetime ? .other : .noLifetime
        }
        let limit = min(configuration.largestStoredBody, Int64(place == .disk ? diskCapacity : memoryCapacity))
        return (open.expectedBytes ?? 0) > limit ? .tooLarge : .other
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
    var status: Int
    var source: AFCache.LoadedResponse.Source
    var obstacle: AFCache.PrefetchReport.Obstacle?
}

extension AFCache.PrefetchReport {
    fileprivate mutating func add(_ url: URL, _ result: Result<Prefetched, any Error>) {
        switch result {
        case .failure(let error): failures[url] = error
        case .success(let prefetched):
            notStored[url] = prefetched.obstacle
            if !(200..<300).contains(prefetched.status) {
                refused[url] = prefetched.status
            } else if prefetched.source == .miss {
                loaded += 1
            } else {
                known += 1
            }
        }
    }
}
