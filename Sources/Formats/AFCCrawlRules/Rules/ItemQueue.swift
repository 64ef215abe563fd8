/// Numbers in a row, put in at both ends and taken from the front, each in constant time.
struct ItemQueue: Sendable {
    // A ring whose size is a power of two.
    private var ring: [Int] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ item: Int) {
        growIfFull()
        ring[(head + count) & (ring.count - 1)] = item
        count += 1
    }

    mutating func prepend(_ item: Int) {
        growIfFull()
        head = (head - 1) & (ring.count - 1)
        ring[head] = item
        count += 1
    }

    mutating func popFirst() -> Int? {
        guard count > 0 else { return nil }
        let item = ring[head]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        if count == 0 { self = ItemQueue() }
        return item
    }

    private mutating func growIfFull() {
        guard count == ring.count else { return }
        var larger: [Int] = []
        larger.reserveCapacity(max(4, 2 * count))
        for offset in 0..<count { larger.append(ring[(head + offset) & (ring.count - 1)]) }
        larger.append(contentsOf: repeatElement(0, count: max(4, 2 * count) - count))
        ring = larger
        head = 0
    }
}
