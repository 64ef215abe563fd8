package import AFCCache
internal import AFCFiles
internal import AFCText

/// Keeps the search indices of packages complete: makes those that are missing, one at a time.
package struct SearchKeeper: Sendable {
    /// The most bytes of text of one package in an index that isn't in the cache.
    private static let temporaryTextLimit = 512 << 20
    /// The share of the time, in percent, in which the work behind a server pauses.
    private static let pausePercent = 50

    private let library: SearchLibrary
    private let cache: DiskCache?
    private let temporaryFolder: String

    /// Creates a keeper, which does nothing yet.
    ///
    /// - Parameters:
    ///   - library: The search that uses the indices.
    ///   - cache: The cache, which may be open for reading only; nil for mounted packages.
    ///   - temporaryFolder: The folder for unfinished indices, and for those that can't be put into a cache.
    package init(_ library: SearchLibrary, cache: DiskCache?, temporaryFolder: String) {
        (self.library, self.cache, self.temporaryFolder) = (library, cache, temporaryFolder)
    }

    /// Makes missing indices, now and after each change of the packages, until the task is cancelled.
    ///
    /// - Parameter onTrouble: Called with a sentence if an index can't be made.
    package func run(onTrouble: @Sendable (String) -> Void) async {
        // The first requests and a restart come first.
        try? await Task.sleep(for: .seconds(2))
        while !Task.isCancelled {
            let library = library
            let next = try? await OffPool.run { () throws(SearchError) in try library.nextWithoutIndex() }
            if let next = next.flatMap(\.self) {
                await make(next, onTrouble: onTrouble)
            } else {
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    /// Makes the index of one generation, and puts it into the cache if this process may write there.
    private func make(_ generation: CurrentGeneration, onTrouble: @Sendable (String) -> Void) async {
        let isStored = cache?.isWritable ?? false
        let flag = CancellationFlag()
        let options = SearchIndexing.Options(
            folder: temporaryFolder,
            textLimit: isStored ? .max : Self.temporaryTextLimit,
            pausePercent: Self.pausePercent,
            isCancelled: { flag.isCancelled }
        )
        do {
            let made = try await withTaskCancellationHandler {
                try await OffPool.run { () throws(SearchError) in try SearchIndexing.make(generation, options) }
            } onCancel: {
                flag.cancel()
            }
            defer { made.remove() }
            if isStored, let cache, await Self.store(made, for: generation, in: cache) {
                library.forget()
            } else {
                try library.use(made, for: generation)
            }
        } catch {
            guard !Task.isCancelled else { return }
            library.postpone(generation)
            onTrouble("package \(PrintableText.quoted(generation.package)) can't be searched: \(error)")
        }
    }

    /// Puts an index into the cache; false if that isn't possible now.
    private static func store(
        _ made: MadeIndex,
        for generation: CurrentGeneration,
        in cache: DiskCache
    ) async -> Bool {
        let path = made.path
        do {
            let folder = cache.path
            let writer = try await OffPool.run { () throws(CacheError) in
                try DiskCache(path: folder, access: .existing)
            }
            let isStored = try await writer.storeSearchIndex(
                path,
                for: generation,
                patience: WriterPatience(seconds: 5)
            )
            try await OffPool.run { () throws(CacheError) in try writer.close() }
            return isStored
        } catch {
            return false
        }
    }

    /// Makes and stores the index of a generation now, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - cache: The cache, open for changes.
    ///   - temporaryFolder: The folder for the unfinished index.
    ///   - patience: The waiting time for another writer.
    /// - Returns: What was made; nil if the generation was replaced in the meantime.
    /// - Throws: ``SearchError`` or ``CacheError`` if it can't be made or stored.
    package static func makeNow(
        _ generation: CurrentGeneration,
        in cache: DiskCache,
        temporaryFolder: String,
        patience: WriterPatience
    ) async throws -> SearchIndexReport? {
        let options = SearchIndexing.Options(folder: temporaryFolder)
        let made = try await OffPool.run { () throws(SearchError) in try SearchIndexing.make(generation, options) }
        defer { made.remove() }
        let path = made.path
        guard try await cache.storeSearchIndex(path, for: generation, patience: patience) else { return nil }
        return SearchIndexReport(pages: made.pages, words: made.words, bytes: made.bytes)
    }
}

/// What is known of an index that was made.
package struct SearchIndexReport: Sendable, Equatable {
    /// The number of pages.
    package let pages: Int
    /// The number of words of all pages.
    package let words: Int
    /// The size of the index, in bytes.
    package let bytes: Int64
}
