import AFCCrawlRules
import AFCCrawler
import AFCPackager
import AFCURL
import Testing

struct CrawlScopeTests {
    private func obstacle(
        _ url: String,
        as role: CrawlScope.Role = .link,
        depth: Int = 1,
        seed: String = "http://docs.example/guide/start.html",
        _ change: (inout CrawlScope.Options) throws -> Void = { _ in }
    ) throws -> SkipRule? {
        var options = CrawlScope.Options()
        try change(&options)
        return CrawlScope(seeds: [try WebURL(seed)], options: options).obstacle(
            to: try WebURL(url),
            as: role,
            depth: depth
        )
    }

    @Test(
        arguments: [
            ("http://docs.example/a", nil), ("https://docs.example/a", nil), ("http://docs.example:8080/a", .scope),
            ("http://www.docs.example/a", .scope), ("http://other.example/", .scope),
            ("mailto:a@docs.example", .scheme),
            ("ftp://docs.example/a", .scheme), ("data:text/html,x", .scheme), ("javascript:void(0)", .scheme),
            ("http://user@docs.example/a", .credentials), ("http://127.0.0.1/a", .privateAddress),
            ("http://localhost:8080/", .privateAddress), ("http://10.1.2.3/", .privateAddress),
            ("http://[::1]/", .privateAddress), ("http://169.254.169.254/latest", .privateAddress),
            ("http://192.168.1.1/", .privateAddress),
        ] as [(String, SkipRule?)]
    ) func `by default links stay on the seed's host`(url: String, expected: SkipRule?) throws {
        #expect(try obstacle(url) == expected)
    }

    @Test(
        arguments: [
            (.page, "http://docs.example/guide/b", .scope), (.prefix, "http://docs.example/guide/b", nil),
            (.prefix, "http://docs.example/other", .scope), (.prefix, "http://docs.example/guide", .scope),
            (.host, "http://docs.example/other", nil), (.domain, "http://docs.example/other", nil),
            (.domain, "https://a.b.docs.example:8443/", nil), (.domain, "http://mydocs.example/", .scope),
            (.domain, "http://docs.example.other.example/", .scope), (.domain, "http://example/", .scope),
            (.any, "http://other.example/", nil),
            (.any, "http://127.0.0.1/", .privateAddress),
        ] as [(CrawlScope.Extent, String, SkipRule?)]
    ) func `the extent decides how far links are followed`(
        extent: CrawlScope.Extent,
        url: String,
        expected: SkipRule?
    ) throws {
        #expect(try obstacle(url) { $0.extent = extent } == expected)
    }

    @Test func `requisites are fetched from the seed's host wherever links may lead`() throws {
        #expect(try obstacle("http://docs.example/a.css", as: .requisite) { $0.extent = .prefix } == nil)
        #expect(try obstacle("http://cdn.example/a.css", as: .requisite) == .scope)
        #expect(try obstacle("http://cdn.example/a.css", as: .requisite) { $0.takesForeignRequisites = true } == nil)
        #expect(
            try obstacle("http://10.0.0.1/a", as: .requisite) { $0.takesForeignRequisites = true } == .privateAddress
        )
    }

    @Test(
        arguments: [
            (.page, nil, true), (.page, false, false), (.page, true, true), (.prefix, nil, false), (.host, nil, false),
            (.host, true, true), (.domain, nil, false), (.any, nil, true), (.any, false, true),
        ] as [(CrawlScope.Extent, Bool?, Bool)]
    ) func `a page's requisites may be on any host, those of a site on its own hosts`(
        extent: CrawlScope.Extent,
        takesForeign: Bool?,
        expected: Bool
    ) throws {
        let foreign = try obstacle("http://cdn.other.example/a.js", as: .requisite) {
            ($0.extent, $0.takesForeignRequisites) = (extent, takesForeign)
        }
        #expect(foreign == (expected ? nil : .scope))
        // Neither from where nothing may be asked for.
        for url in ["file:///etc/passwd", "http://192.168.1.1/a.js", "http://u:p@cdn.other.example/"] {
            #expect(
                try obstacle(url, as: .requisite) { ($0.extent, $0.takesForeignRequisites) = (extent, true) } != nil
            )
        }
    }

    @Test(
        arguments: [
            ("http://docs.example/", "http://cdn.docs.example/a", nil),
            ("http://www.docs.example/", "http://docs.example/", nil),
            ("http://a.docs.co.uk/", "http://b.docs.co.uk/", nil), ("http://a.docs.co.uk/", "http://b.co.uk/", .scope),
            ("http://a.github.io/", "http://b.github.io/", .scope),
            ("http://github.io/", "http://a.github.io/", .scope),
            ("http://192.0.2.1/", "http://192.0.2.1:8080/", nil), ("http://192.0.2.1/", "http://192.0.2.2/", .scope),
            ("http://localhost/", "http://localhost:8080/", nil), ("http://intranet/", "http://intranet/a", nil),
            ("http://intranet/", "http://a.intranet/", .scope),
        ] as [(String, String, SkipRule?)]
    ) func `a domain is a registered name and everything below it`(
        seed: String,
        url: String,
        expected: SkipRule?
    ) throws {
        #expect(try obstacle(url, seed: seed) { $0.extent = .domain } == expected)
        #expect(try obstacle(url, as: .requisite, seed: seed) { $0.extent = .domain } == expected)
    }

    @Test func `depth and include limit links only, exclude requisites too`() throws {
        #expect(try obstacle("http://docs.example/a", depth: 2) { $0.depth = 1 } == .depth)
        #expect(try obstacle("http://docs.example/a", as: .requisite, depth: 2) { $0.depth = 1 } == nil)
        let pattern = try URLPattern("/guide/*")
        #expect(try obstacle("http://docs.example/a") { $0.include = [pattern] } == .notIncluded)
        #expect(try obstacle("http://docs.example/guide/a") { $0.include = [pattern] } == nil)
        #expect(try obstacle("http://docs.example/a", as: .requisite) { $0.include = [pattern] } == nil)
        #expect(try obstacle("http://docs.example/guide/a", as: .requisite) { $0.exclude = [pattern] } == .excluded)
        #expect(try obstacle("http://docs.example/guide/a", as: .seed) { $0.exclude = [pattern] } == nil)
    }

    @Test func `a private seed is allowed because it is named`() throws {
        let seed = "http://127.0.0.1:8080/"
        #expect(try obstacle(seed, as: .seed, depth: 0, seed: seed) == nil)
        #expect(try obstacle("http://127.0.0.1:8080/a", seed: seed) == nil)
        #expect(try obstacle("http://127.0.0.2/a", seed: seed) { $0.extent = .any } == .privateAddress)
        #expect(try obstacle("http://127.0.0.2/a") { ($0.extent, $0.allowsPrivate) = (.any, true) } == nil)
    }

    @Test(
        arguments: [
            (.host, "http://www.docs.example/b", nil), (.host, "http://docs.example/", nil),
            (.prefix, "http://www.docs.example/b", .scope),
            (.prefix, "http://www.docs.example/new/b", nil), (.page, "http://www.docs.example/new/b", .scope),
            (.domain, "http://cdn.docs.example/", nil), (.host, "http://127.0.0.1/", .privateAddress),
        ] as [(CrawlScope.Extent, String, SkipRule?)]
    ) func `the real place of a seed is in scope, but no private address because of it`(
        extent: CrawlScope.Extent,
        url: String,
        expected: SkipRule?
    ) throws {
        var options = CrawlScope.Options()
        options.extent = extent
        var scope = CrawlScope(seeds: [try WebURL("http://docs.example/")], options: options)
        scope.extend(to: try WebURL("http://www.docs.example/new/"))
        scope.extend(to: try WebURL("http://127.0.0.1/"))
        #expect(scope.obstacle(to: try WebURL(url), as: .link, depth: 1) == expected)
    }
}
