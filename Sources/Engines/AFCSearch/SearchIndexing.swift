package import AFCCache
internal import AFCDiscovery
internal import AFCFiles
import AFCPlatform
internal import AFCText

/// A search index that was made in a folder for temporary files.
package struct MadeIndex: Sendable {
    /// The path of the index.
    package let path: String
    /// The number of pages in it.
    package let pages: Int
    /// The number of words of all pages.
    package let words: Int
    /// The size of the index, in bytes.
    package let bytes: Int64
    fileprivate let folder: TemporaryFolder

    /// Removes the file, as whoever has used it must do.
    package func remove() { folder.remove() }
}

/// Makes the search index of a generation.
package enum SearchIndexing {
    /// Rules for making an index.
    package struct Options: Sendable {
        /// The folder for the unfinished index.
        package var folder: String
        /// The most bytes of text that are read; further pages are left out.
        package var textLimit: Int
        /// The share of the time in which the work pauses, in percent, so that other work comes first.
        package var pausePercent: Int
        /// Returns true if the work is to stop.
        package var isCancelled: @Sendable () -> Bool

        /// Creates rules.
        package init(
            folder: String,
            textLimit: Int = .max,
            pausePercent: Int = 0,
            isCancelled: @escaping @Sendable () -> Bool = { false }
        ) {
            (self.folder, self.textLimit, self.pausePercent) = (folder, textLimit, pausePercent)
            self.isCancelled = isCancelled
        }
    }

    /// Makes the index of a generation; blocks.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - options: The rules.
    /// - Returns: The index, whose file the caller removes.
    /// - Throws: ``SearchError`` if it can't be made, or the work was stopped.
    package static func make(_ generation: CurrentGeneration, _ options: Options) throws(SearchError) -> MadeIndex {
        let folder: TemporaryFolder
        do throws(FileError) {
            // Nobody else can put files beside the database, on which SQLite would act.
            folder = try TemporaryFolder(for: "search", in: options.folder)
        } catch {
            throw SearchError(.inputOutput, subject: options.folder, message: error.reason)
        }
        let path = folder.path + "/search"
        do throws(SearchError) {
            var writer = try SearchIndexWriter(path: path)
            try fill(&writer, from: generation, options, path: path)
            try writer.finish(generation.digest)
            var status = stat()
            let bytes = lstat(path, &status) == 0 ? Int64(status.st_size) : 0
            return MadeIndex(path: path, pages: writer.pages, words: writer.words, bytes: bytes, folder: folder)
        } catch {
            folder.remove()
            throw error
        }
    }

    private static func fill(
        _ writer: inout SearchIndexWriter,
        from generation: CurrentGeneration,
        _ options: Options,
        path: String
    ) throws(SearchError) {
        var failure: SearchError?
        var seen: Set<[UInt8]> = []
        var bytes = 0
        do throws(CacheError) {
            try generation.forEachResource { resource throws(CacheError) in
                guard !options.isCancelled() else {
                    failure = SearchError(.cancelled, subject: path, message: "the search index was not finished")
                    return false
                }
                // The same body under several URLs is found once, by the URL that sorts first.
                if !resource.digest.isEmpty, seen.contains(resource.digest) { return true }
                let start = SearchClock.now
                guard let page = SearchedPage(resource, in: generation), !page.isLeftOut(resource, of: generation)
                else {
                    return true
                }
                if !resource.digest.isEmpty { seen.insert(resource.digest) }
                bytes += page.text.text.utf8.count
                guard bytes <= options.textLimit else { return false }
                do throws(SearchError) {
                    try writer.add(page.text, number: resource.number, isPlain: page.isPlain)
                } catch {
                    failure = error
                    return false
                }
                pause(since: start, options)
                return true
            }
        } catch {
            throw SearchError(.cache, subject: error.subject, message: error.message)
        }
        if let failure { throw failure }
    }

    /// Pauses for a share of the time that a page took, so that requests don't have to wait for the index.
    private static func pause(since start: UInt64, _ options: Options) {
        guard options.pausePercent > 0, options.pausePercent < 100 else { return }
        let spent = (SearchClock.now - start) / 1000
        let pause = spent * UInt64(options.pausePercent) / UInt64(100 - options.pausePercent)
        usleep(UInt32(min(pause, 500_000)))
    }
}
