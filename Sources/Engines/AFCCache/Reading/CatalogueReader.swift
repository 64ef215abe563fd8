internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import Synchronization

/// The catalogue for look-ups: a snapshot that is renewed when the cache changes.
///
/// Any thread may use it. If nothing changed, a look-up blocks for one small read of a file.
final class CatalogueReader: Sendable {
    private struct State: ~Copyable {
        var counter: ChangeCounter
        var snapshot: Snapshot?
        var mark: CatalogueFile.Mark?
        /// True if the folder was removed or emptied since the cache was opened.
        var isGone = false
        /// The limits that the cache had before.
        var limits = CacheLimits()
        var checked: Int64 = 0
        var flushed: Int64 = 0
        var mounts = Mounts()
    }

    private let layout: CacheLayout
    private let memory = IndexMemory()
    private let state: Mutex<State>
    /// The snapshot of mounted packages, which stays the same; nil for a cache.
    private let mounted: Snapshot?

    /// Opens the change counter.
    ///
    /// If its file doesn't exist, changes are detected by the catalogue alone.
    init(_ layout: CacheLayout) {
        self.layout = layout
        state = Mutex(State(counter: ChangeCounter(path: layout.changes)))
        mounted = nil
    }

    /// Creates the reader of mounted packages.
    init(mounted: Snapshot) {
        layout = CacheLayout(root: "")
        state = Mutex(State(counter: ChangeCounter(path: "")))
        self.mounted = mounted
    }

    /// Returns the current state of the catalogue.
    ///
    /// This costs one small read of a file. The catalogue is examined if the counter shows a change, and once
    /// a second.
    func snapshot() throws(CacheError) -> Snapshot {
        if let mounted { return mounted }
        return try state.withLock { state throws(CacheError) in
            let change = state.counter.value
            let second = MonotonicClock.seconds
            if let snapshot = state.snapshot, snapshot.change == change, state.checked == second { return snapshot }
            let old = state.snapshot
            let new = try take(&state, change: change)
            state.checked = second
            if second - state.flushed >= 60 {
                state.flushed = second
                old?.flushRecency()
            }
            state.snapshot = new
            return new
        }
    }

    /// Returns the current state of the catalogue if it is known without examining its file; nil also
    /// while another thread examines it.
    func snapshotAtOnce() -> Snapshot? {
        if let mounted { return mounted }
        let known = state.withLockIfAvailable { state -> Snapshot? in
            guard state.checked == MonotonicClock.seconds, let snapshot = state.snapshot,
                snapshot.change == state.counter.value
            else { return nil }
            return snapshot
        }
        return known ?? nil
    }

    /// The limits of a cache whose folder was removed or emptied; nil as long as it is there.
    var limitsWhereGone: CacheLimits? { state.withLock { $0.isGone ? $0.limits : nil } }

    private func take(_ state: inout State, change: UInt64) throws(CacheError) -> Snapshot {
        let old = state.snapshot
        if let old, old.change == change, let mark = state.mark, mark == CatalogueFile.Mark(layout) { return old }
        let (found, bitmaps) = try read(old)
        let reading = found ?? CatalogueFile.Reading(Catalogue())
        state.isGone = found == nil
        if let found { state.limits = found.catalogue.limits }
        // A folder that was removed and made again has another file.
        if state.mark != reading.mark { state.counter = ChangeCounter(path: layout.changes) }
        state.mark = reading.mark
        if let old, old.change == change, old.stamp == reading.stamp { return old }
        return Snapshot(
            reading,
            bitmaps,
            from: old,
            layout: layout,
            memory: memory,
            mounts: state.mounts,
            change: change
        )
    }

    /// Reads the catalogue, and the evicted entries of its current generations, by the names of their files.
    private func read(_ old: Snapshot?) throws(CacheError) -> (CatalogueFile.Reading?, [String: EvictionBitmap]) {
        var attempts = 0
        while true {
            guard let reading = try CatalogueFile.currentIfThere(layout) else { return (nil, [:]) }
            var bitmaps: [String: EvictionBitmap] = [:]
            for generation in reading.catalogue.packages.map(\.current) {
                guard let evicted = generation.evicted else { continue }
                if let known = old?.bitmaps[evicted.file] {
                    bitmaps[evicted.file] = known
                } else {
                    bitmaps[evicted.file] = try EvictionBitmap.read(
                        evicted,
                        entries: generation.resources,
                        in: layout
                    )
                }
            }
            attempts += 1
            let missing = reading.catalogue.packages.map(\.current).filter { generation in
                generation.evicted.map { bitmaps[$0.file] == nil } ?? false
            }
            // A writer may have replaced both files in the meantime.
            if !missing.isEmpty, attempts < 5, reading.mark != CatalogueFile.Mark(layout) { continue }
            for generation in missing {
                guard let evicted = generation.evicted else { continue }
                bitmaps[evicted.file] = try? EvictionBitmap.of(generation, in: layout)
            }
            return (reading, bitmaps)
        }
    }

    /// Makes the next look-up see the changes of this process.
    func forget() {
        let old = state.withLock { state in
            defer { state.snapshot = nil }
            return state.snapshot
        }
        old?.flushRecency()
    }

    // MARK: Mounted packages

    /// The packages that this process has mounted.
    var mounts: Mounts { state.withLock { $0.mounts } }

    /// Opens a package, and adds it to those of the cache, in place of a mounted one with the same name; blocks.
    func mount(
        _ path: String,
        _ name: String?,
        _ settings: PackageSettings,
        _ options: MountedPackages.Options,
        now: Timestamp
    ) throws(CacheError) -> OpenPackage {
        var mounting = try PackageMounting(options, memory, now: now)
        let opened = try mounting.open(path, number: 0)
        try mounting.requireIndexesUsed()
        var row = opened.row
        row.name = name ?? row.name
        row.settings = settings
        // What is stored of later validations belongs to packages with these resources.
        row.current.folder = "mounted-" + row.current.indexDigest
        return change { mounts in
            row.current.id = mounts.next
            let package = OpenPackage(row, files: opened.files)
            mounts.add(package)
            return package
        }
    }

    /// Removes a mounted package; false if there is none with the name.
    func unmount(_ name: String) -> Bool { change { $0.remove(name) } }

    private func change<Value: Sendable>(_ body: (inout Mounts) -> Value) -> Value {
        state.withLock { state in
            let value = body(&state.mounts)
            state.snapshot = state.snapshot.map { Snapshot($0, state.mounts) }
            return value
        }
    }

    /// Writes uses of entries to disk, which otherwise happens once a minute and at the end.
    func flushRecency() { state.withLock { $0.snapshot }?.flushRecency() }
}
