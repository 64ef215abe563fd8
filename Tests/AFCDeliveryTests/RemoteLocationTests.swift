import AFCText
import AFCURL
import Testing

@testable import AFCDelivery

/// What is kept of the URL of a package.
struct RemoteLocationTests {
    static let secret = "SECRETsecret0123456789"

    static let signed = [
        // AWS Signature Version 4, and its predecessor.
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AK%2F20261126&X-Amz-Date=20261126T100000Z&X-Amz-Signature=%",
        "AWSAccessKeyId=AK&Expires=1795687200&Signature=%",
        "X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=600&X-Goog-Signature=%",
        // Azure: service SAS.
        "sv=2024-11-04&st=2026-11-26T10%3A00%3A00Z&se=2026-11-27&sr=b&sp=r&spr=https&sig=%",
        "Policy=e30&Key-Pair-Id=K2&Signature=%", "private_token=%", "access_token=%", "TOKEN=%",
    ]

    @Test(arguments: signed) func `a URL that is signed again is the same location, and no secret is kept`(
        query: String
    )
        throws
    {
        func location(_ secret: String) throws -> RemoteLocation {
            let query = query.split(separator: "%", omittingEmptySubsequences: false).dropLast().joined(separator: "%")
            return RemoteLocation(try WebURL("https://p.example/docs.zip?\(query)\(secret)"))
        }
        let one = try location(Self.secret)
        #expect(try one == location("another"))
        #expect(one.shown == "https://p.example/docs.zip?…")
        #expect(try one != RemoteLocation(WebURL("https://p.example/docs.zip")))
        let url = try WebURL("https://p.example/docs.zip?\(query)\(Self.secret)")
        let state = RemoteState(url: url, validator: Validator(entityTag: "\"1\""), size: 1, sha256: nil)
        #expect(!state.text.contains("SECRET") && !state.text.contains("="), "\(state.text)")
        #expect(RemoteState(text: state.text) == state)
    }

    @Test(arguments: [("file=a.zip", "file=b.zip"), ("sr=1", "sr=2"), ("versionId=1", "versionId=2"), ("", "a")])
    func `another query is another location`(one: String, other: String) throws {
        let url = "https://p.example/get?"
        #expect(try RemoteLocation(WebURL(url + one)) != RemoteLocation(WebURL(url + other)))
    }

    @Test func `the state that an earlier version kept is of the same location`() throws {
        let old = #"{"url":"https://p.example/docs.zip?sig=SECRET&sv=1&a=b","size":7,"etag":"\"1\""}"#
        let state = try #require(RemoteState(text: old))
        #expect(state.location == RemoteLocation(try WebURL("https://p.example/docs.zip?sig=OTHER&sv=2&a=b")))
        #expect(!state.text.contains("SECRET"))
    }

    @Test func `errors show that there is a query, and not which`() throws {
        let url = try WebURL("https://user:pass@p.example/docs.zip?sig=SECRET")
        #expect(DeliveryError(.status(403), url, "no").subject == "https://p.example/docs.zip?…")
    }
}
