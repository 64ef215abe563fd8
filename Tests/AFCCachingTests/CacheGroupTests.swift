import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCCaching

/// Cache groups (RFC 9875).
struct CacheGroupTests {
    @Test(
        arguments: [
            (["\"a\""], ["a"]), (["\"a\", \"b\""], ["a", "b"]), (["\"a\"", "\"b\""], ["a", "b"]),
            (["\"b\",\"a\""], ["b", "a"]),
            (["\"a\";x=1, \"b\";y"], ["a", "b"]), (["\"a\", \"a\""], ["a"]), (["\"A\", \"a\""], ["A", "a"]),
            (["\"a b\", \"\""], ["a b", ""]), (["\"\\\"\\\\\""], ["\"\\"]),
            // Anything but strings makes the field void.
            (["a"], []), (["\"a\", b"], []), (["\"a\" \"b\""], []), (["(\"a\")"], []), (["1"], []), ([""], []),
            ([], []),
            (["\"a\","], []), (["\"a"], []), (["\"é\""], []), (["?1"], []),
            // §2, §3: 32 groups with 32 characters at least.
            (
                [(10..<42).map { "\"" + String(repeating: "x", count: 30) + "\($0)\"" }.joined(separator: ", ")],
                (10..<42).map { String(repeating: "x", count: 30) + "\($0)" }
            ),
            // A comma within a name separates nothing.
            (
                [(10..<42).map { "\"" + String(repeating: ",", count: 30) + "\($0)\"" }.joined(separator: ", ")],
                (10..<42).map { String(repeating: ",", count: 30) + "\($0)" }
            ),
            // Names beyond the 64th and those of more than 256 bytes are left out.
            ([(0..<80).map { "\"\($0)\"" }.joined(separator: ",")], (0..<64).map { "\($0)" }),
            (["\"a\", \"" + String(repeating: "x", count: 257) + "\", \"b\""], ["a", "b"]),
            ([String(repeating: "\"a\", ", count: 8_000) + "\"b\""], []),
        ] as [([String], [String])]
    )
    func `§2: the field is a list of strings`(lines: [String], names: [String]) {
        #expect(CacheGroups.names(in: lines) == names)
    }

    @Test(
        arguments: [
            ("POST", 200, ["a", "b"]), ("PUT", 204, ["a", "b"]), ("DELETE", 303, ["a", "b"]),
            ("PATCH", 500, ["a", "b"]),
            ("X-UNKNOWN", 200, ["a", "b"]), ("GET", 200, []), ("HEAD", 200, []), ("OPTIONS", 200, []),
            ("SEARCH", 200, []),
            ("QUERY", 200, []),
        ] as [(String, Int, [String])]
    )
    func `§3: unsafe methods invalidate groups, safe ones don't`(method: String, status: Int, groups: [String]) throws {
        let request = CacheRequest(method: try #require(HTTPRequest.Method(rawValue: method)))
        let time = Timestamp(secondsSinceEpoch: 1_000_000_000)
        let reception = CacheDecision.receive(
            OriginResponse(
                status: HTTPResponse.Status(code: status),
                fields: fields(["Cache-Group-Invalidation: \"a\";x, \"b\"", "Cache-Groups: \"c\""])
            ),
            to: request,
            forwarding: Forwarding(fields: HTTPFields(), reason: .method),
            stored: [],
            requested: time,
            received: time,
            rules: CachingRules()
        )
        #expect(reception.groups == groups)
    }
}
