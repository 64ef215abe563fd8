import AFCCrawlRules
import AFCCrawler
import AFCPackager
import Testing

struct PageDirectivesTests {
    private static let none = PageDirectives()
    private static let nofollow = PageDirectives(isNofollow: true)
    private static let noindex = PageDirectives(isNoindex: true)
    private static let both = PageDirectives(isNofollow: true, isNoindex: true)

    @Test(
        arguments: [
            ([], none), (["all"], none), (["nofollow"], nofollow), (["NoIndex"], noindex), (["none"], both),
            (["noindex, nofollow"], both), (["noindex,nofollow"], both), (["noindex", "nofollow"], both),
            (["noindex nofollow"], none), (["nofollows"], none), ([""], none), ([",,"], none), ([":nofollow"], none),
            (["afcache: nofollow"], nofollow), (["AFCache : noindex"], noindex), (["otherbot: none"], none),
            (["*: nofollow"], nofollow), (["robots: nofollow"], nofollow),
            (["otherbot: noindex, nofollow"], none), (["noindex, otherbot: nofollow"], noindex),
            (["otherbot: noindex, afcache: nofollow"], nofollow), (["otherbot: noindex", "nofollow"], nofollow),
            (["unavailable_after: 25 Jun 2010 15:00:00 PST"], none),
            (["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"], nofollow),
            (["max-snippet:-1, max-image-preview:large, nofollow"], nofollow),
            (["otherbot: max-snippet:-1, nofollow"], none), (["otherbot: unavailable_after: x, noindex"], none),
        ]
    ) func `X-Robots-Tag fields are read for everybody and for the crawler`(values: [String], expected: PageDirectives)
    {
        #expect(PageDirectives(robotsTag: values, productToken: "AFCache") == expected)
    }

    @Test(
        arguments: [
            ("robots", "noindex,nofollow", both), ("ROBOTS", "None", both), ("robots", "noindex nofollow", both),
            ("afcache", "nofollow", nofollow), ("otherbot", "none", none), ("robots", "index, follow", none),
            (" robots ", "noindex", noindex), ("description", "nofollow", none), ("robots", "", none),
        ]
    ) func `meta elements are read for everybody and for the crawler`(
        name: String,
        content: String,
        expected: PageDirectives
    ) {
        #expect(PageDirectives(metaName: name, content: content, productToken: "afcache") == expected)
    }

    @Test func `the stricter of two decides`() {
        #expect(Self.nofollow.union(Self.noindex) == Self.both)
        #expect(Self.none.union(Self.none) == Self.none)
    }
}
