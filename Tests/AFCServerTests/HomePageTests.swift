import AFCHTTP
import Testing

@testable import AFCServer

struct HomePageTests {
    @Test(
        arguments: [
            (nil, [], ""), (1_800_000_000, [], "packed 2027-01-15"), (nil, ["0a1b"], "signed by 0a1b"),
            (1_800_000_000, ["a", "b"], "packed 2027-01-15 · signed by a, b"),
            (nil, ["a", "b", "c", "d"], "signed by a, b, c, …"), (nil, ["<b>"], "signed by &lt;b&gt;"),
        ] as [(Int64?, [String], String)]
    )
    func `a package says when it was made and who signed it`(seconds: Int64?, signers: [String], words: String) {
        let created = seconds.map { Timestamp(secondsSinceEpoch: $0) }
        let html = HomePage.provenance(created: created, signers: signers)
        #expect(html == (words.isEmpty ? "" : "<br><span class=\"note\">\(words)</span>"))
    }
}
