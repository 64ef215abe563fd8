import AFCURL
import HTTPTypes
import Testing

@testable import AFCDelivery

/// What is asked of a server, what its digests say, and when it is left: the pure decisions.
struct TransferRequestTests {
    static let digest = String(repeating: "a", count: 64)

    static func known(_ url: WebURL, _ validator: Validator) -> RemoteState {
        RemoteState(url: url, validator: validator, size: 9, sha256: digest)
    }

    static func text(_ request: TransferRequest) -> [String] { request.fields.map { "\($0.name): \($0.value)" } }

    @Test func `a known resource is requested with every validator`() throws {
        let url = try WebURL("https://p.example/a.zip")
        let date = "Sun, 06 Nov 1994 08:48:37 GMT"
        let weak = Self.known(url, Validator(entityTag: "W/\"1\"", lastModified: date))
        let request = TransferRequest(url, held: 0, validator: Validator(), known: weak, sha256: nil)
        #expect(Self.text(request) == ["If-None-Match: W/\"1\"", "If-Modified-Since: \(date)"])
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:48:38 GMT", true), ("Sun, 06 Nov 1994 08:48:37 GMT", false),
        ("Sun, 06 Nov 1994 08:48:36 GMT", false), ("now", true), (nil, true),
    ])
    func `a date that a change in the same second would share makes no condition`(date: String?, isSent: Bool) throws {
        let url = try WebURL("https://p.example/a.zip")
        let modified = "Sun, 06 Nov 1994 08:48:37 GMT"
        let state = Self.known(url, Validator(lastModified: modified, date: date))
        let request = TransferRequest(url, held: 0, validator: Validator(), known: state, sha256: nil)
        #expect(Self.text(request) == (isSent ? ["If-Modified-Since: \(modified)"] : []))
        #expect((request.known != nil) == isSent)
    }

    @Test func `the state of another URL, or another digest, makes no condition`() throws {
        let url = try WebURL("https://p.example/a.zip")
        let other = Self.known(try WebURL("https://p.example/b.zip"), Validator(entityTag: "\"1\""))
        #expect(TransferRequest(url, held: 0, validator: Validator(), known: other, sha256: nil).fields.isEmpty)
        let same = Self.known(url, Validator(entityTag: "\"1\""))
        let wanted = String(repeating: "b", count: 64)
        #expect(TransferRequest(url, held: 0, validator: Validator(), known: same, sha256: wanted).fields.isEmpty)
        #expect(TransferRequest(url, held: 0, validator: Validator(), known: same, sha256: Self.digest).known == same)
    }

    @Test func `a part is requested if its version can be named`() throws {
        let url = try WebURL("https://p.example/a.zip")
        let strong = TransferRequest(url, held: 7, validator: Validator(entityTag: "\"1\""), known: nil, sha256: nil)
        #expect(Self.text(strong) == ["Range: bytes=7-", "If-Range: \"1\""])
        let weak = TransferRequest(url, held: 7, validator: Validator(entityTag: "W/\"1\""), known: nil, sha256: nil)
        #expect(weak.offset == 0)
        #expect(weak.fields.isEmpty)
    }

    /// What `printf hello` has, by `openssl dgst -sha256 -binary` and `base64`.
    static let base64 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
    static let hexadecimal = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:\(base64):", 200, true), ("Repr-Digest", "sha-256=:\(base64):", 206, true),
        ("Repr-Digest", "sha-512=:YWJj:, sha-256=:\(base64):;x=1", 200, true),
        ("Repr-Digest", "sha-256=\(base64)", 200, false), ("Repr-Digest", "sha-256=:YWJj:", 200, false),
        ("Repr-Digest", "sha-256=::", 200, false), ("Repr-Digest", "sha-256=:", 200, false),
        ("Repr-Digest", "", 200, false), ("Content-Digest", "sha-256=:\(base64):", 200, true),
        ("Content-Digest", "sha-256=:\(base64):", 206, false), ("Digest", "SHA-256=\(base64)", 206, true),
        ("Digest", "md5=YWJj,sha-256=\(base64)", 200, true),
    ])
    func `a declared digest is used if it covers the whole package`(
        name: String,
        value: String,
        status: Int,
        isRead: Bool
    ) throws {
        let fields = HTTPFields([HTTPField(name: try #require(HTTPField.Name(name)), value: value)])
        #expect(DigestFields.sha256(fields, status: status) == (isRead ? Self.hexadecimal : nil))
    }

    @Test func `failures count until there is progress, and no longer`() {
        var budget = RetryBudget(retries: 2, pause: .seconds(1), size: 0)
        var steps: [String] = []
        for size: Int64 in [0, 100, 70_000, 0, 70_000] {
            let isAllowed = budget.allowsRetry(size: size)
            steps.append("\(isAllowed) \(budget.failures) \(budget.wait(nil))")
        }
        // As much as was there before is no progress: the server begins anew each time.
        #expect(
            steps == [
                "true 1 1.0 seconds", "true 2 2.0 seconds", "true 1 1.0 seconds", "true 2 2.0 seconds",
                "false 3 4.0 seconds",
            ]
        )
        #expect(budget.wait(7) == .seconds(7))
    }

    @Test func `a server may let one time limit pass without progress`() {
        var budget = RetryBudget(retries: 5, pause: .seconds(1), size: 0)
        let sizes: [(Int64, Bool)] = [(0, true), (0, false), (0, true), (70_000, true), (70_000, true)]
        let allowed = sizes.map { budget.allowsRetry(size: $0, isTimeout: $1) }
        #expect(allowed == [true, true, false, true, false])
    }

    @Test func `a pause is never longer than a minute`() {
        var budget = RetryBudget(retries: 100, pause: .seconds(1), size: 0)
        for _ in 0..<90 { _ = budget.allowsRetry(size: 0) }
        #expect(budget.wait(nil) == .seconds(60))
    }
}
