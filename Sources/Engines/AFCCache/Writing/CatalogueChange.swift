internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import Synchronization

/// A change of the catalogue in progress, while only this process may change the cache.
///
/// Each change follows the order in docs/developers/cache-format.md: files that never change, the catalogue, change counter,
/// records, the catalogue's copy, and then the removal of unneeded files.
final class CatalogueChange: Sendable {
    private struct Book {
        /// What was read, or written last.
        var catalogue: Catalogue
        /// The mark and the first bytes of `catalogue.json` at that time.
        var mark: CatalogueFile.Mark?
        var head: CatalogueFormat.Head?
        /// True if there is a file that says this.
        var isWritten = true
        /// True if `catalogue.json` was replaced, but may be the old one again after a power failure.
        var isUncertain = false
    }

    let layout: CacheLayout
    /// The damage of `catalogue.json` because of which the copy was read.
    let damage: CacheError?
    private let reader: CatalogueReader
    private let book: Mutex<Book>

    /// Reads the catalogue.
    ///
    /// The caller has the right to change the cache.
    ///
    /// - Parameters:
    ///   - layout: The cache.
    ///   - reader: The reader that sees the change at once.
    ///   - isNew: Whether to begin with an empty catalogue, whatever is in the place of one.
    /// - Throws: ``CacheError`` if the catalogue can't be read, or another user could redirect writes.
    init(_ layout: CacheLayout, reader: CatalogueReader, isNew: Bool = false) throws(CacheError) {
        (self.layout, self.reader) = (layout, reader)
        try FolderKind.prepare(layout)
        let mark = CatalogueFile.Mark(layout)
        let head = CatalogueFile.head(try OpenFolder(path: layout.root), CacheLayout.catalogueName)
        let reading = isNew ? nil : try CatalogueFile.current(layout, replacing: true)
        damage = reading?.damage
        book = Mutex(
            Book(catalogue: reading?.catalogue ?? Catalogue(), mark: mark, head: head, isWritten: reading != nil)
        )
    }

    /// The catalogue as it is.
    var catalogue: Catalogue { book.withLock { $0.catalogue } }

    /// True if the last change may have been made although it failed.
    var isUncertain: Bool { book.withLock { $0.isUncertain } }

    /// Completes the change of a writer that didn't end it, and removes leftovers.
    ///
    /// Without a copy that is the same, it isn't known whether the catalogue survives a power failure, so it is written
    /// again before anything is removed.
    func finishInterrupted() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        let head = CatalogueFile.head(root, CacheLayout.copyName)
        let sizes = [CacheLayout.catalogueName, CacheLayout.copyName].map { name in
            ((try? root.status(of: name)) ?? nil)?.st_size ?? -1
        }
        let isFinished = damage == nil && head != nil && head == book.withLock { $0.head } && sizes[0] == sizes[1]
        if !isFinished { finish(try write(catalogue), changed: catalogue.packages) }
        try removeLeftovers()
    }

    /// Writes the copy of the catalogue again if it is damaged.
    ///
    /// - Returns: What was damaged.
    func mendCopy() throws(CacheError) -> [CacheFinding] {
        do throws(CacheError) {
            _ = try CatalogueFile.read(layout, CacheLayout.copyName)
            return []
        } catch {
            guard error.code == .damaged else { return [] }
            finish(try write(catalogue), changed: [])
            return [CacheFinding(kind: .catalogueDamaged, path: error.subject, message: error.message)]
        }
    }

    // MARK: Changes

    /// Changes the catalogue.
    ///
    /// When this returns, the change survives a power failure.
    ///
    /// - Parameter body: Makes the change, and writes files that the new catalogue needs; nothing is changed if it
    ///   throws.
    /// - Returns: The result of the closure.
    /// - Throws: ``CacheError``; the catalogue is unchanged unless ``isUncertain`` is true.
    func commit<Value>(_ body: (inout Catalogue) throws(CacheError) -> Value) throws(CacheError) -> Value {
        let old = catalogue
        var new = old
        let value = try body(&new)
        try forgetRemoved(&new)
        new.removed.formUnion(old.folders.subtracting(new.folders))
        guard new != old || !book.withLock({ $0.isWritten }) else { return value }
        new.change += 1
        let bytes = try write(new)
        let known = Dictionary(old.packages.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        finish(bytes, changed: new.packages.filter { known[$0.name] != $0 })
        // The next writer removes files that are no longer needed, so an error here doesn't fail the change.
        try? removeLeftovers()
        return value
    }

    /// Forgets folders that were removed.
    private func forgetRemoved(_ catalogue: inout Catalogue) throws(CacheError) {
        guard !catalogue.removed.isEmpty else { return }
        let packages = try OpenFolder(path: layout.root).folder("packages")
        catalogue.removed = catalogue.removed.filter { packages.kind(of: $0) != nil }
    }

    /// Writes the catalogue, durably.
    ///
    /// If it can't be synced, it isn't synced again, which could succeed without writing anything: the next change
    /// writes another file.
    ///
    /// - Returns: The bytes of the file.
    private func write(_ catalogue: Catalogue) throws(CacheError) -> [UInt8] {
        let bytes = CatalogueFormat.bytes(catalogue).bytes
        guard bytes.count <= CatalogueFile.byteLimit else {
            throw CacheError(
                .full,
                subject: layout.catalogue,
                message: "the catalogue would have \(bytes.count) bytes, but may have \(CatalogueFile.byteLimit); "
                    + "remove packages, or use a second cache"
            )
        }
        let root = try OpenFolder(path: layout.root)
        let staging = try root.folder("staging")
        let draft = OwnName.temporary()
        do throws(CacheError) {
            try root.replace(CacheLayout.catalogueName, with: bytes, by: staging, as: draft) { () throws(CacheError) in
                try requireUnchanged(root)
            }
        } catch {
            try? staging.remove(draft)
            throw error
        }
        let mark = CatalogueFile.Mark(layout)
        let head = CatalogueFormat.Head(Array(bytes.prefix(CatalogueFormat.Head.size)))
        book.withLock { $0 = Book(catalogue: catalogue, mark: mark, head: head, isUncertain: true) }
        reader.forget()
        do throws(CacheError) {
            try Folders.syncNames(layout.root)
        } catch {
            var error = error
            error.message += "; the change was made, but a power failure may undo it until the next one"
            throw error
        }
        book.withLock { $0.isUncertain = false }
        return bytes
    }

    /// Throws if another process replaced the catalogue since it was read, which is possible only where locks of files
    /// have no effect.
    private func requireUnchanged(_ root: OpenFolder) throws(CacheError) {
        let (mark, head) = book.withLock { ($0.mark, $0.head) }
        guard mark == CatalogueFile.Mark(layout), head == CatalogueFile.head(root, CacheLayout.catalogueName) else {
            throw CacheError(
                .busy,
                subject: layout.catalogue,
                message: "another process changed the cache at the same time, so the file system's locks have no "
                    + "effect; try again, and let only one process write"
            )
        }
    }

    /// Tells readers of a change that was made, and writes the backups of the catalogue.
    ///
    /// They are used only if the catalogue is lost, so an error here doesn't fail the change. The copy is written last:
    /// without it, the next writer repeats all of this.
    private func finish(_ bytes: [UInt8], changed: [CataloguedPackage]) {
        growCounter()
        reader.forget()
        guard let root = try? OpenFolder(path: layout.root), let staging = try? root.folder("staging") else { return }
        do throws(CacheError) {
            try writeRecords(of: changed, root, staging)
            try root.replace(CacheLayout.copyName, with: bytes, by: staging, as: OwnName.temporary())
        } catch {
            // An older copy would name generations that are about to be removed.
            try? root.removeFile(CacheLayout.copyName)
        }
    }

    /// Writes the records of packages that differ from what they say.
    ///
    /// So that the latest record has the current limits, that of the first package is written if its limits differ. A
    /// folder that is missing, or isn't ours, gets no record.
    private func writeRecords(of packages: [CataloguedPackage], _ root: OpenFolder, _ staging: OpenFolder)
        throws(CacheError)
    {
        let area = try root.folder("packages")
        let catalogue = catalogue
        let first = catalogue.packages.first
        for package in packages.filter({ $0.name != first?.name }) + (first.map { [$0] } ?? []) {
            let limits = package.name == first?.name ? catalogue.limits : nil
            for generation in package.generations {
                let row = CatalogueRecord.package(package, for: generation)
                guard let folder = try? area.folder(generation.folder),
                    !CatalogueRecord.isCurrent(folder, row, limits)
                else { continue }
                let bytes = CatalogueRecord.bytes(row, in: catalogue)
                do throws(CacheError) {
                    try CatalogueRecord.write(bytes, to: folder, by: staging)
                } catch {
                    guard error.number == nil else { throw error }
                }
            }
        }
    }

    /// Writes all records that differ from the catalogue.
    func writeRecords() {
        guard let root = try? OpenFolder(path: layout.root), let staging = try? root.folder("staging") else { return }
        try? writeRecords(of: catalogue.packages, root, staging)
    }

    /// Makes readers examine the catalogue at once.
    ///
    /// Readers that miss the number do so within a second, so an error here doesn't fail the change.
    private func growCounter() { _ = try? ChangeCounter.grow(path: layout.changes) }

    /// Makes all readers reopen the files, which have changed although the catalogue hasn't.
    func noteNewFiles() {
        reader.forget()
        growCounter()
    }

    /// Writes uses of entries to disk, so that eviction selects the least recently used ones.
    func flushRecency() { reader.flushRecency() }

    // MARK: Packages

    /// Returns the package with a name.
    ///
    /// - Throws: ``CacheError`` if there is none.
    func package(_ name: String) throws(CacheError) -> CataloguedPackage {
        let catalogue = catalogue
        if let package = catalogue[name] { return package }
        let others = catalogue.packages.map { "'\($0.name)'" }.joined(separator: ", ")
        throw CacheError(
            .noPackage,
            subject: layout.root,
            message: "the cache has no package '\(name)'; it holds \(others.isEmpty ? "none" : others)"
        )
    }

    /// Removes a package.
    func remove(_ name: String) throws(CacheError) -> InstalledPackage {
        let package = try package(name)
        try commit { $0[name] = nil }
        return InstalledPackage(package)
    }

    /// Swaps a package's current and previous generation.
    func rollBack(_ name: String) throws(CacheError) -> InstalledPackage {
        var package = try package(name)
        guard let previous = package.previous else {
            throw CacheError(
                .noPrevious,
                subject: layout.root,
                message:
                    "the cache has no previous generation of '\(name)' to return to; load the package you want"
            )
        }
        (package.current, package.older[0]) = (previous, package.current)
        try commit { $0[name] = package }
        return InstalledPackage(package)
    }

    /// Changes the settings and the source of a package.
    func update(
        _ name: String,
        _ settings: PackageSettings.Change,
        source: String?,
        now: Timestamp?
    ) throws(CacheError) -> InstalledPackage {
        var package = try package(name)
        package.settings = package.settings.applying(settings)
        try Self.requireRoom(for: package.settings.userData, of: name)
        package.current.source = source ?? package.current.source
        if settings.retention != nil { package.trim(now: now) }
        try commit { $0[name] = package }
        return InstalledPackage(package)
    }

    /// Checks that the user data of a package isn't too much to be read with the catalogue each time.
    private static func requireRoom(for userData: [String: String], of name: String) throws(CacheError) {
        let limit = PackageSettings.userDataLimit
        guard userData.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > limit else { return }
        throw CacheError(
            .full,
            subject: name,
            message: "the user data of a package may have \(limit) bytes; keep larger data elsewhere"
        )
    }

    // MARK: Files

    /// Renames a complete and synced generation from `staging` to `packages`.
    func moveIntoPlace(_ folder: String) throws(CacheError) {
        try onDisk { () throws(FileError) in
            try Durable.rename(layout.staged(folder).root, to: layout.generation(folder).root)
        }
    }

    /// Removes unneeded files that afcache's writers left behind.
    ///
    /// Only this method removes files that the catalogue doesn't have. In `staging` and `evicted`, these are files with
    /// names that only afcache gives (``OwnName``). In `packages`, they are generations that were recorded for removal
    /// before they were added or removed, unless the catalogue has them. The record is a note in `staging` for a new
    /// generation, and the catalogue itself for a replaced one. All other files there aren't afcache's, and
    /// ``CacheCheck`` reports them.
    func removeLeftovers() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let names = try staging.names()
        let catalogue = catalogue
        let known = catalogue.folders
        let noted = names.compactMap(OwnName.generation(notedBy:))
        for name in catalogue.removed.union(noted) where !known.contains(name) { try packages.remove(name) }
        if let evicted = try root.folderIfThere(CacheLayout.evictedName) {
            let used = Set(catalogue.packages.flatMap(\.generations).compactMap(\.evicted?.file))
            for name in try evicted.names() where OwnName.isBitmap(name) && !used.contains(name) {
                try evicted.remove(name)
            }
        }
        for name in names where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes what afcache's writers left in `staging`, at a time when no generation is being moved to `packages`.
    static func removeTransient(_ layout: CacheLayout) throws(CacheError) {
        let staging = try OpenFolder(path: layout.root).folder("staging")
        for name in try staging.names() where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes damaged catalogues that were put aside.
    func removeDamagedCatalogues() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        for name in try root.names() where OwnName.isDamaged(name) { try root.remove(name) }
    }

    /// Writes a note to remove a new generation unless the catalogue has it; durable once `staging` is synced.
    func note(_ generation: String) throws(CacheError) {
        let path = layout.staging + "/" + OwnName.note(for: generation)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot create", path: path) }
        close(descriptor)
    }
}
