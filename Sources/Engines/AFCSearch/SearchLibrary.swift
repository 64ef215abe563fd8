package import AFCCache
internal import AFCDiscovery
internal import AFCText
package import AFCURL
internal import Synchronization

/// The search over all packages of a cache, or over mounted ones: their indices, opened as needed; safe to use from any
/// thread.
///
/// Only packages are searched. Received responses may be private, and never get into an index.
package final class SearchLibrary: Sendable {
    /// The limits of a search.
    package enum Limits {
        /// The results on one page.
        package static let pageSize = 10
        /// The most results of one search, over all pages.
        package static let results = 200
        /// The most searches at the same time; further ones are refused.
        static let searches = 6
        /// The time for a search, in nanoseconds.
        static let time: UInt64 = 1_500_000_000
        /// The time for suggestions, in nanoseconds.
        static let suggestionTime: UInt64 = 250_000_000
        /// The number of suggestions.
        package static let suggestions = 8
    }

    private struct Opened: Sendable {
        var generation: CurrentGeneration
        /// The index; nil if there is none yet.
        var index: SearchIndex?
    }

    /// A failure whose cause, such as a full disk, may go away.
    private struct Failure {
        var count: Int
        var retry: ContinuousClock.Instant
    }

    private struct State {
        var mark: UInt64?
        var opened: [Opened] = []
        /// Indices that aren't in a cache, because this process can't write there.
        var temporary: [String: SearchIndex] = [:]
        /// Generations whose index couldn't be made.
        var failed: [String: Failure] = [:]
        var sites: (mark: UInt64, ready: Int, sites: [StoredSite])?
    }

    private let packages: any SearchedPackages
    private let state = Mutex(State())
    private let searches = Atomic<Int>(0)

    /// Creates a search; nothing is opened yet.
    ///
    /// - Parameter packages: The cache, which may be open for reading only, or the mounted packages.
    package init(_ packages: any SearchedPackages) { self.packages = packages }

    // MARK: Indices

    /// Returns the current generations with their indices; opens new ones, and closes those of replaced generations.
    private func current() throws(SearchError) -> [Opened] {
        do throws(CacheError) {
            let mark = try packages.changeMark()
            return try state.withLock { state throws(CacheError) in
                guard state.mark != mark else { return state.opened }
                let known = Dictionary(
                    state.opened.map { ($0.generation.folder, $0.index) },
                    uniquingKeysWith: { one, _ in one }
                )
                let generations = try packages.currentGenerations()
                let folders = Set(generations.map(\.folder))
                state.temporary = state.temporary.filter { folders.contains($0.key) }
                state.failed = state.failed.filter { folders.contains($0.key) }
                state.opened = generations.map { generation in
                    let index = known[generation.folder].flatMap(\.self) ?? Self.open(generation)
                    return Opened(generation: generation, index: index ?? state.temporary[generation.folder])
                }
                state.mark = mark
                return state.opened
            }
        } catch {
            throw SearchError(.cache, subject: error.subject, message: error.message)
        }
    }

    /// Opens the index of a generation; nil if there is none, or if it can't be used and must be made again.
    private static func open(_ generation: CurrentGeneration) -> SearchIndex? {
        guard let path = generation.searchIndex() else { return nil }
        return try? SearchIndex(path: path, generation: generation.digest)
    }

    /// The number of packages that can be searched, and of those that have no index yet.
    ///
    /// - Throws: ``SearchError`` if the cache can't be read.
    package func progress() throws(SearchError) -> (ready: Int, missing: Int) {
        let opened = try current()
        let ready = opened.count { $0.index != nil }
        return (ready, opened.count - ready)
    }

    /// Returns a generation that has no index and could get one now.
    ///
    /// - Parameter now: The time.
    /// - Returns: The generation; nil if there is none.
    /// - Throws: ``SearchError`` if the cache can't be read.
    package func nextWithoutIndex(at now: ContinuousClock.Instant = .now) throws(SearchError) -> CurrentGeneration? {
        let opened = try current()
        let failed = state.withLock { $0.failed }
        let next = opened.first { opened in
            guard opened.index == nil else { return false }
            return failed[opened.generation.folder].map { $0.retry <= now } ?? true
        }
        return next?.generation
    }

    /// Uses an index that isn't in the cache until the generation is replaced.
    ///
    /// - Parameters:
    ///   - made: The index; after its file is removed, its space is free once this process closes it.
    ///   - generation: The generation.
    /// - Throws: ``SearchError`` if it can't be opened.
    package func use(_ made: MadeIndex, for generation: CurrentGeneration) throws(SearchError) {
        let index = try SearchIndex(path: made.path, generation: generation.digest)
        state.withLock { state in
            state.temporary[generation.folder] = index
            state.mark = nil
        }
    }

    /// Notes that the index of a generation couldn't be made, so that it is tried again only after a while: a minute at
    /// first, then twice as long each time, at most an hour.
    package func postpone(_ generation: CurrentGeneration, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            let count = (state.failed[generation.folder]?.count ?? 0) + 1
            let minutes = min(60, 1 << min(count - 1, 6))
            state.failed[generation.folder] = Failure(count: count, retry: now + .seconds(60 * minutes))
        }
    }

    /// Makes the next search look for new indices.
    package func forget() { state.withLock { $0.mark = nil } }

    // MARK: Searching

    /// Searches; blocks.
    ///
    /// - Parameters:
    ///   - text: The query as typed.
    ///   - host: The host to search; nil for all.
    ///   - package: The package to search; nil for all.
    ///   - page: The page of the results, from 0.
    ///   - pageSize: The number of results on a page.
    /// - Returns: The results of the page.
    /// - Throws: ``SearchError`` if too many searches run, or the cache can't be read.
    package func search(
        _ text: String,
        host: String? = nil,
        package: String? = nil,
        page: Int = 0,
        pageSize: Int = Limits.pageSize
    ) throws(SearchError) -> SearchResults {
        try counted { () throws(SearchError) in
            let query = SearchQuery(text)
            let deadline = SearchClock.now + Limits.time
            var results = SearchResults(query: query)
            let opened = try current().filter { package == nil || $0.generation.package == package }
            results.missing = opened.count { $0.index == nil }
            guard !query.isEmpty else { return results }
            var hits = find(query, isLoose: true, in: opened, host: host, limit: Limits.results, deadline, &results)
            if hits.isEmpty, query.wanted.count > 1, !results.isCut {
                results.isAny = true
                hits = find(
                    query,
                    isAny: true,
                    isLoose: true,
                    in: opened,
                    host: host,
                    limit: Limits.results,
                    deadline,
                    &results
                )
            }
            results.count = hits.count
            let start = min(hits.count, max(0, page) * pageSize)
            for hit in hits[start...].prefix(pageSize) {
                results.results.append(hit.result(snippetFor: query))
            }
            return results
        }
    }

    /// Suggests pages while a query is being typed: those with the words in their titles first; blocks.
    ///
    /// - Parameters:
    ///   - text: The query as typed so far.
    ///   - host: The host to search; nil for all.
    ///   - isUnfinished: True if the last word may be the beginning of one.
    ///   - isAny: True if one of the words is enough.
    ///   - isOptional: True to fail at once if another search runs, so that a caller in a hurry never competes with it.
    /// - Returns: A few pages, without snippets.
    /// - Throws: ``SearchError`` if too many searches run, or the cache can't be read.
    package func suggest(
        _ text: String,
        host: String? = nil,
        isUnfinished: Bool = true,
        isAny: Bool = false,
        isOptional: Bool = false
    ) throws(SearchError) -> [SearchResult] {
        try counted(limit: isOptional ? 1 : Limits.searches) { () throws(SearchError) in
            let query = SearchQuery(text, isUnfinished: isUnfinished)
            // A single letter begins too many words.
            guard !query.isEmpty, query.words.joined().utf8.count > 1 else { return [] }
            let deadline = SearchClock.now + Limits.suggestionTime
            var results = SearchResults(query: query)
            let opened = try current()
            let found = find(query, isAny: isAny, in: opened, host: host, limit: 40, deadline, &results)
            return found.prefix(Limits.suggestions).map { $0.result(snippetFor: nil) }
        }
    }

    /// Runs a search unless too many are running.
    private func counted<Value>(
        limit: Int = Limits.searches,
        _ body: () throws(SearchError) -> Value
    ) throws(SearchError) -> Value {
        let running = searches.add(1, ordering: .relaxed).newValue
        defer { searches.subtract(1, ordering: .relaxed) }
        guard running <= limit else {
            throw SearchError(.tooSlow, subject: "search", message: "too many searches are running; try again")
        }
        return try body()
    }

    /// A page that was found, and its package.
    private struct Found {
        var hit: SearchIndex.Hit
        var resource: CurrentGeneration.Resource
        var url: WebURL
        var generation: CurrentGeneration

        func result(snippetFor query: SearchQuery?) -> SearchResult {
            let snippet = query.flatMap { query in
                SearchedPage(resource, in: generation).map { Snippet($0.text.text, for: query) }
            }
            return SearchResult(
                url: url,
                title: hit.title,
                language: hit.language,
                package: generation.package,
                snippet: snippet?.parts ?? []
            )
        }
    }

    private func find(
        _ query: SearchQuery,
        isAny: Bool = false,
        isLoose: Bool = false,
        in opened: [Opened],
        host: String?,
        limit: Int,
        _ deadline: UInt64,
        _ results: inout SearchResults
    ) -> [Found] {
        var found: [Found] = []
        for package in opened {
            guard let index = package.index else { continue }
            do {
                let numbers = try host.map { try package.generation.numbers(ofHost: $0) }
                if let numbers, numbers.isEmpty { continue }
                let hits = try index.search(
                    query,
                    isAny: isAny,
                    isLoose: isLoose,
                    in: numbers,
                    limit: limit,
                    deadline: deadline
                )
                for hit in hits {
                    guard let resource = try package.generation.resource(hit.number),
                        let url = try? WebURL(resource.url)
                    else { continue }
                    found.append(Found(hit: hit, resource: resource, url: url, generation: package.generation))
                }
            } catch let error as SearchError where error.code == .tooSlow {
                results.isCut = true
            } catch {
                results.isIncomplete = true
            }
        }
        found.sort { ($0.hit.score, $1.url) > ($1.hit.score, $0.url) }
        return Array(Self.distinct(found).prefix(limit))
    }

    /// Leaves one of several pages with the same URL or the same words: the one with the shortest URL, at the best place.
    private static func distinct(_ found: [Found]) -> [Found] {
        var places: [Int64: Int] = [:]
        var urls: Set<WebURL> = []
        var distinct: [Found] = []
        for one in found where urls.insert(one.url).inserted {
            if let place = places[one.hit.mark] {
                if one.url.description.utf8.count < distinct[place].url.description.utf8.count { distinct[place] = one }
                continue
            }
            places[one.hit.mark] = distinct.count
            distinct.append(one)
        }
        return distinct
    }

    // MARK: Sites

    /// Returns what is known of the sites in the cache from their start pages; blocks.
    ///
    /// - Parameter starts: The start page of each site.
    /// - Returns: A description for each start page that is in a package.
    /// - Throws: ``SearchError`` if the cache can't be read.
    package func sites(_ starts: [WebURL]) throws(SearchError) -> [WebURL: StoredSite] {
        let opened = try current()
        let (mark, known) = state.withLock { state in (state.mark ?? 0, state.sites) }
        let ready = opened.count { $0.index != nil }
        var sites: [StoredSite]
        if let known, known.mark == mark, known.ready == ready {
            sites = known.sites
        } else {
            var budget = StoredSite.iconBudget
            sites = []
            for start in starts {
                for package in opened {
                    guard (try? package.generation.resource(start)) != nil else { continue }
                    sites.append(StoredSite(start, package.generation, budget: &budget))
                    break
                }
            }
            let made = sites
            state.withLock { $0.sites = (mark, ready, made) }
        }
        return Dictionary(sites.map { ($0.start, $0) }, uniquingKeysWith: { one, _ in one })
    }
}

/// The results of a search.
package struct SearchResults: Sendable {
    /// The query as it was understood.
    package var query: SearchQuery
    /// The results of the page.
    package var results: [SearchResult] = []
    /// The number of results on all pages, at most ``SearchLibrary/Limits/results``.
    package var count = 0
    /// True if no page has all words, so that these have some of them.
    package var isAny = false
    /// True if the search took too long, so that some packages weren't searched.
    package var isCut = false
    /// True if an index is damaged, so that its package wasn't searched.
    package var isIncomplete = false
    /// The number of packages without an index, which weren't searched.
    package var missing = 0
}

/// A page that was found.
package struct SearchResult: Sendable, Equatable {
    /// The URL of the page.
    package var url: WebURL
    /// The title; empty if it has none.
    package var title: String
    /// The primary language, in lower case; nil if it is unknown.
    package var language: String?
    /// The name of the package.
    package var package: String
    /// A part of the text around the words.
    package var snippet: [Snippet.Part]
}
