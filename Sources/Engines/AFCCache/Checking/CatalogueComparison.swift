internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import GRDB

/// The comparison of the catalogue's database, in which SQLite notices no changed byte, with the published catalogue.
enum CatalogueComparison {
    /// The finding in words.
    static let words = "the catalogue contradicts 'catalogue.json', which has a digest; repairing the cache restores it"

    /// Returns true if the two contradict each other, although no change is being made, and none was interrupted.
    static func differ(_ layout: CacheLayout) throws(CacheError) -> Bool {
        // A writer that was interrupted between both leaves its name in the lock, and the next one publishes the
        // database. This holds the lock, so that no writer comes in between.
        guard let lock = try restingLock(layout) else { return false }
        defer { lock.release() }
        return try contradict(layout)
    }

    /// Returns true if the two contradict each other; the caller holds the lock.
    static func contradict(_ layout: CacheLayout) throws(CacheError) -> Bool {
        let published: PublishedCatalogue?
        do throws(CacheError) {
            published = try PublishedCatalogue.read(layout)?.catalogue
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
        guard let published else { return false }
        return try CacheDatabase.read(layout) { db in try PublishedCatalogue.fetch(db) } != published
    }

    /// Takes the writers' lock; nil if a process has it, if the last one was interrupted, or if this one may not.
    private static func restingLock(_ layout: CacheLayout) throws(CacheError) -> FileLock? {
        guard Descriptor.allows(layout.lock, W_OK) else { return nil }
        let lock = try onDisk { () throws(FileError) in try FileLock(file: layout.lock, making: false) }
        guard lock.take(waiting: false) == .held, lock.note == nil else { return nil }
        return lock
    }
}
