internal import AFCFiles
internal import Synchronization

/// The room that packages and limits leave for received responses.
final class ReceivedRoom: Sendable {
    private struct State {
        var room = CacheLimits()
        var change: UInt64?
        var checked: Int64 = 0
    }

    private let layout: CacheLayout
    private let counter: ChangeCounter
    private let state = Mutex(State())

    init(_ layout: CacheLayout) {
        self.layout = layout
        counter = ChangeCounter(path: layout.changes)
    }

    /// Returns the current room, 0 if packages exceed the limits.
    ///
    /// It examines the catalogue after a change, and once a second.
    func current() throws(CacheError) -> CacheLimits {
        let change = counter.value
        let second = MonotonicClock.seconds
        let known = state.withLock { $0.change == change && $0.checked == second ? $0.room : nil }
        if let known { return known }
        let catalogue = try CatalogueFile.currentIfThere(layout)?.catalogue ?? Catalogue()
        var room = catalogue.limits
        room.bytes = room.bytes.map { max(0, $0 - catalogue.storedBytes) }
        room.entries = room.entries.map { max(0, $0 - catalogue.heldEntries) }
        let found = room
        state.withLock { $0 = State(room: found, change: change, checked: second) }
        return room
    }

    /// Returns the folders of the generations in the catalogue.
    func generations() throws(CacheError) -> Set<String> {
        try CatalogueFile.current(layout).catalogue.folders
    }
}
