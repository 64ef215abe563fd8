internal import AFCCache
internal import AFCPlatform
internal import AFCURL
internal import Synchronization

/// The store in a folder, shared by all caches that this process has open there.
///
/// Only one value can have the right to store responses in a folder. A second one in the same process would be refused
/// like one of another process, and what one changes would be foreign to the other.
final class SharedStore: Sendable {
    /// The identity of a folder, whatever the path that leads to it.
    struct Folder: Hashable, Sendable {
        private var device: UInt64
        private var inode: UInt64

        /// Creates the identity of the folder at a path; nil if there is none.
        init?(path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private struct Reference: Sendable {
        weak var store: SharedStore?
    }

    private struct State {
        var users: [Int: @Sendable (WebURL?) -> Void] = [:]
        var last = 0
    }

    private static let all = Mutex<[Folder: Reference]>([:])

    /// The store.
    let store: OfflineCache
    private let path: String
    private let folder: Folder?
    private let state = Mutex(State())

    private init(_ path: String, memory: Int) throws(CacheError) {
        self.path = path
        store = try OfflineCache(path: path, access: .readWrite, memory: memory)
        folder = Folder(path: path)
    }

    /// Returns the store that this process has open in a folder, or opens it; blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - memory: The most bytes of stored responses' heads in memory; counts for the first who opens it.
    /// - Returns: The store.
    /// - Throws: `CacheError` if the folder can't be used.
    static func open(path: String, memory: Int) throws -> SharedStore {
        // Under the lock, so that no two threads open one folder.
        try all.withLock { open in
            open = open.filter { $0.value.store != nil }
            if let known = Folder(path: path).flatMap({ open[$0]?.store }) { return known }
            let new = try SharedStore(path, memory: memory)
            if let folder = new.folder { open[folder] = Reference(store: new) }
            return new
        }
    }

    /// Adds a user, who is told of each change that any of them makes.
    ///
    /// - Parameter onChange: A closure called with the URL that has changed; with nil if anything may have.
    /// - Returns: The user's number.
    func join(onChange: @escaping @Sendable (WebURL?) -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.users[state.last] = onChange
            return state.last
        }
    }

    /// Removes a user who no longer changes anything; does nothing if that was done before.
    func forget(_ user: Int) { _ = state.withLock { $0.users.removeValue(forKey: user) } }

    /// Removes a user and writes what is pending; blocks.
    ///
    /// The last user closes the store.
    ///
    /// - Parameter user: The user's number.
    /// - Throws: `CacheError` if pending changes can't be written.
    func leave(_ user: Int) throws {
        // Under the lock: who opens the folder meanwhile could not store otherwise.
        try Self.all.withLock { open in
            forget(user)
            guard state.withLock({ $0.users.isEmpty }) else { return try store.flushReceived() }
            if let folder, open[folder]?.store === self { open[folder] = nil }
            try store.close()
        }
    }

    /// Tells all users of a change.
    ///
    /// - Parameter url: The URL whose stored responses have changed; nil if anything may have.
    func note(_ url: WebURL?) {
        let users = state.withLock { $0.users.values.map(\.self) }
        for user in users { user(url) }
    }
}
