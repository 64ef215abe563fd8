import Foundation
import TestSupport
import Testing

/// curl and a cache, as a gateway before an origin and as a proxy: what is asked of the origin, and what the answer says.
@Suite(.fewAtOnce)
struct CurlGatewayTests {
    /// How a client comes to an origin's resources.
    enum Way: String, CaseIterable, Sendable { case gateway, proxy }

    /// Runs origin and cache; `get` is curl, given what follows the origin's authority, and further arguments.
    private static func run(
        _ way: Way,
        _ body: (PythonOrigin, _ get: (String, [String]) async throws -> CurlAnswer) async throws -> Void
    ) async throws {
        try await PythonOrigin.run { origin in
            switch way {
            case .gateway:
                try await Served.gateway(origin) { served in
                    try await body(origin) { target, more in try await curl(more + [served.base + target]) }
                }
            case .proxy:
                try await Served.proxy { served in
                    try await body(origin) { target, more in
                        try await curl(more + ["--proxy", served.base, "http://\(origin.authority)\(target)"])
                    }
                }
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `a fresh response is requested once, as Age and Cache-Status show`(way: Way) async throws {
        try await Self.run(way) { origin, get in
            let miss = try await get("/a?Cache-Control=max-age=600&Age=100", [])
            #expect(miss.status == 200)
            #expect(miss.text == "/a 1\n")
            #expect(miss.cache.contains("; fwd=uri-miss") && miss.cache.contains("; stored"), "\(miss.cache)")
            #expect(miss["Age"] == "100", "the origin's own Age stays as it is on a first answer")
            let hit = try await get("/a?Cache-Control=max-age=600&Age=100", [])
            #expect(hit.status == 200)
            #expect(hit.text == "/a 1\n")
            #expect(hit.isHit, "\(hit.cache)")
            let age = try #require(hit["Age"].flatMap { Int($0) })
            #expect((100...160).contains(age))
            #expect(hit.cache.contains("ttl=\(600 - age)"), "\(hit.cache)")
            #expect(hit["Date"] == miss["Date"])
            #expect(try origin.count == 1)
            #expect(try origin.requests.first?.values("Host") == [origin.authority])
            let via = try #require(try origin.requests.first).values("Via")
            #expect(via.count == 1 && via[0].hasPrefix("1.1 afcache-"), "\(via)")
        }
    }

    @Test(arguments: Way.allCases)
    func `conditions, ranges and HEAD are answered from the cache`(way: Way) async throws {
        try await Self.run(way) { origin, get in
            let target = "/a?Cache-Control=max-age=600&ETag=%221%22&size=100000"
            #expect(try await get(target, []).text.utf8.count == 100_000)
            let same = try await get(target, ["-H", "If-None-Match: \"0\", \"1\""])
            #expect(same.status == 304)
            #expect(same.text.isEmpty)
            #expect(same["ETag"] == "\"1\"")
            #expect(same["Content-Length"] == nil, "a cache behind this one would store another length than the 200's")
            #expect(try await get(target, ["--head", "-H", "If-None-Match: \"1\""])["Content-Length"] == nil)
            #expect(try await get(target, ["-H", "If-None-Match: \"2\""]).status == 200)
            let part = try await get(target, ["--range", "16-31"])
            #expect(part.status == 206)
            #expect(part.text == "0123456789abcdef")
            #expect(part["Content-Range"] == "bytes 16-31/100000")
            let last = try await get(target, ["--range", "-4"])
            #expect(last["Content-Range"] == "bytes 99996-99999/100000")
            let beyond = try await get(target, ["--range", "100000-"])
            #expect(beyond.status == 416)
            #expect(beyond["Content-Range"] == "bytes */100000")
            let head = try await get(target, ["--head"])
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "100000")
            #expect(head.text.isEmpty)
            #expect(try origin.count == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func `a stale response is validated, and the origin's 304 makes it fresh`(way: Way) async throws {
        try await Self.run(way) { origin, get in
            let target = "/a?Cache-Control=max-age=0&ETag=%221%22"
            #expect(try await get(target, []).text == "/a 1\n")
            let validated = try await get(target, [])
            #expect(validated.status == 200)
            #expect(validated.text == "/a 1\n")
            #expect(validated.cache.contains("fwd=stale; fwd-status=304"), "\(validated.cache)")
            #expect(try origin.requests.last?.values("If-None-Match") == ["\"1\""])
            #expect(try origin.count == 2)
        }
    }

    @Test(arguments: Way.allCases)
    func `a POST is forwarded with its body, and invalidates`(way: Way) async throws {
        try await Self.run(way) { origin, get in
            let target = "/a?Cache-Control=max-age=600"
            #expect(try await get(target, []).text == "/a 1\n")
            #expect(try await get(target, []).text == "/a 1\n")
            let post = try await get(target, ["--data", "a=1"])
            #expect(post.text == "/a 2\n")
            #expect(try origin.requests.last?.body == "a=1")
            let chunked = try await get(target, ["--data", "b=2", "-H", "Transfer-Encoding: chunked"])
            #expect(chunked.text == "/a 3\n")
            #expect(try origin.requests.last?.body == "b=2")
            #expect(try await get(target, []).text == "/a 4\n", "the POST invalidated what was stored")
            #expect(try await get(target, ["-X", "DELETE"]).text == "/a 5\n")
            #expect(try await get(target, ["-X", "PROPFIND"]).text == "/a 6\n", "unknown methods are passed on")
            #expect(try await get(target, ["-X", "BREW"]).text == "/a 7\n")
            #expect(try origin.requests.last?.line.hasPrefix("BREW ") == true)
        }
    }

    @Test(arguments: Way.allCases)
    func `a body that is sent only after 100 comes through`(way: Way) async throws {
        try await Self.run(way) { origin, get in
            let arguments = ["--data-binary", "@/dev/stdin", "-H", "Expect: 100-continue"]
            let empty = try await get("/a", arguments)
            #expect(empty.status == 200)
            let long = String(repeating: "x", count: 50_000)
            let full = try await get("/a", ["--data", long, "-H", "Expect: 100-continue", "--expect100-timeout", "30"])
            #expect(full.status == 200)
            #expect(try origin.requests.last?.body == long)
        }
    }

    @Test(arguments: Way.allCases)
    func `without the origin a stale response is served if allowed, otherwise 504`(
        way: Way
    ) async throws {
        try await Self.run(way) { origin, get in
            let stale = "/a?Cache-Control=max-age=0&ETag=%221%22"
            let strict = "/b?Cache-Control=max-age=0,must-revalidate&ETag=%221%22"
            #expect(try await get(stale, []).status == 200)
            #expect(try await get(strict, []).status == 200)
            origin.stop()
            let served = try await get(stale, [])
            #expect(served.status == 200)
            #expect(served.text == "/a 1\n")
            #expect(
                served.cache.contains("; fwd=stale") && served.cache.contains("detail=origin-failed"),
                "\(served.cache)"
            )
            for target in [strict, "/c"] {
                let refused = try await get(target, [])
                #expect(refused.status == 504, "\(target)")
                #expect(!refused.isHit, "\(refused.cache)")
            }
            let cached = try await get("/c", ["-H", "Cache-Control: only-if-cached"])
            #expect(cached.status == 504)
        }
    }
}
