internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

/// The result of a garbage collection.
public struct GarbageReport: Sendable, Equatable {
    /// The names of the packages whose previous generation was removed.
    public var previousGenerations: [String]
    /// The number of received responses that were removed.
    public var received = 0
    /// The bytes on disk before, as counted by the file system.
    public var bytesBefore: Int64
    /// The bytes on disk afterwards.
    public var bytesAfter: Int64
}

/// The removal of everything that is no longer needed.
struct GarbageCollection {
    private let change: CatalogueChange
    private let received: ReceivedArea

    init(_ change: CatalogueChange, received: ReceivedArea) { (self.change, self.received) = (change, received) }

    /// Removes everything that is no longer needed, and shrinks the database of received responses.
    func run(includingPrevious: Bool, now: Timestamp?) throws(CacheError) -> (previous: [String], received: Int) {
        let packages = change.catalogue.packages
        // First what needs no room on the disk.
        for package in packages where package.current.evicted != nil { try removeEvictedBodies(package.current) }
        try change.removeDamagedCatalogues()
        var previous: [String] = []
        if includingPrevious {
            previous = packages.filter { $0.previous != nil && $0.settings.retention == nil }.map(\.name)
        }
        let names = previous
        try change.commit { catalogue in
            for name in names { catalogue[name]?.older = [] }
            for package in packages { catalogue[package.name]?.trim(now: now) }
        }
        return (previous, try received.collectGarbage(now: now))
    }

    /// Removes the bodies of evicted entries, which a killed writer may have left.
    private func removeEvictedBodies(_ generation: Generation) throws(CacheError) {
        let files = change.layout.generation(generation.folder)
        let folder = try files.openFiles()
        let evicted = try EvictionBitmap.of(generation, in: change.layout)
        try GenerationIndex(files).forEach { resource throws(CacheError) in
            if evicted.contains(resource.number), let member = resource.member {
                try folder.removeFile(member)
            }
            return true
        }
    }
}
