import AFCPackageFormat
import AFCURL
import Testing

/// The URLs under which responses to other methods than GET are packed; docs/reference/recording.md has the rule.
struct MethodURLTests {
    private func url(_ text: String, _ method: String, _ type: String?, _ body: String) throws -> String? {
        var url = MethodURL(try WebURL(text), method: method, contentType: type)
        // The pieces in which a body arrives make no difference.
        for byte in Array(body.utf8) { [byte].withUnsafeBytes { url.append($0) } }
        return url.url?.description
    }

    @Test(
        arguments: [
            ("http://a.example/x", "DELETE", nil, "", "http://a.example/x?__wb_method=DELETE"),
            ("http://a.example/x?y=1", "PUT", nil, "", "http://a.example/x?y=1&__wb_method=PUT"),
            (
                "http://a.example/x", "POST", "application/x-www-form-urlencoded; charset=utf-8", "a=1&b=%20",
                "http://a.example/x?__wb_method=POST&a=1&b=%20"
            ),
            // What a query would change is kept in base64.
            (
                "http://a.example/x", "POST", "application/x-www-form-urlencoded", "a=#",
                "http://a.example/x?__wb_method=POST&__wb_post_data=YT0j"
            ),
            (
                "http://a.example/x", "POST", "application/json", "{\"q\":1}",
                "http://a.example/x?__wb_method=POST&__wb_post_data=eyJxIjoxfQ=="
            ),
        ] as [(String, String, String?, String, String)]
    )
    func `method and body are parameters`(
        text: String,
        method: String,
        type: String?,
        body: String,
        expected: String
    ) throws {
        #expect(try url(text, method, type, body) == expected)
    }

    @Test func `a long body is a digest, and one beyond the limit has no URL`() throws {
        let body = String(repeating: "a", count: 2049)
        let long = try #require(try url("http://a.example/", "POST", nil, body))
        #expect(long.hasPrefix("http://a.example/?__wb_method=POST&__wb_post_sha256="))
        #expect(long.utf8.count == 52 + 64)
        #expect(try url("http://a.example/", "POST", nil, body + "b") != long)
        let longest = String(repeating: "a", count: MethodURL.bodyLimit)
        #expect(try url("http://a.example/", "POST", nil, longest) != nil)
        #expect(try url("http://a.example/", "POST", nil, longest + "a") == nil)
    }

    @Test(
        arguments: [
            ("POST", true), ("OPTIONS", true), ("M-SEARCH", true), ("GET", false), ("HEAD", false), ("CONNECT", false),
            ("TRACE", false), ("", false), ("A B", false), ("P&OST", false),
        ]
    )
    func `methods that a URL can state`(method: String, isUsed: Bool) {
        #expect(MethodURL.isUsed(for: method) == isUsed)
    }
}
