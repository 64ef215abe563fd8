internal import AFCFiles
internal import GRDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension OfflineCache {
    /// Removes files that afcache's writers left behind and that are no longer needed.
    ///
    /// Only this method removes files that the catalogue doesn't know. In `staging` these are files with names that
    /// only afcache gives (``OwnName``). In `packages` they are generations that were noted for removal before they
    /// were added or removed, unless the catalogue knows them: by a note in `staging` for a new one, by a row of the
    /// catalogue for one that was replaced. Everything else there isn't afcache's, and ``verify(isQuick:)`` reports it.
    func removeLeftovers() throws(CacheError) {
        let root = try OpenFolder(path: layout.root)
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let names = try staging.names()
        let (known, leaving) = try read { db in
            (try Generation.knownFolders(in: db), try Generation.awaitingRemoval(in: db))
        }
        for name in leaving.union(names.compactMap(OwnName.generation(notedBy:))) where !known.contains(name) {
            try packages.remove(name)
        }
        for name in names where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Removes what afcache's writers left behind in `staging`, while no generation can be on its way to `packages`.
    func removeTransient() throws(CacheError) {
        let staging = try OpenFolder(path: layout.root).folder("staging")
        for name in try staging.names() where OwnName.isTransient(name) { try staging.remove(name) }
    }

    /// Notes that a new generation is to be removed unless the catalogue knows it; durable once `staging` is synced.
    func note(_ generation: String) throws(CacheError) {
        let path = layout.staging + "/" + OwnName.note(for: generation)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("cannot make", path: path) }
        close(descriptor)
    }

    /// The files in the cache's folder that aren't part of the cache.
    ///
    /// The order of the look-ups makes sure that a generation that is added or removed meanwhile is never taken for a
    /// stranger.
    func strangers() throws(CacheError) -> [StoreFinding] {
        let root = try OpenFolder(path: layout.root)
        var strangers = try root.names().filter { !OwnName.isInRoot($0) && $0 != "lost+found" }
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let generations = try packages.names()
        let staged = try staging.names()
        strangers += staged.filter { !OwnName.isTransient($0) }.map { "staging/" + $0 }
        // Without read access to the database, a generation that is being removed can't be told from a stranger.
        guard Descriptor.allows(layout.catalogue, R_OK), try CacheFolder.state(layout) == .cache else {
            return Self.findings(strangers.map { layout.root + "/" + $0 })
        }
        let known = try read { db in try Generation.knownFolders(in: db).union(Generation.awaitingRemoval(in: db)) }
            .union(staged.compactMap(OwnName.generation(notedBy:)))
        let unknown = generations.filter { !known.contains($0) && packages.kind(of: $0) != nil }
        let lost = unknown.isEmpty ? [] : Set(try lostGenerations(besides: known).map(\.package.current.folder))
        strangers += unknown.filter { !lost.contains($0) }.map { "packages/" + $0 }
        let paths = strangers.map { layout.root + "/" + $0 } + ReceivedKeeper.strangers(in: layout.received)
        return Self.findings(paths)
            + lost.sorted().map { folder in
                StoreFinding(
                    kind: .catalogueDamaged,
                    path: layout.generation(folder).root,
                    package: nil,
                    url: nil,
                    message: "this generation is missing from the catalogue; repairing the cache takes it back"
                )
            }
    }

    private static func findings(_ strangers: [String]) -> [StoreFinding] {
        strangers.map { path in
            StoreFinding(
                kind: .fileUnknown,
                path: path,
                package: nil,
                url: nil,
                message: "this is not part of the cache, so afcache never removes it; move or remove it yourself"
            )
        }
    }
}

extension Generation {
    /// The folders of the generations that the catalogue knows.
    static func knownFolders(in db: Database) throws -> Set<String> {
        try String.fetchSet(db, sql: "SELECT folder FROM generation")
    }

    private static let removalPrefix = "leaving:"

    /// Notes that a folder is no longer needed, in the transaction that forgets it.
    static func noteRemoval(_ folder: String, in db: Database) throws {
        try db.execute(
            sql: "INSERT OR IGNORE INTO setting (name, value) VALUES (?, 0)",
            arguments: [removalPrefix + folder]
        )
    }

    /// The folders that are no longer needed, and may still be there.
    static func awaitingRemoval(in db: Database) throws -> Set<String> {
        let names = try String.fetchAll(db, sql: "SELECT name FROM setting WHERE name GLOB 'leaving:*'")
        return Set(names.map { String($0.dropFirst(removalPrefix.count)) }.filter(OwnName.mayBeGeneration))
    }

    /// Forgets the notes of folders that are gone.
    static func forgetRemoved(from layout: StoreLayout, in db: Database) throws {
        let leaving = try awaitingRemoval(in: db)
        guard !leaving.isEmpty else { return }
        let packages = try OpenFolder(path: layout.root).folder("packages")
        for folder in leaving where packages.kind(of: folder) == nil {
            try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [removalPrefix + folder])
        }
    }
}
