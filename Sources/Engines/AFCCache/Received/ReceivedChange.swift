internal import AFCCaching
internal import AFCHTTP
internal import AFCSQLite

/// A change that waits to be written.
enum ReceivedChange: Sendable {
    /// A new response, with the file of its body if it has one, and the rows that it replaces.
    case put(ReceivedRow, file: BodyFile?, leaving: [Int64])
    /// A new head for a response.
    case update(ReceivedRow)
    /// New fields for a package's entry.
    case freshen(FreshenedEntry, ResourceKey)
    /// The removal of a response.
    case remove(Int64, ResourceKey)

    var key: ResourceKey {
        switch self {
        case .put(let row, _, _), .update(let row): row.key
        case .freshen(_, let key), .remove(_, let key): key
        }
    }

    var file: BodyFile? {
        if case .put(_, let file, _) = self { return file }
        return nil
    }

    /// True for a new response, which a full disk may do without.
    var isNew: Bool { if case .put = self { true } else { false } }

    /// The time when the response was received.
    var time: Timestamp? {
        switch self {
        case .put(let row, _, _), .update(let row): row.variant.response.received
        case .freshen(let entry, _): entry.response.received
        case .remove: nil
        }
    }

    /// The approximate number of bytes by which the change makes the database grow.
    var growth: Int64 {
        if case .put(let row, nil, _) = self { return row.variant.response.size + 1024 }
        return 1024
    }

    /// The approximate number of bytes of memory that the change takes.
    var cost: Int {
        switch self {
        case .put(let row, _, _), .update(let row): row.variant.cost
        case .freshen, .remove: 1024
        }
    }

    /// Writes the change.
    ///
    /// - Returns: The responses that were removed for it.
    func apply(to db: Database) throws -> [ReceivedDeparture] {
        switch self {
        case .put(let row, _, let leaving):
            try row.insert(into: db)
            return try leaving.compactMap { try ReceivedDeparture.remove($0, from: db) }
        case .update(let row):
            try row.update(in: db)
            return []
        case .freshen(let entry, let key):
            try entry.save(key, to: db)
            return []
        case .remove(let id, _):
            return try [ReceivedDeparture.remove(id, from: db)].compactMap(\.self)
        }
    }
}
