import Testing

@testable import AFCCache

/// What leaves a store that is full, by table.
struct EvictionPlanTests {
    typealias Unit = EvictionPlan.Unit

    static func unit(
        _ id: Int,
        _ kind: Unit.Kind = .package,
        bytes: Int64 = 10,
        entries: Int = 1,
        expired: Bool = false,
        lastUse: UInt32 = 0
    ) -> Unit {
        Unit(
            kind: kind,
            id: id,
            bytes: bytes,
            entries: entries,
            isExpired: expired,
            lastUse: lastUse,
            order: Int64(id)
        )
    }

    struct Case: Sendable {
        var what: String
        var units: [Unit]
        var bytes: Int64
        var entries: Int
        var leaves: [Int]?
    }

    static let cases = [
        Case(what: "nothing is too much", units: [unit(1)], bytes: 0, entries: 0, leaves: []),
        Case(what: "nothing may leave", units: [], bytes: 1, entries: 0, leaves: nil),
        Case(
            what: "the least recently used leaves",
            units: [unit(1, lastUse: 30), unit(2, lastUse: 10), unit(3, lastUse: 20)],
            bytes: 11,
            entries: 0,
            leaves: [2, 3]
        ),
        Case(
            what: "what is expired leaves before what was used less",
            units: [unit(1, lastUse: 1), unit(2, expired: true, lastUse: 50)],
            bytes: 1,
            entries: 0,
            leaves: [2]
        ),
        Case(
            what: "previous generations leave first, the oldest before others",
            units: [
                unit(1, expired: true), unit(3, .previousGeneration, entries: 0),
                unit(2, .previousGeneration, entries: 0),
            ],
            bytes: 15,
            entries: 0,
            leaves: [2, 3]
        ),
        Case(
            what: "of what was used in the same minute the one loaded earlier leaves",
            units: [unit(2, lastUse: 5), unit(1, lastUse: 5)],
            bytes: 1,
            entries: 0,
            leaves: [1]
        ),
        Case(
            what: "what doesn't help stays",
            units: [unit(1, .previousGeneration, bytes: 100, entries: 0), unit(2, lastUse: 9)],
            bytes: 0,
            entries: 1,
            leaves: [2]
        ),
        Case(
            what: "both limits count",
            units: [unit(1, bytes: 100, entries: 1), unit(2, bytes: 1, entries: 50), unit(3)],
            bytes: 50,
            entries: 20,
            leaves: [1, 2]
        ),
        Case(what: "not enough is nothing", units: [unit(1), unit(2)], bytes: 21, entries: 0, leaves: nil),
    ]

    @Test(arguments: cases)
    func `the least needed units are evicted`(one: Case) {
        let chosen = EvictionPlan.choose(from: one.units, bytes: one.bytes, entries: one.entries)
        #expect(chosen?.map(\.id) == one.leaves, "\(one.what)")
    }
}
