internal import AFCFiles
internal import Synchronization

/// What an attempt has stored of its files.
final class StoredAttempt: Sendable {
    private struct Progress {
        var number = 0
        var bodies: [StoredPart] = []
        /// The states of the last two checkpoints, of which another job may be reading one.
        var older: [[String]] = []
    }

    let stored: StoredCrawl
    /// The folder of the attempt, as a name.
    let name: String
    private let plan: String
    private let progress = Mutex(Progress())

    init(_ stored: StoredCrawl, _ name: String, plan: String) {
        (self.stored, self.name, self.plan) = (stored, name, plan)
    }

    /// Takes over the parts of the bodies with which the attempt begins.
    func begin(with bodies: [StoredPart]) { progress.withLock { $0.bodies = bodies } }

    /// Forgets the bodies beyond a size, which the state doesn't know.
    func keepBodies(_ size: Int64) {
        progress.withLock { progress in
            var rest = size
            progress.bodies = progress.bodies.compactMap { part in
                guard rest > 0 else { return nil }
                var part = part
                part.used = min(part.used, rest)
                rest -= part.used
                return part
            }
        }
    }

    /// Stores a state and the bodies that it needs, and removes older states.
    ///
    /// - Parameters:
    ///   - state: The path of the state.
    ///   - bodies: The path of the bodies.
    ///   - size: How many bytes of them are needed.
    /// - Throws: The store's errors, and `FileError`.
    func store(state: String, bodies: String, size: Int64) async throws {
        // If this is interrupted, the next call uses other names.
        let (number, old) = progress.withLock { progress in
            progress.number += 1
            return (progress.number, progress.bodies)
        }
        let held = old.reduce(0) { $0 + $1.used }
        let new = try await stored.push(bodies, min(held, size)..<size, as: "\(name)/bodies-\(number)")
        let stateSize = try OpenFile(reading: state).size()
        let parts = try await stored.push(state, 0..<stateSize, as: "\(name)/state-\(number)")
        let checkpoint = StoredCheckpoint(number: number, state: parts, bodies: old + new)
        let file = "\(name)/checkpoint-\(number)"
        try await stored.createOwn(file, checkpoint.bytes(plan: plan))
        let outdated = progress.withLock { progress in
            progress.bodies = old + new
            progress.older.append([file] + parts.map(\.name))
            return progress.older.count > 2 ? progress.older.removeFirst() : []
        }
        try await stored.store.remove(outdated)
    }
}
