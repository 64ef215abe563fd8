import AFCHTTP
import AFCText
import AFCURL
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Objects in buckets, and the signatures of requests for them.
struct BucketAccessTests {
    private static let key = [
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ]

    private static func access(_ variables: [String: String]) throws(DeliveryError) -> BucketAccess {
        try BucketAccess { variables[$0] }
    }

    private static func signature(_ url: String, _ fields: [(name: String, value: String)]) throws -> String {
        let time = try #require(Timestamp(iso8601: "2013-05-24T00:00:00Z"))
        let found = try access(key).fields(for: try WebURL(url), fields, at: time)
        #expect(found.first { $0.name == "x-amz-date" }?.value == "20130524T000000Z")
        let authorization = try #require(found.first { $0.name == "authorization" }?.value)
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
            )
        )
        return String(authorization.suffix(64))
    }

    // The examples of Amazon's documentation, "Authenticating Requests: Using the Authorization Header".
    @Test func `signatures are those of Amazon's examples`() throws {
        let base = "https://examplebucket.s3.amazonaws.com/"
        #expect(
            try Self.signature(base + "test.txt", [(name: "range", value: "bytes=0-9")])
                == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
        #expect(
            try Self.signature(base + "?lifecycle", [])
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        )
        #expect(
            try Self.signature(base + "?max-keys=2&prefix=J", [])
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        )
    }

    @Test func `without a key nothing is signed, and a key is never printed`() throws {
        #expect(
            try Self.access([:]).fields(for: try WebURL("https://a.example/b"), at: Timestamp(secondsSinceEpoch: 0))
                .isEmpty
        )
        #expect("\(try Self.access(Self.key))" == "private buckets")
        let token = Self.key.merging(["AWS_SESSION_TOKEN": "t0k3n"]) { $1 }
        let fields = try Self.access(token).fields(
            for: try WebURL("https://a.example/b"),
            at: Timestamp(secondsSinceEpoch: 0)
        )
        #expect(fields.contains { $0.name == "x-amz-security-token" && $0.value == "t0k3n" })
        #expect(fields.contains { $0.value.contains("x-amz-security-token,") || $0.value.contains("security-token") })
    }

    private static let urls: [([String: String], String, String)] = [
        ([:], "s3://docs/a/b.zip", "https://docs.s3.us-east-1.amazonaws.com/a/b.zip"),
        (["AWS_REGION": "eu-central-1"], "s3://docs/b.zip", "https://docs.s3.eu-central-1.amazonaws.com/b.zip"),
        (["AWS_DEFAULT_REGION": "x"], "s3://a.docs/b.zip", "https://s3.x.amazonaws.com/a.docs/b.zip"),
        (["AWS_ENDPOINT_URL": "http://localhost:8333"], "s3://docs/b.zip", "http://localhost:8333/docs/b.zip"),
        (
            ["AWS_ENDPOINT_URL": "http://x:1", "AWS_ENDPOINT_URL_S3": "https://s.example/"], "s3://docs/a b+ü.zip",
            "https://s.example/docs/a%20b%2B%C3%BC.zip"
        ),
        (
            ["AWS_ENDPOINT_URL": "https://s.example/storage/v1/s3/"], "s3://docs/b.zip",
            "https://s.example/storage/v1/s3/docs/b.zip"
        ),
        ([:], "s3://docs/a%2Fb%.zip", "https://docs.s3.us-east-1.amazonaws.com/a%252Fb%25.zip"),
    ]

    @Test(arguments: urls)
    func `an object has a URL`(variables: [String: String], text: String, url: String) throws {
        #expect(try Self.access(variables).url(text).description == url)
    }

    @Test(arguments: [
        "s3://docs", "s3://docs/", "s3:///x", "s3://Docs/x", "s3://d/x", "s3://docs/a/../b", "s3://docs/./b",
        "s3://u:p@docs/x", "https://docs/x",
    ])
    func `another text is refused`(text: String) {
        #expect(throws: DeliveryError.self) { try Self.access([:]).url(text) }
    }

    @Test(arguments: [
        ["AWS_ENDPOINT_URL": "ftp://a"], ["AWS_ENDPOINT_URL": "https://a/b?c"], ["AWS_REGION": "a/b"],
        ["AWS_ACCESS_KEY_ID": "a\nb", "AWS_SECRET_ACCESS_KEY": "c"],
    ])
    func `a malformed variable is named`(variables: [String: String]) {
        do throws(DeliveryError) {
            _ = try Self.access(variables)
            Issue.record("it was taken")
        } catch {
            #expect(variables.keys.contains(error.subject))
        }
    }

    @Test(arguments: [
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), ("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"),
    ])
    func `half a key is no key`(given: String, missing: String) {
        let error = #expect(throws: DeliveryError.self) { try Self.access([given: "x"]) }
        #expect(error?.subject == missing)
        #expect(error?.message == "the variable is missing, although \(given) is set")
    }

    private static func refusal(_ code: String, _ message: String, _ rest: String = "") -> String {
        "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>\(message)</Message>\(rest)</Error>"
    }

    private static let refusals: [(status: Int, fields: [(String, String)], body: String, sentence: String)] = [
        (
            403, [], refusal("RequestTimeTooSkewed", "The difference is too large."),
            "the server answered 403 RequestTimeTooSkewed, 'The difference is too large.'; this machine's clock is wrong; "
                + "set it"
        ),
        (
            400, [],
            refusal("AuthorizationHeaderMalformed", "expecting &apos;eu-west-1&apos;", "<Region>eu-west-1</Region>"),
            "the server answered 400 AuthorizationHeaderMalformed, 'expecting 'eu-west-1''; the bucket is in the region "
                + "'eu-west-1'; set AWS_REGION to it"
        ),
        (
            301, [("x-amz-bucket-region", "eu-west-1")], refusal("PermanentRedirect", "Use another endpoint."),
            "the server answered 301 PermanentRedirect, 'Use another endpoint.'; the bucket is in the region 'eu-west-1'; "
                + "set AWS_REGION to it"
        ),
        (
            400, [], refusal("ExpiredToken", "The provided token has expired."),
            "the server answered 400 ExpiredToken, 'The provided token has expired.'; the credentials have expired; "
                + "get new ones"
        ),
        (404, [], refusal("NoSuchKey", ""), "the server answered 404 NoSuchKey"),
        (403, [], "<html>no</html>", "the server refuses access (status 403); ask its operator"),
    ]

    @Test(arguments: refusals) func `what a bucket's server says is shown, and what to do`(
        status: Int,
        fields: [(String, String)],
        body: String,
        sentence: String
    ) async throws {
        let answer = TestOrigin.Answer(status, fields, body: Array(body.utf8))
        try await TestOrigin.withOrigin(["/docs/p.zip": [answer]]) { origin in
            var options = Fetching.options()
            let access = try Self.access(Self.key.merging(["AWS_ENDPOINT_URL": origin.base]) { $1 })
            let url = try options.find("s3://docs/p.zip", in: access)
            let scratch = try Scratch()
            let error = try await Fetching.failure(from: url.description, scratch.path("d"), options: options)
            #expect(error?.message == sentence)
        }
    }

    @Test func `a download is signed for the bucket, and not where it redirects`() async throws {
        let body = Array("any bytes".utf8)
        try await TestOrigin.withOrigin(["/x": [TestOrigin.Answer(200, [], body: body)]]) { other in
            try await TestOrigin.withOrigin(["/docs/p.zip": [.redirect(other.base + "/x", status: 307)]]) { origin in
                var options = PackageDownload.Options.patient(
                    userAgent: "test",
                    now: Timestamp(secondsSinceEpoch: 1_800_000_000)
                )
                let url = try options.find(
                    "s3://docs/p.zip",
                    in: try Self.access(Self.key.merging(["AWS_ENDPOINT_URL": origin.base]) { $1 })
                )
                let scratch = try Scratch()
                guard
                    case .arrived(let package) = try await PackageDownload.fetch(
                        url,
                        into: scratch.path("d"),
                        options: options
                    )
                else {
                    Issue.record("nothing arrived")
                    return
                }
                package.discard()
                let fields = origin.requests[0].fields.map { $0.lowercased() }
                #expect(
                    fields.contains {
                        $0.hasPrefix("authorization: aws4-hmac-sha256 credential=akiaiosfodnn7example/20270115/")
                    }
                )
                // The clock goes on while the request waits.
                #expect(fields.contains { $0.hasPrefix("x-amz-date: 20270115t08") })
                #expect(
                    !other.requests[0].fields.contains {
                        $0.lowercased().hasPrefix("authorization") || $0.hasPrefix("x-amz")
                    }
                )
            }
        }
    }
}
