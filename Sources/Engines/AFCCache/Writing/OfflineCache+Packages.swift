internal import AFCCaching
internal import AFCFiles
public import AFCHTTP
public import AFCText
internal import GRDB

/// What collecting garbage removed.
public struct GarbageReport: Sendable, Equatable {
    /// Names of packages whose previous generation was removed.
    public var previousGenerations: [String]
    /// How many received responses left.
    public var received = 0
    /// The bytes on disk before and after, as the file system counts them.
    public var bytesBefore: Int64
    /// The bytes on disk after.
    public var bytesAfter: Int64
}

extension OfflineCache {
    /// Removes a package; what other packages brought stays, also where this one's was served instead.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it was.
    /// - Throws: ``CacheError`` where there is none of that name.
    public func remove(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience, isFreeing: true) { () throws(CacheError) in
            let package = try self.writer.catalogued(name)
            try self.writer.commit { db in try CataloguedPackage.delete(name: name, from: db) }
            return InstalledPackage(package)
        }
    }

    /// Returns to a package's previous generation; the current one becomes the previous one.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it is now.
    /// - Throws: ``CacheError`` where there is no such package, or nothing to return to.
    public func rollBack(_ name: String, patience: WriterPatience = WriterPatience()) async throws(CacheError)
        -> InstalledPackage
    {
        try await writer.changing(patience) { () throws(CacheError) in
            var package = try self.writer.catalogued(name)
            guard let previous = package.previous else {
                throw CacheError(
                    .noPrevious,
                    subject: self.path,
                    message:
                        "the store has no previous generation of '\(name)' to return to; load the package that you want"
                )
            }
            package.previous = package.current
            package.current = previous
            try self.writer.commit { [package] db in try package.save(to: db) }
            return InstalledPackage(package)
        }
    }

    /// Changes what counts when packages meet or the store is full; what is nil stays.
    ///
    /// - Parameters:
    ///   - name: The package.
    ///   - priority: The new priority.
    ///   - isPinned: Whether it is kept when the store is full.
    ///   - isSeparable: Whether its entries may leave one by one.
    ///   - source: Where it came from.
    ///   - patience: How long to wait for another writer.
    /// - Returns: The package as it is now.
    /// - Throws: ``CacheError`` where there is none of that name.
    public func update(
        _ name: String,
        priority: Int? = nil,
        isPinned: Bool? = nil,
        isSeparable: Bool? = nil,
        source: String? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> InstalledPackage {
        try await writer.changing(patience) { () throws(CacheError) in
            var package = try self.writer.catalogued(name)
            package.priority = priority ?? package.priority
            package.isPinned = isPinned ?? package.isPinned
            package.isSeparable = isSeparable ?? package.isSeparable
            package.current.source = source ?? package.current.source
            try self.writer.commit { [package] db in
                try package.save(to: db)
                try db.execute(
                    sql: "UPDATE generation SET source = ? WHERE id = ?",
                    arguments: [package.current.source, package.current.id]
                )
            }
            return InstalledPackage(package)
        }
    }

    /// Removes what is no longer needed, and gives the space of the catalogue back.
    ///
    /// - Parameters:
    ///   - includingPrevious: Whether previous generations are removed, so that nothing can be rolled back.
    ///   - now: For when received responses that expired or were invalidated are removed; nil to keep them.
    ///   - patience: How long to wait for another writer.
    /// - Returns: What was removed.
    /// - Throws: ``CacheError`` where something can't be removed.
    public func collectGarbage(
        includingPrevious: Bool,
        now: Timestamp? = nil,
        patience: WriterPatience = WriterPatience()
    ) async throws(CacheError) -> GarbageReport {
        let before = diskUsage
        var report = try await writer.changing(patience, isFreeing: true) { () throws(CacheError) in
            let packages = try self.writer.catalogue()
            var report = GarbageReport(previousGenerations: [], bytesBefore: before, bytesAfter: 0)
            if includingPrevious {
                report.previousGenerations = packages.filter { $0.previous != nil }.map(\.name)
                try self.writer.commit { db in try db.execute(sql: "UPDATE package SET previous = NULL") }
            }
            try self.removeDisplacedBodies(packages)
            try self.removeDamagedCatalogues()
            do {
                try self.writer.openedDatabase().writeWithoutTransaction { db in
                    try db.execute(sql: "VACUUM")
                    try db.checkpoint(.truncate)
                }
            } catch {
                throw CacheError(database: error, path: self.layout.catalogue)
            }
            report.received = try self.received.collectGarbage(now: now).count
            return report
        }
        // Counted once the database is closed, since its log and shared memory are gone then.
        report.bytesAfter = diskUsage
        return report
    }

    /// Removes the bodies of displaced entries, which a killed writer may have left.
    private func removeDisplacedBodies(_ packages: [CataloguedPackage]) throws(CacheError) {
        for package in packages where !package.current.displaced.isEmpty {
            let files = layout.generation(package.current.folder)
            let folder = try files.openFiles()
            try GenerationIndex(files).forEach { resource throws(CacheError) in
                if package.current.displaced.contains(resource.number), let member = resource.member {
                    try folder.removeFile(member)
                }
                return true
            }
        }
    }
}
