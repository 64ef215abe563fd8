internal import AFCCache
internal import AFCFiles
internal import AFCPlatform
internal import AFCSearch
internal import AFCURL
internal import Synchronization

/// A folder that is open once, for all caches that this process has there.
///
/// Only one value can have the right to store responses in a folder. A second one in the same process would be refused
/// like one of another process, and what one changes would be foreign to the other.
final class SharedFolder: Sendable {
    /// The identity of a cache's folder, whatever the path that leads to it: that of a file in it, which stays as long
    /// as the cache does.
    private struct Identity: Hashable, Sendable {
        private var device: UInt64
        private var inode: UInt64

        /// Creates the identity of the file at a path; nil if there is none.
        init?(file: String) {
            var status = stat()
            guard stat(file, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private struct Reference: Sendable {
        weak var shared: SharedFolder?
    }

    private struct State {
        var users: [Int: @Sendable (WebURL?) -> Void] = [:]
        var last = 0
        /// The cache that was at the path when it was last looked at.
        var identity: Identity?
        /// Its file, kept open so that no other file can have its number.
        var file: OpenFile?
        var isMissing = false
        var losses = 0

        /// Takes note of what is at the path now.
        mutating func look(_ now: Identity?, _ path: String) {
            guard now != identity || isMissing else { return }
            if !isMissing, identity != nil { losses += 1 }
            isMissing = now == nil
            guard let now else { return }
            identity = now
            hold(path)
        }

        mutating func hold(_ path: String) {
            // If it has just been removed again, the next look finds that.
            do throws(FileError) { file = try OpenFile(reading: path) } catch { file = nil }
        }
    }

    private static let all = Mutex<[Identity: Reference]>([:])

    /// What is stored in the folder.
    let store: DiskCache
    /// The search over its packages.
    let library: SearchLibrary
    /// The making of search indexes.
    let indexing = SharedWork<Int, Void>()
    /// The path of the file that tells if the cache is there.
    private let file: String
    private let state: Mutex<State>

    private init(_ path: String, memory: Int) throws(CacheError) {
        store = try DiskCache(path: path, access: .readWrite, memory: memory)
        library = SearchLibrary(store)
        file = DiskCache.presenceFile(in: path)
        var state = State(identity: Identity(file: file))
        state.hold(file)
        self.state = Mutex(state)
    }

    /// Returns the folder that this process has open at a path, or opens it; blocks.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - memory: The most bytes of stored responses' heads in memory; counts for the first who opens it.
    /// - Returns: The folder.
    /// - Throws: `CacheError` if the folder can't be used.
    static func open(path: String, memory: Int) throws -> SharedFolder {
        // Under the lock, so that no two threads open one folder.
        try all.withLock { open in
            open = open.filter { $0.value.shared != nil }
            let identity = Identity(file: DiskCache.presenceFile(in: path))
            if let known = identity.flatMap({ open[$0]?.shared }) { return known }
            let new = try SharedFolder(path, memory: memory)
            if let identity = new.state.withLock({ $0.identity }) { open[identity] = Reference(shared: new) }
            return new
        }
    }

    /// Looks how many times the folder was removed, emptied or replaced while it was open; takes a microsecond.
    ///
    /// What was stored is then lost. The folder is made again with the next response to store.
    func losses() -> Int {
        let now = Identity(file: file)
        let (losses, isNew) = state.withLock { state in
            let before = state.identity
            state.look(now, file)
            return (state.losses, state.identity != before)
        }
        if isNew { register() }
        return losses
    }

    /// Makes others find this value if they open the same folder.
    private func register() {
        Self.all.withLock { open in
            open = open.filter { $0.value.shared != nil && $0.value.shared !== self }
            guard let identity = state.withLock({ $0.identity }), open[identity] == nil else { return }
            open[identity] = Reference(shared: self)
        }
    }

    /// True if there is no cache at the path.
    var isMissing: Bool { Identity(file: file) == nil }

    /// Adds a user, who learns of each change that any of them makes.
    ///
    /// - Parameter onChange: A closure called with the URL that has changed; with nil if anything may have.
    /// - Returns: The user's number.
    func join(onChange: @escaping @Sendable (WebURL?) -> Void) -> Int {
        let user = state.withLock { state in
            state.last += 1
            state.users[state.last] = onChange
            return state.last
        }
        // The last user may just have left.
        register()
        return user
    }

    /// Removes a user who no longer changes anything; does nothing if that was done before.
    func forget(_ user: Int) { _ = state.withLock { $0.users.removeValue(forKey: user) } }

    /// Removes a user and writes what is pending; blocks.
    ///
    /// The last user closes what is stored.
    ///
    /// - Parameter user: The user's number.
    /// - Throws: `CacheError` if pending changes can't be written.
    func leave(_ user: Int) throws {
        // Under the lock: who opens the folder meanwhile could not store otherwise.
        try Self.all.withLock { open in
            forget(user)
            guard state.withLock({ $0.users.isEmpty }) else { return try store.flushReceived() }
            open = open.filter { $0.value.shared !== self }
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
