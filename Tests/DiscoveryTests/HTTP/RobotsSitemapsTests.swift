import Testing
import URLStandard

@testable import Discovery

struct RobotsSitemapsTests {
    private func urls(_ text: String) throws -> [String] {
        let url = try WebURL("http://docs.example/robots.txt")
        return RobotsSitemaps.references(in: Array(text.utf8), url: url).map {
            "\($0.kind) \($0.reference.loads) \($0.url)"
        }
    }

    @Test(arguments: [
        "Sitemap: http://docs.example/x", "sitemap:/x", "\u{FEFF}SITEMAP : /x \r\n",
        "User-agent: *\rDisallow: /\rSitemap: /x",
        "User-agent: a\nsitemap: /x # comment\n", "\n\n  Sitemap:\t/x#y", "Sitemap:\nSitemap: #\nSitemap: /x",
    ])
    func `lines are found wherever they stand`(text: String) throws {
        #expect(try urls(text) == ["link sitemap http://docs.example/x"])
    }

    @Test(arguments: [
        "", "# Sitemap: /x", "Sitemap /x", "Sitemaps: /x", "xSitemap: /x", "Sitemap: ftp://docs.example/x",
        "Disallow: Sitemap: /x",
    ])
    func `what is no such line is left alone`(text: String) throws {
        #expect(try urls(text).isEmpty)
    }
}
