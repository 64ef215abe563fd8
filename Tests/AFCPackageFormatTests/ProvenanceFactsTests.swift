import AFCHTTP
import Testing

@testable import AFCPackageFormat

struct ProvenanceFactsTests {
    private static let day: Int64 = 1_800_000_000

    @Test(
        arguments: [
            (nil, [], nil, nil, "", ""), (day, [], nil, nil, "", "packed 2027-01-15"),
            (nil, ["0a1b"], nil, nil, "", "signed by 0a1b"),
            (day, ["a", "b"], nil, nil, "", "packed 2027-01-15, signed by a, b"),
            (nil, ["a", "b", "c", "d"], nil, nil, "", "signed by a, b, c, …"),
            (nil, [], day + 1, nil, "", "fresh until 2027-01-15"), (nil, [], day, nil, "", "expired 2027-01-15"),
            (nil, [], nil, 0, "", ""), (nil, [], nil, 1, "", "1 URL not found"),
            (nil, [], nil, 20, "", "20 URLs not found"), (nil, [], nil, nil, "noai", "noai"),
            (
                day, ["a"], day - 86_400, 2, "ai-train=n",
                "packed 2027-01-15, signed by a, expired 2027-01-14, 2 URLs not found, ai-train=n"
            ),
        ] as [(Int64?, [String], Int64?, Int?, String, String)]
    )
    func `facts are told in the order in which readers ask, as far as they are known`(
        created: Int64?,
        signers: [String],
        latestExpiry: Int64?,
        missing: Int?,
        usage: String,
        words: String
    ) {
        let facts = ProvenanceFacts(
            created: created.map { Timestamp(secondsSinceEpoch: $0) },
            signers: signers,
            latestExpiry: latestExpiry.map { Timestamp(secondsSinceEpoch: $0) },
            missing: missing,
            usage: usage
        )
        #expect(facts.words(now: Timestamp(secondsSinceEpoch: Self.day)).joined(separator: ", ") == words)
        let timeless = words.replacing(/expired|fresh until/, with: "expires")
        #expect(facts.words(now: nil).joined(separator: ", ") == timeless, "without a clock, the day alone is told")
    }
}
