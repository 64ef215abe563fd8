import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct KnownURLsTests {
    @Test func `the notes about many URLs are read back`() throws {
        var known = KnownURLs()
        let rules = SkipRule.allCases
        func entry(_ number: Int) -> KnownURLs.Entry {
            let states: [KnownURLs.State] = [.waiting, .taken, .refused(rules[number % rules.count])]
            let role: CrawlScope.Role = [.seed, .requisite, .link][number % 3]
            return KnownURLs.Entry(id: Int64(number), role: role, depth: number % 70_000, state: states[number % 3])
        }
        for number in 0..<20_000 {
            let key = URLKey(try WebURL("http://docs.example/\(number)"))
            #expect(known[key] == nil)
            known[key] = entry(number)
        }
        #expect(known.count == 20_000)
        for number in 0..<20_000 {
            #expect(known[URLKey(try WebURL("http://docs.example/\(number)"))] == entry(number))
        }
    }

    @Test func `an entry is changed in place`() throws {
        var known = KnownURLs()
        let key = URLKey(try WebURL("http://docs.example/"))
        known[key] = KnownURLs.Entry(id: 7, role: .link, depth: 3, state: .waiting)
        known[key] = KnownURLs.Entry(id: 9, role: .requisite, depth: 2, state: .taken)
        #expect(known.count == 1)
        #expect(known[key] == KnownURLs.Entry(id: 9, role: .requisite, depth: 2, state: .taken))
    }

    @Test func `depths beyond the maximum are the maximum`() throws {
        var known = KnownURLs()
        let key = URLKey(try WebURL("http://docs.example/"))
        known[key] = KnownURLs.Entry(id: 1, role: .link, depth: 1_000_000, state: .waiting)
        #expect(known[key]?.depth == 65_535)
    }
}
