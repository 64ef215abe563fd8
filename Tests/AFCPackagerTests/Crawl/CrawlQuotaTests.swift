import AFCURL
import Testing

@testable import AFCCrawlRules

struct CrawlQuotaTests {
    private func item(_ path: String) throws -> CrawlItem {
        let found = FoundURL(try WebURL("http://docs.example" + path), role: .link)
        return CrawlItem(found, id: 1, redirects: 0, chain: 0, referrer: nil)
    }

    private func quota(pages: Int?) -> CrawlQuota {
        var limits = CrawlLimits()
        limits[.pages] = pages
        return CrawlQuota(limits)
    }

    @Test func `a claim counts until it is released, and only taking a URL decides`() throws {
        var quota = quota(pages: 2)
        let page = try item("/a")
        let claim = quota.claim(page, as: .seed)
        _ = quota.claim(try item("/b"), as: .link)
        #expect(!quota.allows(page, as: .link))
        #expect(quota.obstacle(to: page, as: .link) == nil)
        quota.release(claim)
        #expect(quota.allows(page, as: .link))
        quota.take(page, as: .link)
        #expect(!quota.allows(page, as: .link))
        quota.take(page, as: .seed)
        #expect(quota.obstacle(to: page, as: .link) == .maxPages)
    }

    @Test func `a request ahead of its turn leaves room for those in turn`() throws {
        var quota = quota(pages: 1)
        let page = try item("/a")
        quota.beginScout(page.destination, as: .link)
        #expect(!quota.allowsScout(page, as: .link))
        #expect(quota.allows(page, as: .link))
        quota.endScout(page.destination, as: .link)
        quota.endScout(page.destination, as: .link)
        #expect(quota.allowsScout(page, as: .link))
    }

    @Test func `requisites are no pages, and without a limit nothing counts`() throws {
        var quota = quota(pages: 1)
        let page = try item("/a")
        quota.take(page, as: .requisite)
        #expect(quota.obstacle(to: page, as: .link) == nil)
        quota.take(page, as: .link)
        #expect(quota.obstacle(to: page, as: .requisite) == nil)
        #expect(self.quota(pages: nil).claim(of: page) == [])
    }
}

extension CrawlQuota {
    fileprivate func claim(of item: CrawlItem) -> Claim {
        var quota = self
        return quota.claim(item, as: .link)
    }
}
