import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCText
import HTTPTypes
import Testing

@testable import AFCCache

/// Which stored URL a request means whose own URL isn't stored: docs/reference/matching.md as a table.
struct QueryMatchTests {
    /// A request, the stored URLs of its path, the rule of their package, and what answers.
    struct Case: CustomTestStringConvertible, Sendable {
        var request: String
        var stored: [String]
        /// `query-equal URL` and so on, or `-` for a miss.
        var expected: String
        var rule: String?

        var testDescription: String { "\(request) among \(stored), \(rule ?? "no rule")" }

        /// Reads a line: `request | stored … | expected | rule`, where `#` and a status, a type or a body such as `body-1`
        /// follow a stored URL.
        init(_ line: Substring) {
            let columns = line.split(separator: "|", omittingEmptySubsequences: false).map { column in
                column.split(separator: " ").map(String.init)
            }
            request = columns[0].first ?? ""
            stored = columns[1]
            expected = columns[2].joined(separator: " ")
            rule = columns.count > 3 ? columns[3].joined(separator: " ") : nil
        }

        /// Looks up as the cache does.
        var found: String {
            get throws {
                let (path, query) = Self.parts(request)
                let rule = try rule.map { rule in
                    let words = rule.split(separator: " ")
                    let names = words[1].split(separator: ",").map { "\"\($0)\"" }.joined(separator: ",")
                    let text = "{\"rules\":[{\"path\":\"/*\",\"\(words[0])\":[\(names)]}]}"
                    return try MatchRules(Array(text.utf8))
                }
                let urls = stored.map { $0.split(separator: "#").map(String.init) }
                let candidates = urls.map { url in
                    let mark = url.count > 1 ? url[1] : "html"
                    return QueryMatch.Stored(
                        query: Self.parts(url[0]).query,
                        status: Int(mark) ?? 200,
                        mediaType: ["json": "application/json", "xml": "application/xml", "plain": "text/plain"][mark]
                            ?? "text/html; charset=utf-8",
                        digest: mark.hasPrefix("body-") ? Array(mark.utf8) : [],
                        rule: rule?.rule(for: path)
                    )
                }
                guard let match = QueryMatch.find(path: path, query: query, among: candidates) else { return "-" }
                return "\(match.reason.rawValue) \(urls[match.index][0])"
            }
        }

        private static func parts(_ target: String) -> (path: String, query: String?) {
            let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
        }
    }

    static func cases(_ table: String) -> [Case] { table.split(separator: "\n").map { Case($0) } }

    @Test(arguments: cases(readerParameters))
    func `a parameter that identifies the reader makes no difference`(_ one: Case) throws {
        #expect(try one.found == one.expected)
    }

    static let readerParameters = """
        /a?utm_source=n | /a | query-equal /a
        /a?utm_source=n&utm_medium=m&utm_campaign=c | /a | query-equal /a
        /a?fbclid=IwAR0abc | /a | query-equal /a
        /a?gclid=Cj0KCQ | /a | query-equal /a
        /a?msclkid=1a2b | /a | query-equal /a
        /a?mc_cid=1&mc_eid=2 | /a | query-equal /a
        /a?_ga=2.1.3-4 | /a | query-equal /a
        /a?_gl=1*abc | /a | query-equal /a
        /a?matomo_campaign=x | /a | query-equal /a
        /a?pk_campaign=x | /a | query-equal /a
        /a?yclid=123 | /a | query-equal /a
        /a?igshid=x1 | /a | query-equal /a
        /a?id=5&utm_source=n | /a?id=5 | query-equal /a?id=5
        /a?utm_source=n&id=5 | /a?id=5 | query-equal /a?id=5
        /a?id=5 | /a?id=5&utm_source=n | query-equal /a?id=5&utm_source=n
        /a?id=5&utm_source=x | /a?id=5&utm_source=y | query-equal /a?id=5&utm_source=y
        /a?id=5&utm_source=x | /a?id=6&utm_source=x | -
        /a | /a?utm_source=n | query-equal /a?utm_source=n
        /a?UTM_SOURCE=n | /a?id=1 | -
        /a?PHPSESSID=abc123 | /a | query-equal /a
        /a?phpsessid= | /a?id=1 | -
        /a?sid=4f2a9c0de1b37788 | /a | query-equal /a
        /a?sid=news | /a?sid=sport | -
        /a?s=cats | /a?s=dogs | -
        /a?jsessionid=0A1B | /a | query-equal /a
        /a?utm_source=n | /a /a?id=1 | query-equal /a
        /a?utm_source=n | /a /a?utm_source=m | query-equal /a
        /a?utm_source=z | /a?utm_source=x /a?utm_source=y | -
        /a | /a?utm_source=x /a?utm_medium=y | -
        /a?id=1&fbclid=z | /a?id=1 /a?id=1&fbclid=y | query-equal /a?id=1
        /a?utm_source=n | /a#301 | query-equal /a
        /a?utm_source=n | /a#404 | query-equal /a
        /a.html?utm_source=n | /a.html | query-equal /a.html
        /a.php?utm_source=n | /a.php | query-equal /a.php
        /a.php?id=1&utm_source=n | /a.php?id=1 | query-equal /a.php?id=1
        /a.php?id=1&utm_source=n | /a.php | -
        """

    @Test(arguments: cases(repeated))
    func `a query makes no difference where several queries got the same body`(_ one: Case) throws {
        #expect(try one.found == one.expected)
    }

    static let repeated = """
        /a.html?q=word | /a.html#body-1 /a.html?q=other#body-1 | query-ignored /a.html
        /a.html?q=word | /a.html?q=other#body-1 /a.html#body-1 /a.html?q=third#body-1 | query-ignored /a.html
        /a.html?q=word | /a.html#body-1 /a.html?q=other#body-2 | -
        /a.html?q=word | /a.html#body-1 /a.html?q=other#body-1 /a.html?q=third#body-2 | -
        /a.html?q=word | /a.html?q=other#body-1 /a.html?q=third#body-1 | query-ignored /a.html?q=other
        /a.html?q=word | /a.html?q=other#body-1 /a.html?q=third#body-2 | -
        /a.html?q=word | /a.html?q=other#body-1 | -
        /a.html | /a.html?q=other#body-1 /a.html?q=third#body-1 | query-ignored /a.html?q=other
        /a/?q=word | /a/#body-1 /a/?q=other#body-1 | query-ignored /a/
        /a/?q=word | /a/?q=other#body-1 /a/?q=third#body-1 | -
        /a?q=word | /a#body-1 /a?q=other#body-1 | query-ignored /a
        /a.php?q=word | /a.php#body-1 /a.php?q=other#body-1 | -
        /a.html?q=word | /a.html#body-1 /a.html?q=other#404 | -
        /a.html?q=word | /a.html /a.html?q=other | -
        /a.html?q=word | /a.html#body-1 /a.html?q=other#body-1 | - | keep q
        """

    @Test(arguments: cases(busters))
    func `a cache buster makes no difference, and what only has its name does`(_ one: Case) throws {
        #expect(try one.found == one.expected)
    }

    // The first ones are those that pywb's default filters know. A callback isn't ignored: the body would call another
    // function. Neither is any parameter of a file, since stored URLs that differ in it are there for a reason.
    static let busters = """
        /x.js?_=1700000000000 | /x.js | query-equal /x.js
        /api?_=1700000000000 | /api?_=1600000000000 | query-equal /api?_=1600000000000
        /api?a=b&_=12345 | /api?a=b&_=54321 | query-equal /api?a=b&_=54321
        /api?_=12345&a=b | /api?a=b | query-equal /api?a=b
        /api?a=b&_=12345 | /api?a=c&_=12345 | -
        /api?_=12345 | /api?_=1 /api?_=2 | -
        /api?_=abc | /api?_=def | -
        /api?uncache=12345 | /api?uncache=9 | query-equal /api?uncache=9
        /x?cb=123 | /x?cb=456 | query-equal /x?cb=456
        /x?CB=123 | /x | query-equal /x
        /x?cb=jQuery1710_17 | /x?cb=123 | -
        /x?callback=jQuery123_456&_=789 | /x?callback=jQuery999_111&_=5 | -
        /x?callback=jsonp123 | /x?callback=jsonp9 | -
        /x?callback=f&_=789 | /x?callback=f&_=5 | query-equal /x?callback=f&_=5
        /x?nocache=1 | /x | query-equal /x
        /x?nocache=true | /x | query-equal /x
        /x?no_cache=1 | /x | query-equal /x
        /x?no-cache=1 | /x | query-equal /x
        /x?cachebust=0.4711 | /x | query-equal /x
        /x?cache_buster=123e4567-e89b-12d3-a456-426614174000 | /x | query-equal /x
        /x?cachebuster=a1b2c3d4 | /x | query-equal /x
        /x?bust=12 | /x | query-equal /x
        /x?_dc=1700000000000 | /x | query-equal /x
        /x?nocache=page2 | /x?nocache=page1 | -
        /x?bust=marble | /x?bust=bronze | -
        /x?_= | /x | query-equal /x
        /x?_ | /x | query-equal /x
        /x?_=1&_=2 | /x | query-equal /x
        /x?utm_source=n&_=5&cb=6 | /x | query-equal /x
        /index.php?_=123 | /index.php | query-equal /index.php
        /index.php?a=1&_=123 | /index.php?a=1&_=5 | query-equal /index.php?a=1&_=5
        /data.swf?any=1 | /data.swf?other=2 | -
        /app.css?x=1 | /app.css?x=2 | -
        /a.css?v=1 | /a.css?v=2 | query-equal /a.css?v=2
        /a.css?v=1.2.3 | /a.css | query-equal /a.css
        /a.css?ver=6.4.2 | /a.css?ver=6.4.1 | query-equal /a.css?ver=6.4.1
        /a.js?v=fa44fd50 | /a.js?v=5929fcd5 | query-equal /a.js?v=5929fcd5
        /a.js?v=v2.1 | /a.js?v=v2.0 | query-equal /a.js?v=v2.0
        /a.js?v=dev | /a.js?v=prod | -
        /a.js?1700000000 | /a.js?1600000000 | query-equal /a.js?1600000000
        /a.js?d41d8cd98f00b204 | /a.js | query-equal /a.js
        /a.js?12 | /a.js?13 | -
        /a.html?2 | /a.html /a.html?3 | -
        /a.js?t=123 | /a.js?t=456 | query-equal /a.js?t=456
        /a.js?ts=1700000000 | /a.js | query-equal /a.js
        /a.js?_t=1&_v=2 | /a.js?_t=3&_v=4 | query-equal /a.js?_t=3&_v=4
        /a.js?rnd=0.8234567812 | /a.js | query-equal /a.js
        /a.js?rev=12&lang=en | /a.js?rev=13&lang=en | query-equal /a.js?rev=13&lang=en
        /a.js?rev=12&lang=de | /a.js?rev=13&lang=en | -
        /a.js?v=1 | /a.js?v=2 /a.js?v=3 | -
        /a.js?v=1 | /a.js /a.js?v=3 | query-equal /a.js
        /a.js | /a.js?v=3 | query-equal /a.js?v=3
        /a.js | /a.js?v=3 /a.js?v=4 | -
        /a.png?w=100&v=2 | /a.png?w=100&v=1 | query-equal /a.png?w=100&v=1
        /a.png?w=100&v=2 | /a.png?w=200&v=2 | -
        /a.js?build=20240131.2 | /a.js | query-equal /a.js
        /a.js?hash=deadbeef | /a.js?hash=cafebabe | -
        /a.js?version=latest | /a.js?version=1 | -
        /a.js?mtime=1700000000.5 | /a.js | query-equal /a.js
        /a.js?v=1- | /a.js?v=2- | -
        /watch?v=123 | /watch?v=456 | -
        /watch?v=dQw4w9WgXcQ | /watch?v=oHg5SJYRHA0 | -
        /thread?t=1001 | /thread?t=1002 | -
        /api?t=1700000000 | /api?t=1600000000 | query-equal /api?t=1600000000
        /api?ts=1700000000123 | /api | query-equal /api
        /api?ts=1700000000123 | /api?ts=1 | -
        /api?rand=0.8234567812 | /api?rand=0.1234567890 | query-equal /api?rand=0.1234567890
        /api?rand=5 | /api?rand=6 | -
        /api?1700000000123 | /api?1600000000123 | query-equal /api?1600000000123
        /thread?12345 | /thread?12346 | -
        /showthread.php?t=1001 | /showthread.php?t=1002 | -
        /showthread.php?t=1700000000 | /showthread.php?t=1600000000 | -
        /showthread.php?1700000000 | /showthread.php?1600000000 | -
        /file.aspx?v=1 | /file.aspx?v=2 | -
        """

    @Test(arguments: cases(sets))
    func `parameters are compared as a set`(_ one: Case) throws { #expect(try one.found == one.expected) }

    static let sets = """
        /s?a=1&b=2 | /s?b=2&a=1 | query-equal /s?b=2&a=1
        /s?a=1&b=2&c=3 | /s?c=3&a=1&b=2 | query-equal /s?c=3&a=1&b=2
        /s.php?a=1&b=2 | /s.php?b=2&a=1 | query-equal /s.php?b=2&a=1
        /s?a=1&a=2 | /s?a=2&a=1 | -
        /s?a=1&a=2&b=3 | /s?b=3&a=1&a=2 | query-equal /s?b=3&a=1&a=2
        /s?a=1&a=1 | /s?a=1 | query-equal /s?a=1
        /s?a=1&&b=2 | /s?a=1&b=2 | query-equal /s?a=1&b=2
        /s?&a=1 | /s?a=1 | query-equal /s?a=1
        /s?a=1& | /s?a=1 | query-equal /s?a=1
        /s?a=x+y | /s?a=x%20y | query-equal /s?a=x%20y
        /s?a=%C3%A4 | /s?a=%c3%a4 | query-equal /s?a=%c3%a4
        /s?a= | /s?a | query-equal /s?a
        /s?a=1;b=2 | /s?a=1&b=2 | -
        /s?A=1 | /s?a=1 | -
        /s?a=b | /s?a=B | -
        /s?a=1 | /s?a=1&b= | -
        /s?a=1&b=2 | /s?a=1 | -
        /s?a=1 | /s?a=1&b=2 | -
        /s?a=1=2 | /s?a=1%3D2 | query-equal /s?a=1%3D2
        /s?a=1 | /s?a=01 | -
        /s?a=%zz | /s?a=%25zz | query-equal /s?a=%25zz
        /s?q=%2B | /s?q=+ | -
        /s?b=2&a=1 | /s?a=1&b=2 /s?b=2&a=1&c=3 | query-equal /s?a=1&b=2
        /s?b=2&a=1&utm_source=x | /s?a=1&b=2 /s?b=2&a=1 | -
        /s? | /s | query-equal /s
        /s | /s? | query-equal /s?
        /s?a=1 | /s? | -
        /s?%61=1 | /s?a=1 | query-equal /s?a=1
        /s?a[]=1&a[]=2 | /s?a%5B%5D=1&a%5B%5D=2 | query-equal /s?a%5B%5D=1&a%5B%5D=2
        """

    @Test(arguments: cases(withoutQuery))
    func `a query that no stored URL of the path has is ignored, unless a server gives it a meaning`(_ one: Case) throws
    {
        #expect(try one.found == one.expected)
    }

    // The first ones are searches of Sphinx, Furo, MkDocs, mdBook, rustdoc, Javadoc, Docusaurus, Hugo and Doxygen.
    static let withoutQuery = """
        /search.html?q=word | /search.html | query-ignored /search.html
        /search.html?q=word&check_keywords=yes&area=default | /search.html | query-ignored /search.html
        /search.html?q=two+words | /search.html | query-ignored /search.html
        /search/?q=word | /search/ | query-ignored /search/
        /?q=word | / | query-ignored /
        /book/print.html?search=word | /book/print.html | query-ignored /book/print.html
        /std/index.html?search=vec | /std/index.html | query-ignored /std/index.html
        /api/search.html?q=List&c=member | /api/search.html | query-ignored /api/search.html
        /search?q=word | /search | query-ignored /search
        /?s=word | / | query-ignored /
        /search.php?query=word | /search.php | -
        /search.html?q= | /search.html | query-ignored /search.html
        /search.html?q=word&_=1 | /search.html | query-ignored /search.html
        /search.html?utm_source=n&q=word | /search.html | query-ignored /search.html
        /page.html?highlight=word | /page.html | query-ignored /page.html
        /search.html?q=word | /search.html /search.html?q=other | -
        /search.html?q=word | /search.html?q=other | -
        /search.html?q=word | /search.html#301 | -
        /search.html?q=word | /search.html#404 | -
        /search?q=word | /search#301 | -
        /search?q=word | /search#503 | -
        /search?q=word | /search#json | -
        /search?q=word | /search#plain | -
        /feed?format=rss | /feed#xml | -
        /?s=word | / /?s=other | -
        /?page=2 | / /?page=3 | -
        /blog?page=2 | /blog | query-ignored /blog
        /blog?page=2 | /blog /blog?page=3 | -
        /items?page=2 | /items#json | -
        /items.json?page=2 | /items.json#json | query-ignored /items.json
        /items.json?page=2 | /items.json#json /items.json?page=3#json | -
        /index.html?lang=de | /index.html | query-ignored /index.html
        /index.html?lang=de | /index.html /index.html?lang=en | -
        /index.html?lang=de | /index.html /index.html?utm_source=x | -
        /index.html?2 | /index.html | query-ignored /index.html
        /img.png?w=300 | /img.png | query-ignored /img.png
        /img.png?w=300 | /img.png /img.png?w=600 | -
        /font.woff2?abc | /font.woff2 | query-ignored /font.woff2
        /doc.pdf?download=1 | /doc.pdf | query-ignored /doc.pdf
        /v.mp4?start=10 | /v.mp4 | query-ignored /v.mp4
        /data.swf?any=1 | /data.swf | query-ignored /data.swf
        /file.tar.gz?x=1 | /file.tar.gz | query-ignored /file.tar.gz
        /v1.2?x=1 | /v1.2 | query-ignored /v1.2
        /v1.2?x=1 | /v1.2#json | -
        /a.b/c?x=1 | /a.b/c#json | -
        /.well-known/x?y=1 | /.well-known/x#json | -
        /index.php?page=2 | /index.php | -
        /index.PHP?page=2 | /index.PHP | -
        /index.php/about?x=1 | /index.php/about | -
        /show.asp?id=1 | /show.asp | -
        /show.aspx?id=1 | /show.aspx | -
        /show.jsp?id=1 | /show.jsp | -
        /show.pl?id=1 | /show.pl | -
        /show.cgi?id=1 | /show.cgi | -
        /app.do?x=1 | /app.do | -
        /cgi-bin/find?q=1 | /cgi-bin/find | -
        /page?x=1 | | -
        /page | | -
        """

    @Test(arguments: cases(rules))
    func `a package's rule decides for its path`(_ one: Case) throws { #expect(try one.found == one.expected) }

    static let rules = """
        /api?id=1&nonce=x | /api?id=1&nonce=y | query-rule /api?id=1&nonce=y | ignore nonce
        /api?id=1&nonce=x | /api?id=1 | query-rule /api?id=1 | ignore nonce
        /api?id=2&nonce=x | /api?id=1 | - | ignore nonce
        /api?id=1&a=2&b=3 | /api?id=1 | query-rule /api?id=1 | keep id
        /api?id=1 | /api?id=1&z=9 | query-rule /api?id=1&z=9 | keep id
        /api?id=1&utm_source=n | /api?id=1 | query-equal /api?id=1 | keep id
        /api?id=2&z=9 | /api?id=1&z=9 | - | keep id
        /a.js?v=1 | /a.js?v=2 | - | keep v
        /a.js?x=1 | /a.js?y=2 | query-rule /a.js?y=2 | keep v
        /a.js?x=1&v=1 | /a.js?v=1&y=1 | query-rule /a.js?v=1&y=1 | keep v
        /api?session_key=abc | /api?session_key=def | query-rule /api?session_key=def | ignore session_*
        /api?q=1 | /api?q=2 | query-rule /api?q=2 | ignore *
        /api?q=1 | /api?q=2 /api?q=3 | - | ignore *
        /api?q=1 | /api /api?q=3 | query-rule /api | ignore *
        /api?q=1 | /api#json | query-rule /api | ignore q
        /search.html?q=1 | /search.html | - | keep q
        /search.html?z=1 | /search.html | query-rule /search.html | keep q
        /search.html?z=1 | /search.html | query-ignored /search.html | ignore q
        /index.php?a=1&sess=2 | /index.php?a=1 | query-rule /index.php?a=1 | ignore sess
        /p?PHPSESSID=x | /p | - | keep PHPSESSID
        /p?utm_source=a | /p?utm_source=b | - | keep utm_source
        /api?Nonce=1 | /api?Nonce=2 | - | ignore nonce
        /api?x=1&y=2 | /api?y=2&x=9 | query-rule /api?y=2&x=9 | ignore x
        /api?a=1&b=2 | /api?b=2&a=1 | query-equal /api?b=2&a=1 | keep a,b
        """

    @Test func `the tables have at least 200 cases`() {
        let tables = [Self.readerParameters, Self.busters, Self.sets, Self.withoutQuery, Self.rules]
        #expect(tables.reduce(0) { $0 + Self.cases($1).count } >= 200)
    }

    @Test func `more than 64 stored URLs, or parameters, are a miss`() {
        let stored = (0..<64).map { QueryMatch.Stored(query: "id=\($0)") }
        #expect(QueryMatch.find(path: "/a", query: "id=7&utm_source=n", among: stored)?.index == 7)
        let more = stored + [QueryMatch.Stored(query: "id=64")]
        #expect(QueryMatch.find(path: "/a", query: "id=7&utm_source=n", among: more) == nil)
        let many = (0..<64).map { "p\($0)=1" }.joined(separator: "&")
        let one = [QueryMatch.Stored(query: many)]
        #expect(QueryMatch.find(path: "/a", query: many, among: one) != nil)
        #expect(QueryMatch.find(path: "/a", query: many + "&_=1", among: one) == nil)
    }
}

/// Stored responses with No-Vary-Search (draft-ietf-httpbis-no-vary-search) among those of a path.
struct VarianceMatchTests {
    @Test(
        arguments: [
            // The field, the stored queries with it, further ones without it, what is asked for, and what answers.
            ("params=(\"x\")", ["x=1&b=2"], [], "b=2", "no-vary-search x=1&b=2"),
            ("params=(\"x\")", ["x=1&b=2"], [], "b=3", "-"),
            ("params=(\"x\")", ["b=2"], [], "x=5&b=2", "no-vary-search b=2"),
            ("params", ["a=1"], [], "z=9", "no-vary-search a=1"), ("params", ["a=1"], [], nil, "no-vary-search a=1"),
            ("params, except=(\"id\")", ["id=1", "id=2"], [], "id=2&from=mail", "no-vary-search id=2"),
            ("params, except=(\"id\")", ["id=1", "id=2"], [], "id=3", "-"),
            // Several that are equivalent are one resource.
            ("params=(\"x\")", ["x=1", "x=2"], [], "x=3", "no-vary-search x=1"),
            // Parameters without a meaning come first.
            ("params=(\"x\")", ["b=2"], [], "b=2&utm_source=n", "query-equal b=2"),
            ("key-order", ["b=2&a=1"], [], "a=1&b=2", "query-equal b=2&a=1"),
            ("params=(\"x\")", ["x=1"], ["b=1"], "x=2", "no-vary-search x=1"), ("params", [], ["b=1"], "x=2", "-"),
            ("params=x", ["x=1"], [], "x=2", "-"), ("", ["x=1"], [], "x=2", "-"),
        ] as [(String, [String], [String], String?, String)]
    )
    func `an equivalent query is found where its parameters alone don't tell`(
        _ field: String,
        _ varying: [String],
        _ others: [String],
        _ asked: String?,
        _ expected: String
    ) {
        var fields = HTTPFields()
        fields[.noVarySearch] = field
        let variance = SearchVariance(fields)
        let stored =
            varying.map { QueryMatch.Stored(query: $0, mediaType: "application/json", variance: variance) }
            + others.map { QueryMatch.Stored(query: $0, mediaType: "application/json") }
        let found = QueryMatch.find(path: "/list", query: asked, among: stored)
        let text = found.map { "\($0.reason.rawValue) \((varying + others)[$0.index])" } ?? "-"
        #expect(text == expected)
    }

    @Test(
        arguments: [
            ("\"ignore\": [\"from\"]", "key-order, params=(\"from\")"),
            ("\"ignore\": [\"b\", \"a\"]", "key-order, params=(\"a\" \"b\")"),
            ("\"keep\": [\"id\"]", "key-order, params, except=(\"id\")"), ("\"keep\": []", "key-order, params"),
            ("\"ignore\": [\"a[]\", \"x y\", \"é\\\"%+\"]", "key-order, params=(\"a[]\" \"x+y\" \"%C3%A9%22%25%2B\")"),
            ("\"ignore\": [\"utm_*\"]", nil), ("\"keep\": [\"id\", \"p*\"]", nil), ("\"ignore\": []", "key-order"),
        ] as [(String, String?)]
    )
    func `a rule is written as the field says it, or not at all`(names: String, expected: String?) throws {
        let rules = try MatchRules(Array("{\"rules\": [{\"path\": \"/*\", \(names)}]}".utf8))
        let written = rules.rule(for: "/a")?.variance?.description
        #expect(written == expected)
        // What is written means the same when it is read.
        guard let written else { return }
        var fields = HTTPFields()
        fields[.noVarySearch] = written
        #expect(SearchVariance(fields) == rules.rule(for: "/a")?.variance)
    }
}
