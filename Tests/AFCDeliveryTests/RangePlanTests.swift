import TestSupport
import Testing

@testable import AFCDelivery

struct ByteRangesTests {
    @Test(
        arguments: [
            ([], []),
            ([0..<5], [0..<5]),
            ([0..<5, 5..<7], [0..<7]),
            ([5..<7, 0..<5], [0..<7]),
            ([0..<5, 6..<7], [0..<5, 6..<7]),
            ([0..<2, 4..<6, 8..<9, 1..<8], [0..<9]),
            ([0..<2, 4..<6, 5..<5], [0..<2, 4..<6]),
            ([10..<20, 12..<13, 0..<1], [0..<1, 10..<20]),
        ] as [([Range<Int64>], [Range<Int64>])]
    )
    func `inserted ranges are joined`(inserted: [Range<Int64>], expected: [Range<Int64>]) {
        var ranges = ByteRanges()
        for range in inserted { ranges.insert(range) }
        #expect(ranges.ranges == expected)
        #expect(ranges.count == expected.reduce(0) { $0 + Int64($1.count) })
    }

    @Test(
        arguments: [
            (0..<10, [0..<2, 4..<6, 8..<10]),
            (2..<4, []),
            (3..<7, [4..<6]),
            (5..<6, [5..<6]),
            (8..<20, [8..<20]),
            (7..<7, []),
        ] as [(Range<Int64>, [Range<Int64>])]
    )
    func `what is missing is what lies between`(asked: Range<Int64>, expected: [Range<Int64>]) {
        var ranges = ByteRanges()
        ranges.insert(2..<4)
        ranges.insert(6..<8)
        #expect(ranges.missing(in: asked) == expected)
        #expect(ranges.contains(asked) == expected.isEmpty)
    }

    @Test func `it does what a set of numbers does`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var (ranges, numbers) = (ByteRanges(), Set<Int64>())
            for _ in 0..<24 {
                let start = Int64.random(in: 0..<60, using: &random)
                let end = start + Int64.random(in: 0..<12, using: &random)
                if Int.random(in: 0..<3, using: &random) > 0 {
                    ranges.insert(start..<end)
                    numbers.formUnion(start..<end)
                } else {
                    ranges.remove(start..<end)
                    numbers.subtract(start..<end)
                }
            }
            #expect(ranges.ranges.flatMap { Array($0) } == numbers.sorted())
            let missing = ranges.missing(in: 10..<50).flatMap { Array($0) }
            #expect(missing == (10..<50).filter { !numbers.contains($0) })
        }
    }

}

struct RangePlanTests {
    @Test func `nothing that is missing needs no request`() throws {
        let plan = try #require(RangePlan(missing: [], total: 80_000))
        #expect(plan.parts == [])
    }

    @Test func `parts with a small gap are requested together`() throws {
        let missing: [Range<Int64>] = [0..<100, 100..<200, 712..<800, 2000..<2100]
        let plan = try #require(RangePlan(missing: missing, total: 1_000_000))
        #expect(plan.parts == [0..<800, 2000..<2100])
        #expect(plan.bytes == 900)
    }

    @Test func `many parts are joined, those with the smallest gaps first`() throws {
        // 400 parts of 100 bytes; every second gap is small.
        var missing: [Range<Int64>] = []
        var place: Int64 = 0
        for number in 0..<400 {
            missing.append(place..<(place + 100))
            place += 100 + (number % 2 == 0 ? 600 : 40_000)
        }
        let plan = try #require(RangePlan(missing: missing, total: 20_000_000))
        // 200 gaps of 600 bytes are joined, and one of 40,000; another one would be too much.
        #expect(plan.parts.count == 199)
        #expect(plan.bytes == 400 * 100 + 200 * 600 + 40_000)
    }

    @Test func `gaps never take more than their share`() throws {
        let missing = (0..<300).map { Int64($0) * 10_000..<Int64($0) * 10_000 + 100 }
        let plan = try #require(RangePlan(missing: missing, total: 3_000_000))
        #expect(plan.bytes - 300 * 100 <= 3_000_000 / 1000 * RangePlan.gapShare)
        #expect(plan.parts.count == 298)
    }

    @Test(arguments: [
        ([0..<990_000] as [Range<Int64>], true), ([0..<999_487], true), ([0..<999_488], false),
        ([0..<490_000, 500_000..<1_000_000], true), ([0..<499_400, 500_000..<1_000_000], false),
    ])
    func `requests that bring no less than the whole package aren't worth it`(missing: [Range<Int64>], isWorthIt: Bool)
    {
        #expect((RangePlan(missing: missing, total: 1_000_000) != nil) == isWorthIt)
    }

    @Test func `too many requests aren't worth it`() {
        let missing = (0..<1100).map { Int64($0) * 100_000..<Int64($0) * 100_000 + 10 }
        #expect(RangePlan(missing: missing, total: 110_000_000) == nil)
    }
}
