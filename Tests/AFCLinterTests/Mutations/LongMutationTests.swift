import Foundation
import Testing

/// The longer run of scripts/lint-mutations: other places each time, until the time is over or something fails.
struct LongMutationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["LINT_MUTATIONS_SECONDS"].flatMap(Int.init)
    private static let seed = environment["LINT_MUTATIONS_SEED"].flatMap(UInt64.init)

    @Test(.enabled(if: seconds != nil || seed != nil))
    func `defects at random places are found`() async throws {
        let end = ContinuousClock.now + .seconds(Self.seconds ?? 0)
        var seed = Self.seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
        var planted = 0
        repeat {
            let readers = OtherReaders()
            print("lint-mutations: seed \(seed)")
            for mutation in Mutation.all {
                try await PlantedCase.forEach(mutation, seed: seed, count: 6) { item in
                    planted += 1
                    try item.expectFindings()
                    try await item.expectLoading()
                    try item.expectFixing(readers)
                }
            }
            try readers.expectNoDifferences()
            seed &+= 1
            #expect(planted >= 1_000)
        } while Self.seconds != nil && ContinuousClock.now < end
        print("lint-mutations: \(planted) packages")
    }
}
