internal import GRDB
public import HTTPCaching
internal import HTTPTypes
internal import PackageFile
internal import PackageFormat
internal import URLStandard
internal import ZipArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension OfflineCache {
    /// Loads a package: all of it, or nothing of it.
    ///
    /// The bodies are extracted aside, checked and synced; then one transaction makes the package visible in the place of
    /// an earlier one of the same name. Readers see the old package until then and the new one after. When this returns,
    /// a power cut doesn't undo it. See docs/store.md.
    ///
    /// - Parameters:
    ///   - packagePath: The package.
    ///   - name: Under what name it is kept; a later package of this name replaces it. By default the file's name without
    ///     its suffix.
    ///   - now: The present time.
    ///   - onWait: Called once where another process holds the store.
    /// - Returns: What was loaded.
    /// - Throws: ``CacheError``; the store is then as it was.
    public func install(
        _ packagePath: String,
        name: String? = nil,
        now: Timestamp,
        onWait: @escaping @Sendable () -> Void = {}
    ) async throws(CacheError) -> InstalledPackage {
        let name = name ?? Self.defaultName(of: packagePath)
        return try await OffPool.run { () throws(CacheError) in
            try self.installBlocking(packagePath, name: name, now: now, onWait: onWait)
        }
    }

    private func installBlocking(
        _ packagePath: String,
        name: String,
        now: Timestamp,
        onWait: () -> Void
    ) throws(CacheError) -> InstalledPackage {
        guard let writer else {
            throw CacheError(.inputOutput, subject: path, message: "the store was opened for reading only")
        }
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: packagePath)
            try package.requireLoadable()
        } catch {
            throw CacheError(error)
        }
        let lock = try WriterLock(layout, onWait: onWait)
        try collectLeftovers()
        let folder = Self.uniqueName()
        let staging = layout.staging(folder)
        try Folders.make(staging)
        do throws(CacheError) {
            let workers = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            let digests = try Extraction.run(package, into: staging, workers: workers)
            try Folders.sync(staging)
            try moveIntoPlace(folder)
            let summary = InstalledPackage(package, name: name, now: now)
            let replaced = try commit(package, summary, folder: folder, digests: digests, to: writer)
            // The index no longer points to it; what can't be removed now is collected by the next load.
            if let replaced { try? Folders.remove(layout.package(replaced)) }
            _ = consume lock
            return summary
        } catch {
            try? Folders.remove(staging)
            try? Folders.remove(layout.package(folder))
            throw error
        }
    }

    /// Removes what loads that were killed left behind; the lock is held, so nobody else is loading.
    private func collectLeftovers() throws(CacheError) {
        for name in Folders.names(in: layout.staging) { try Folders.remove(layout.staging(name)) }
        let known = try read { db in try String.fetchSet(db, sql: "SELECT folder FROM package") }
        for name in Folders.names(in: layout.packages) where !known.contains(name) {
            try Folders.remove(layout.package(name))
        }
    }

    private func moveIntoPlace(_ folder: String) throws(CacheError) {
        do throws(ZipError) {
            try Durable.rename(layout.staging(folder), to: layout.package(folder))
        } catch {
            throw CacheError(.inputOutput, subject: layout.package(folder), message: error.message)
        }
    }

    /// Makes the package visible, and says which folder it replaces.
    private func commit(
        _ package: PackageReader,
        _ summary: InstalledPackage,
        folder: String,
        digests: [String?],
        to writer: any DatabaseWriter
    ) throws(CacheError) -> String? {
        do {
            return try writer.write { db in
                let replaced = try String.fetchOne(
                    db,
                    sql: "SELECT folder FROM package WHERE name = ?",
                    arguments: [summary.name]
                )
                try db.execute(sql: "DELETE FROM package WHERE name = ?", arguments: [summary.name])
                try PackageRows(package, summary, digests: digests).insert(into: db, folder: folder)
                return replaced
            }
        } catch {
            throw CacheError(database: error, path: layout.index)
        }
    }

    private static func defaultName(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file }
        return String(file[..<dot])
    }

    private static func uniqueName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next() as UInt64, radix: 36)
    }
}

extension InstalledPackage {
    fileprivate init(_ package: PackageReader, name: String, now: Timestamp) {
        let bytes = package.index.resources.reduce(Int64(0)) { sum, resource in
            sum + (resource.member.map { package.archive.members[$0].uncompressedSize } ?? 0)
        }
        self.init(
            name: name,
            resources: package.index.resources.count,
            bodyBytes: bytes,
            loaded: now,
            created: package.date(orElse: now),
            generator: package.index.info?.generator,
            seeds: package.index.info?.seeds ?? []
        )
    }
}

extension PackageReader {
    /// When the package was made: as it says, or the time of its manifest, or when it is loaded.
    fileprivate func date(orElse now: Timestamp) -> Timestamp {
        if let created = index.info?.created { return created }
        let modified = archive.member(named: PackageLayout.manifest)?.modified.map { Timestamp(secondsSinceEpoch: $0) }
        // 1980-01-01 is what writers put where they have no time.
        guard let modified, modified.secondsSinceEpoch > 315_619_200, modified <= now else { return now }
        return modified
    }
}
