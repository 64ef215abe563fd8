internal import AFCFiles
import AFCPlatform
internal import GRDB

extension OfflineCache {
    /// The files in the cache's folder that aren't part of the cache.
    ///
    /// The order of the look-ups makes sure that a generation that is added or removed meanwhile is never taken for a
    /// stranger.
    func strangers() throws(CacheError) -> [CacheFinding] {
        let root = try OpenFolder(path: layout.root)
        var strangers = try root.names().filter { !OwnName.isInRoot($0) && $0 != "lost+found" }
        let (packages, staging) = (try root.folder("packages"), try root.folder("staging"))
        let generations = try packages.names()
        let staged = try staging.names()
        strangers += staged.filter { !OwnName.isTransient($0) }.map { "staging/" + $0 }
        // Without read access to the database, a generation that is being removed can't be told from a stranger.
        guard Descriptor.allows(layout.catalogue, R_OK), try FolderKind.state(layout) == .cache else {
            return Self.findings(strangers.map { layout.root + "/" + $0 })
        }
        let known = try writer.read { db in
            try Generation.knownFolders(in: db).union(Generation.awaitingRemoval(in: db))
        }
        .union(staged.compactMap(OwnName.generation(notedBy:)))
        let unknown = generations.filter { !known.contains($0) && packages.kind(of: $0) != nil }
        let lost = unknown.isEmpty ? [] : Set(try lostGenerations(besides: known).map(\.package.current.folder))
        strangers += unknown.filter { !lost.contains($0) }.map { "packages/" + $0 }
        let paths = strangers.map { layout.root + "/" + $0 } + ReceivedKeeper.strangers(in: layout.received)
        return Self.findings(paths)
            + lost.sorted().map { folder in
                CacheFinding(
                    kind: .catalogueDamaged,
                    path: layout.generation(folder).root,
                    package: nil,
                    url: nil,
                    message: "this generation is missing from the catalogue; repairing the cache takes it back"
                )
            }
    }

    private static func findings(_ strangers: [String]) -> [CacheFinding] {
        strangers.map { path in
            CacheFinding(
                kind: .fileUnknown,
                path: path,
                package: nil,
                url: nil,
                message: "this is not part of the cache, so afcache never removes it; move or remove it yourself"
            )
        }
    }
}
