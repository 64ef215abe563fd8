/// Values by the time they are due; of several due at one time, the one put in first comes first.
struct DueQueue<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var time: Duration
        var order: Int
        var value: Value

        func comes(before other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    // A binary heap.
    private var entries: [Entry] = []
    private var order = 0

    /// When the first value is due, or nil where there is none.
    var firstTime: Duration? { entries.first?.time }
    /// The first value, or nil where there is none.
    var first: Value? { entries.first?.value }
    /// How many values there are.
    var count: Int { entries.count }

    mutating func insert(_ value: Value, at time: Duration) {
        var index = entries.count
        entries.append(Entry(time: time, order: order, value: value))
        order += 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].comes(before: entries[parent]) else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes the first value that is due at the time, or nil.
    mutating func pop(dueAt now: Duration) -> Value? {
        guard let first = entries.first, first.time <= now, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first.value }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].comes(before: entries[least]) {
                least = child
            }
            guard least != index else { return first.value }
            entries.swapAt(index, least)
            index = least
        }
    }
}
