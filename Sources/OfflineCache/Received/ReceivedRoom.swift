internal import GRDB
internal import Synchronization

/// What the store's limits leave for received responses beside the packages.
final class ReceivedRoom: Sendable {
    private struct State {
        var room = StoreLimits()
        var change: UInt64?
        var checked: Int64 = 0
    }

    private let catalogue: DatabaseQueue
    private let layout: StoreLayout
    private let counter: ChangeCounter
    private let state = Mutex(State())

    init(_ catalogue: DatabaseQueue, _ layout: StoreLayout) {
        self.catalogue = catalogue
        self.layout = layout
        counter = ChangeCounter(path: layout.changes)
    }

    /// The room as of now, 0 where packages take more than all; asks SQLite where something changed, and once a second.
    func current() throws(CacheError) -> StoreLimits {
        let change = counter.value
        let second = monotonicSeconds()
        let known = state.withLock { $0.change == change && $0.checked == second ? $0.room : nil }
        if let known { return known }
        let room: StoreLimits
        do {
            room = try catalogue.read { db in
                var room = try StoreLimits.fetch(db)
                guard room != StoreLimits() else { return room }
                let packages = try CataloguedPackage.fetchAll(db)
                room.bytes = room.bytes.map { max(0, $0 - packages.reduce(0) { $0 + $1.storedBytes }) }
                room.entries = room.entries.map { max(0, $0 - packages.reduce(0) { $0 + $1.current.heldEntries }) }
                return room
            }
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
        state.withLock { $0 = State(room: room, change: change, checked: second) }
        return room
    }

    /// The folders of the generations that the catalogue knows.
    func generations() throws(CacheError) -> Set<String> {
        do {
            return try catalogue.read { db in try String.fetchSet(db, sql: "SELECT folder FROM generation") }
        } catch {
            throw CacheError(database: error, path: layout.catalogue)
        }
    }
}
