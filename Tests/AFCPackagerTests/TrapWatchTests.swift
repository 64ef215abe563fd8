import AFCURL
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct TrapWatchTests {
    private func obstacles(
        _ targets: [String],
        as role: CrawlScope.Role = .link,
        capacity: Int = 1000,
        hosts: TrapWatch.Hosts = TrapWatch.Hosts(),
        _ change: (inout TrapOptions) -> Void = { _ in }
    ) throws -> [SkipRule?] {
        var options = TrapOptions()
        change(&options)
        var watch = TrapWatch(options, capacity: capacity, hosts: hosts)
        return try targets.map { target in
            let text = target.hasPrefix("/") ? "http://docs.example" + target : target
            return watch.obstacle(to: try WebURL(text), as: role)
        }
    }

    // MARK: Paths

    @Test(
        arguments: [
            ("/", nil), ("/a/b/c/d/e/f/g", nil), ("/2011/11/11/11", nil), ("/a/a/a", nil), ("/a/a/a/a", .repeatedPath),
            ("/a/b/a/b/a/b", nil), ("/a/b/a/b/a/b/a/b", .repeatedPath), ("/x/a/b/a/b/a/b/a/b/y", .repeatedPath),
            ("/a/b/c/a/b/c/a/b/c/a/b/c/", .repeatedPath), ("/a/b/c/a/b/c/a/b/c/a/b/", nil),
            ("/a/1/a/2/a/3/a/4/a/5/a/6", nil),
            ("/a/1/a/2/a/3/a/4/a/5/a/6/a/7", .repeatedPath), ("/a//////b", .repeatedPath), ("/a///b", nil),
            ("/" + (1...32).map { "s\($0)" }.joined(separator: "/"), nil),
            ("/" + (1...33).map { "s\($0)" }.joined(separator: "/"), .pathDepth),
            ("/?" + (1...32).map { "p\($0)=1" }.joined(separator: "&"), nil),
            ("/?" + (1...33).map { "p\($0)=1" }.joined(separator: "&"), .tooManyParameters),
        ] as [(String, SkipRule?)]
    ) func `paths that repeat themselves, deep ones, and long queries are traps`(
        target: String,
        expected: SkipRule?
    ) throws {
        #expect(try obstacles([target]) == [expected])
        #expect(try obstacles([target], as: .requisite) == [expected])
        #expect(try obstacles([target], as: .seed) == [nil])
        #expect(try obstacles([target]) { $0.isEnabled = false } == [nil])
    }

    @Test(
        arguments: [
            ("", 0), ("a", 1), ("aa", 2), ("ab", 1), ("abab", 2), ("aabb", 2), ("xabababy", 3), ("abcabc", 2),
            ("abaab", 2),
            ("aaaaaa", 6),
        ]
    ) func `the longest run of one sequence is found`(letters: String, expected: Int) {
        #expect(PathRepetition.longestRun(in: letters.indices.map { letters[$0...$0] }) == expected)
    }

    // MARK: Shapes

    @Test(
        arguments: [
            ("/", "/"), ("/p/123456", "/p/9"), ("/p/7/", "/p/9/"), ("/2024/05/event-17", "/9/9/event-9"),
            ("/a1b22c", "/a9b9c"), ("/img/0123abcd.png", "/img/9.png"), ("/x/decade12", "/x/9"),
            ("/x/decades1", "/x/decades9"),
            ("/x/f47ac10b-58cc-4372-a567-0e02b2c3d479", "/x/9"), ("/find?q=swift", "/find?q&"),
            ("/cal?month=5&year=2024", "/cal?month&year&"), ("/cal?year=1&month=2", "/cal?month&year&"),
            ("/a?p1=x&p2=y", "/a?p9&p9&"), ("/a?", "/a"), ("/v/1uibmcprsdw4v52v/i.html", "/v/9/i.html"),
            ("/(S(lit3py55t21z5v55vlm25s55))/d.aspx", "/(S(9))/d.aspx"),
            ("/python3documentation", "/python9documentation"),
            ("/h264vs1080pcodecs", "/h9vs9pcodecs"), ("/s?k3f=1", "/s?k9f&"),
        ]
    ) func `numbers, ids and values are no part of a shape`(target: String, expected: String) throws {
        #expect(URLShape(try WebURL("http://docs.example" + target)).text == "http://docs.example" + expected)
    }

    @Test func `a shape takes a bounded number of bytes`() throws {
        let long = "/" + String(repeating: "ab/", count: 2000) + "?" + String(repeating: "c=1&", count: 500)
        #expect(URLShape(try WebURL("http://docs.example" + long)).text.utf8.count == URLShape.byteLimit)
    }

    @Test(
        arguments: [
            ("/find?q=", CrawlScope.Role.link, 2), ("/p/", .link, 20), ("/find?q=", .requisite, 20),
            ("/p/", .requisite, 200),
        ]
    ) func `URLs of one shape are requested up to a limit`(prefix: String, role: CrawlScope.Role, limit: Int) throws {
        let obstacles = try obstacles((0..<limit + 3).map { "\(prefix)\($0)" } + ["/other"], as: role) {
            $0.alikeLimit = 2
        }
        #expect(obstacles.prefix(limit).allSatisfy { $0 == nil })
        #expect(Array(obstacles.suffix(4)) == [.tooManyAlike, .tooManyAlike, .tooManyAlike, nil])
    }

    /// A page at /, and frames that any path answers: each refers to one in each folder.
    @Test(arguments: [2, 5]) func `requisites that lengthen one another's paths end`(folders: Int) throws {
        var options = TrapOptions()
        options.alikeLimit = 300
        var watch = TrapWatch(options)
        var waiting: [(url: WebURL, chain: Int)] = [(try WebURL("http://docs.example/"), 0)]
        var count = 0
        while let (url, chain) = waiting.popLast(), count < 100_000 {
            for folder in 0..<folders {
                let frame = try WebURL("f\(UnicodeScalar(UInt8(97 + folder)))/x.html", base: url)
                let growth = RequisiteGrowth(of: frame, chain: chain + 1, from: url)
                guard watch.obstacle(to: frame, as: .requisite, growth) == nil else { continue }
                count += 1
                waiting.append((frame, chain + 1))
            }
        }
        #expect(count <= folders * (300 + 1))
    }

    @Test(
        arguments: [
            ("http://docs.example/a/x", "/a/a/y", 2, true), ("http://docs.example/a/b/x", "/a/b/c/y", 2, false),
            ("http://docs.example/a/x", "/a/a/y", 1, nil), ("http://docs.example/a/x", "/a/y", 2, nil),
            ("http://docs.example/a/x", "/b/a/y", 2, nil), ("http://cdn.example/a/x", "/a/a/y", 2, nil),
        ] as [(String, String, Int, Bool?)]
    ) func `a requisite grows if its path lengthens the folder of another`(
        referrer: String,
        path: String,
        chain: Int,
        isRepetition: Bool?
    ) throws {
        let url = try WebURL("http://docs.example" + path)
        #expect(RequisiteGrowth(of: url, chain: chain, from: try WebURL(referrer))?.isRepetition == isRepetition)
    }

    @Test func `a path with any parameters has a limit of its own`() throws {
        let targets = (0..<100).map {
            "/s?\(UnicodeScalar(UInt8(97 + $0 % 26)))\(UnicodeScalar(UInt8(97 + $0 / 26)))=1"
        }
        let obstacles = try obstacles(targets + ["/t?x=1"]) { $0.alikeLimit = 10 }
        #expect(obstacles.prefix(40).allSatisfy { $0 == nil } && obstacles[40..<100].allSatisfy { $0 == .tooManyAlike })
        #expect(obstacles.last == .some(nil))
    }

    @Test func `hosts without end are a trap`() throws {
        let family = (0..<20).map { "http://h\($0)x.docs.example.com/" } + ["http://other.example.net/"]
        let siblings = try obstacles(family, hosts: TrapWatch.Hosts(siblings: 5))
        #expect(siblings.count { $0 == .tooManyHosts } == 15 && siblings.last == .some(nil))
        let names = (0..<20).map { "http://h\($0).example/" }
        let strangers = try obstacles(names, as: .requisite, hosts: TrapWatch.Hosts(all: 5))
        #expect(strangers.count { $0 == .tooManyHosts } == 15)
    }

    @Test func `each host has its own shapes`() throws {
        let targets = ["/f?a=1", "/f?a=2", "http://www.docs.example/f?a=1", "https://docs.example/f?a=1"]
        #expect(try obstacles(targets) { $0.alikeLimit = 1 } == [nil, .tooManyAlike, nil, nil])
    }

    @Test func `a million pages of one shape need an option, and get it`() throws {
        var watch = TrapWatch(TrapOptions())
        var many = TrapOptions()
        many.alikeLimit = 100_000
        var patient = TrapWatch(many)
        var counts = [0, 0]
        for number in 0..<150_000 {
            let url = try WebURL("http://docs.example/p/\(number)")
            if watch.obstacle(to: url, as: .link) == nil { counts[0] += 1 }
            if patient.obstacle(to: url, as: .link) == nil { counts[1] += 1 }
        }
        #expect(counts == [100_000, 150_000])
    }

    @Test func `shapes beyond the capacity are forgotten, the frequent ones last`() throws {
        // 40 times one endless shape among 400 that come once each: it is cut late, but it is cut.
        let targets = (0..<400).flatMap { number in
            let name = String(number, radix: 2).map { $0 == "0" ? "x" : "y" }.joined()
            return (number % 10 == 0 ? ["/f?a=\(number)"] : []) + ["/\(name)"]
        }
        let obstacles = try obstacles(targets, capacity: 50) { $0.alikeLimit = 10 }
        let cut = zip(targets, obstacles).filter { $0.1 != nil }.map(\.0)
        #expect(cut.allSatisfy { $0.hasPrefix("/f") })
        #expect((1...30).contains(cut.count))
    }

    // MARK: Session ids

    @Test func `the values of a session ID on one host are limited, whatever the number of pages`() throws {
        let ids = ["a1", "b2", "a1", "c3", "a1", "c3", "b2"]
        let targets = ids.enumerated().map { "/p\($0.offset);jsessionid=\($0.element)" }
        let expected: [SkipRule?] = [nil, nil, nil, .sessionIDs, nil, .sessionIDs, nil]
        #expect(try obstacles(targets) { $0.sessionLimit = 2 } == expected)
        let queries = ids.map { "/p?b=1&PHPSESSID=\($0)" }
        #expect(try obstacles(queries) { $0.sessionLimit = 2 } == expected)
        let pages = (0..<50).map { "/p?sid=\($0)" }
        #expect(try obstacles(pages) { $0.sessionLimit = 2 }.allSatisfy { $0 == nil })
    }

    @Test func `the same input always gives the same decisions`() throws {
        let targets = (0..<500).map { "/\($0 % 7 == 0 ? "x" : "a\($0)b")/f?q=\($0)&sid=0123456789abcdef\($0 % 9)" }
        let first = try obstacles(targets, capacity: 20) { $0.alikeLimit = 3 }
        #expect(try obstacles(targets, capacity: 20) { $0.alikeLimit = 3 } == first)
        #expect(Set(first.compactMap { $0 }) == [.tooManyAlike, .sessionIDs])
    }
}
