import AFCCaching
import AFCHTTP
import AFCURL
import HTTPTypes
import TestSupport
import Testing

@testable import AFCCache

/// Received responses that are found by an equivalent query (draft-ietf-httpbis-no-vary-search §6) or a group (RFC 9875).
struct ReceivedRelationsTests {
    private static let now = PackagesTests.now
    private static let host = "http://r.example"

    private static func varying(_ value: String) -> HTTPFields { fields([("No-Vary-Search", value)]) }
    private static func grouped(_ value: String) -> HTTPFields { fields([("Cache-Groups", value)]) }

    private static func fields(_ pairs: [(String, String)]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    @Test(
        arguments: [
            ("/a?x=1&b=2", "params=(\"x\")", "/a?b=2", true), ("/a?x=1&b=2", "params=(\"x\")", "/a?b=2&x=7", true),
            ("/a?x=1&b=2", "params=(\"x\")", "/a?b=3", false), ("/a?x=1", "params=(\"x\")", "/a", true),
            ("/a?x=1", "params=(\"x\")", "/b", false), ("/a", "params", "/a?anything", true),
            ("/a?a=1&b=2", "key-order", "/a?b=2&a=1", true), ("/a?a=1&b=2", "", "/a?b=2&a=1", false),
            ("/a?a=1&b=2", "params, except=(\"a\")", "/a?a=1", true),
            ("/a?a=1&b=2", "params, except=(\"a\")", "/a?a=2", false), ("/a?x", "params=x", "/a", false),
            ("/a/?x", "params", "/a", false), ("/a", "params", "/A?x", false),
            ("/%7Ea?x", "params", "/~a?y", true),
        ]
    )
    func `§6: a response answers an equivalent URL`(stored: String, value: String, asked: String, isFound: Bool) throws
    {
        let scratch = try Scratch()
        let url = try WebURL(Self.host + asked)
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            try Receiving.put(cache, try WebURL(Self.host + stored), "found", fields: Self.varying(value))
            #expect(try Receiving.bodies(cache, url) == (isFound ? ["found"] : []))
            #expect(try Receiving.bodies(cache, try WebURL("https://r.example" + asked)).isEmpty, "another origin")
            try cache.close()
        }
        // The same after the store is opened again, to read and to write.
        for access in [DiskCache.Access.readOnly, .readWrite] {
            let cache = try DiskCache(path: scratch.path("store"), access: access)
            #expect(try Receiving.bodies(cache, url) == (isFound ? ["found"] : []))
        }
    }

    @Test func `§6: the most recent of the responses comes first, whatever its URL`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let (one, two, three) = (
            try WebURL(Self.host + "/a?x=1"), try WebURL(Self.host + "/a?x=2"), try WebURL(Self.host + "/a?x=3")
        )
        let varying = Self.varying("params=(\"x\")")
        try Receiving.put(cache, one, "old", fields: varying, at: Self.now)
        try Receiving.put(cache, two, "new", fields: varying, at: Self.now + 10)
        #expect(try Receiving.bodies(cache, three) == ["new", "old"])
        #expect(try Receiving.bodies(cache, one) == ["new", "old"])
        #expect(try Receiving.bodies(cache, try WebURL(Self.host + "/a?y=1")).isEmpty)
        // A response for the URL itself that doesn't have the field.
        try Receiving.put(cache, three, "own", at: Self.now + 5)
        #expect(try Receiving.bodies(cache, three) == ["new", "own", "old"])
        // What is removed answers nothing.
        let ids = try cache.candidates(for: two).compactMap { candidate -> ReceivedID? in
            if case .received(let id) = candidate.origin, candidate.response.received == Self.now + 10 {
                id
            } else {
                nil
            }
        }
        try cache.remove(ids)
        #expect(try Receiving.bodies(cache, three) == ["own", "old"])
    }

    @Test func `a process that reads sees what another one stores`() throws {
        let scratch = try Scratch()
        let writer = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try Receiving.put(writer, try WebURL(Self.host + "/other"), "other")
        try writer.close()
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let asked = try WebURL(Self.host + "/a?x=2")
        #expect(try Receiving.bodies(reader, asked).isEmpty)
        let again = try DiskCache(path: scratch.path("store"), access: .readWrite)
        try Receiving.put(again, try WebURL(Self.host + "/a?x=1"), "found", fields: Self.varying("params"))
        try again.close()
        #expect(try Receiving.bodies(reader, asked) == ["found"])
    }

    @Test func `variances are bounded, and the most recent ones count`() throws {
        var relations = ReceivedRelations()
        #expect(relations.isEmpty && !relations.hasVariances)
        for number in 0..<100 {
            let variance = SearchVariance(Self.varying("params=(\"x\(number)\")"))
            relations.add("http://r.example/a?y=1&x\(number)=1", variance, [])
        }
        #expect(relations.equivalents(of: "http://r.example/a?y=1&x99=2") == ["http://r.example/a?y=1&x99=1"])
        #expect(relations.equivalents(of: "http://r.example/a?y=1&x3=2").isEmpty)
        let variance = SearchVariance(Self.varying("params=(\"x\")"))
        for number in 0..<100 { relations.add("http://r.example/b?x=\(number)", variance, []) }
        let found = relations.equivalents(of: "http://r.example/b")
        #expect(found.count == 8 && found.first == "http://r.example/b?x=99")
    }

    @Test func `many groups start the table over, which is then known to be a part`() throws {
        var relations = ReceivedRelations()
        let path = "http://r.example/" + String(repeating: "a", count: 1000)
        for number in 0..<20_000 { relations.add("\(path)\(number)", nil, ["g\(number % 7)"]) }
        #expect(!relations.hasAllGroups && !relations.isEmpty)
        let taken = relations.takeURLs(of: ["g0", "g\(19_999 % 7)"], at: "http://r.example")
        #expect(taken.contains("\(path)19999"))
        #expect(relations.takeURLs(of: ["g0", "g\(19_999 % 7)"], at: "http://r.example").isEmpty)
        // Two kinds of differences that take turns add nothing.
        relations = ReceivedRelations()
        let variances = ["x", "y"].map { SearchVariance(Self.varying("params=(\"\($0)\")")) }
        for number in 0..<200_000 { relations.add("http://r.example/?x=1", variances[number % 2], []) }
        #expect(relations.hasAllGroups)
        // Few URLs don't, however often they are stored again.
        relations = ReceivedRelations()
        for _ in 0..<20_000 { relations.add(path, nil, ["g"]) }
        #expect(relations.hasAllGroups)
    }

    /// The URLs of four responses and their groups, and which are invalidated by what.
    @Test(
        arguments: [
            // §3: those that share a group, with its case, of the same origin.
            (["x"], ["/1", "/2"]), (["y"], ["/2", "/3"]), (["x", "y"], ["/1", "/2", "/3"]), (["X"], []), (["z"], []),
            ([], []), (["w", "x"], ["/1", "/2"]), (["a b"], ["/4"]),
        ] as [([String], [String])]
    )
    func `§3: groups are invalidated`(groups: [String], expected: [String]) throws {
        let scratch = try Scratch()
        let values = ["/1": "\"x\"", "/2": "\"x\", \"y\"", "/3": "\"y\";p", "/4": "\"a b\"", "/5": "x", "/6": ""]
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            for (path, value) in values {
                try Receiving.put(cache, try WebURL(Self.host + path), path, fields: Self.grouped(value))
                try Receiving.put(cache, try WebURL("http://other.example" + path), path, fields: Self.grouped(value))
            }
            try cache.close()
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try cache.candidates(for: try WebURL(Self.host + "/1"))
        let groups = Set(groups)
        let urls = try cache.invalidate(groups: groups, of: Self.host)
        #expect(Set(urls.map(\.path)) == Set(expected))
        #expect(try cache.invalidate(groups: groups, of: Self.host).isEmpty, "what is invalid stays so")
        for path in values.keys {
            let own = try cache.candidates(for: try WebURL(Self.host + path))
            #expect(own.map(\.response.isInvalidated) == [expected.contains(path)], "\(path)")
            let other = try cache.candidates(for: try WebURL("http://other.example" + path))
            #expect(other.map(\.response.isInvalidated) == [false], "§2.1: groups belong to an origin")
        }
    }

    @Test func `§3: a response that is stored again is invalidated again`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL(Self.host + "/1")
        for round in 0..<3 {
            try Receiving.put(cache, url, "\(round)", fields: Self.grouped("\"x\""), at: Self.now + Int64(round))
            #expect(try cache.invalidate(groups: ["x"], of: Self.host) == [url], "round \(round)")
        }
    }

    @Test func `§3: groups with more responses than the table holds are invalidated too`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let tail = String(repeating: "a", count: 7_000)
        func url(_ number: Int, _ host: String = Self.host) throws -> WebURL { try WebURL("\(host)/\(number)/\(tail)") }
        try Receiving.put(cache, try url(0, "http://r.example2"), "", fields: Self.grouped("\"x\""))
        for number in 0..<2_600 {
            let group = number % 100 == 0 ? "\"x\"" : "\"y\""
            try Receiving.put(cache, try url(number), "", fields: Self.grouped(group))
        }
        let urls = try cache.invalidate(groups: ["x"], of: Self.host)
        #expect(urls.count == 26)
        #expect(try cache.candidates(for: try url(0)).map(\.response.isInvalidated) == [true])
        #expect(try cache.candidates(for: try url(1)).map(\.response.isInvalidated) == [false])
        #expect(
            try cache.candidates(for: try url(0, "http://r.example2")).map(\.response.isInvalidated) == [false],
            "another origin"
        )
    }

    @Test func `§2_2_1: a response that is invalidated takes along those of its groups, but not theirs`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for (path, value) in [("/1", "\"x\""), ("/2", "\"x\", \"y\""), ("/3", "\"y\""), ("/4", "\"z\"")] {
            try Receiving.put(cache, try WebURL(Self.host + path), path, fields: Self.grouped(value))
        }
        let others = try cache.invalidateAll(try WebURL(Self.host + "/1"))
        #expect(others.map(\.path) == ["/2"])
        let states = try ["/1", "/2", "/3", "/4"].map {
            try cache.candidates(for: try WebURL(Self.host + $0)).map(\.response.isInvalidated)
        }
        #expect(states == [[true], [true], [false], [false]])
    }

    @Test func `an invalidated URL takes along the responses that answer it`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let varying = Self.varying("params=(\"x\")")
        for path in ["/a?x=1", "/a?x=2", "/a?y=1"] {
            try Receiving.put(cache, try WebURL(Self.host + path), path, fields: varying)
        }
        let others = try cache.invalidateAll(try WebURL(Self.host + "/a?x=3"))
        #expect(Set(others.compactMap(\.query)) == ["x=1", "x=2"])
        let found = try cache.candidates(for: try WebURL(Self.host + "/a?x=4"))
        #expect(found.map(\.response.isInvalidated) == [true, true])
        #expect(try cache.candidates(for: try WebURL(Self.host + "/a?y=1")).map(\.response.isInvalidated) == [false])
    }

    @Test(
        arguments: [
            ("x", nil, 4), ("x", "r.example", 2), ("y", "other.example", 2), ("z", nil, 0), ("x", "none.example", 0),
        ] as [(String, String?, Int)]
    )
    func `a group is cleared`(group: String, host: String?, count: Int) async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        for host in ["r.example", "other.example"] {
            for (path, value) in [("/1", "\"x\""), ("/2", "\"x\", \"y\""), ("/3", "\"y\"")] {
                try Receiving.put(cache, try WebURL("http://\(host)\(path)"), path, fields: Self.grouped(value))
            }
        }
        #expect(try await cache.clearReceived(group: group, host: host).responses == count)
        #expect(try cache.receivedURLs(limit: 100).count == 6 - count)
        #expect(
            try cache.candidates(for: try WebURL("http://r.example/3")).count == (group == "y" && host == nil ? 0 : 1)
        )
    }
}
