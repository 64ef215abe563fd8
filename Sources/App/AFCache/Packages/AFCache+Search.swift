internal import AFCCache
internal import AFCFiles
internal import AFCSearch
public import Foundation

extension AFCache {
    /// The pages that a search found.
    public struct SearchResults: Sendable, Equatable {
        /// A page that was found.
        public struct Page: Sendable, Equatable {
            /// The URL of the page.
            public let url: URL
            /// The title; empty if it has none.
            public let title: String
            /// A part of its text around the words, on one line.
            public let excerpt: String
            /// The name of the package.
            public let package: String
        }

        /// Ten results at most, the best first.
        public let pages: [Page]
        /// The number of all results, 200 at most.
        public let count: Int
    }

    /// Searches the text of the pages in all packages, installed and mounted.
    ///
    /// The first search in a package makes its index, which takes about a second for a thousand pages: that of an
    /// installed package is kept in the cache, that of a mounted one for this process only. Received responses aren't
    /// searched. See docs/reference/search.md.
    ///
    /// - Parameters:
    ///   - words: What a user has typed.
    ///   - host: The host to search; nil for all.
    ///   - offset: The number of results to skip, a multiple of ten.
    /// - Returns: The results.
    /// - Throws: ``Failure`` if an index can't be made, too many searches run, or the cache can't be read;
    ///   `CancellationError` if the task is cancelled.
    public func search(_ words: String, host: String? = nil, offset: Int = 0) async throws -> SearchResults {
        try await Failure.of {
            precondition(offset >= 0 && offset % SearchLibrary.Limits.pageSize == 0, "the offset is \(offset)")
            try await shared.makeSearchIndexes()
            let found = try await blocking { cache in
                try cache.shared.library.search(words, host: host, page: offset / SearchLibrary.Limits.pageSize)
            }
            return SearchResults(
                pages: found.results.map { result in
                    SearchResults.Page(
                        url: URL(result.url),
                        title: result.title,
                        excerpt: result.snippet.map(\.text).joined(),
                        package: result.package
                    )
                },
                count: found.count
            )
        }
    }
}

extension SharedFolder {
    /// Makes the search indexes that are missing, one after the other; callers at the same time share the work.
    fileprivate func makeSearchIndexes() async throws {
        try await indexing.value(for: 0) { [self] in
            while let next = try await OffPool.run({ try self.library.nextWithoutIndex() }) {
                try Task.checkCancellation()
                let flag = CancellationFlag()
                let options = SearchIndexing.Options(
                    folder: OutputTarget.temporaryFolder,
                    isCancelled: { flag.isCancelled }
                )
                let made = try await withTaskCancellationHandler {
                    try await OffPool.run { try SearchIndexing.make(next, options) }
                } onCancel: {
                    flag.cancel()
                }
                defer { made.remove() }
                if !next.isMounted, store.isWritable, try await store.storeSearchIndex(made.path, for: next) {
                    library.forget()
                } else {
                    try library.use(made, for: next)
                }
            }
        }
    }
}
