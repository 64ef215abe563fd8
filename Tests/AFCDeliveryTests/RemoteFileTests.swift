import AFCCredentials
import AFCHTTP
import AFCText
import AFCURL
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Files on servers that several programs change.
struct RemoteFileTests {
    private static func with(
        _ file: ChangeableFile,
        _ body: @Sendable (RemoteFile, TestOrigin) async throws -> Void
    ) async throws {
        try await TestOrigin.withOrigin([:]) { origin in
            origin.keep("/list", file)
            try await body(try remote(origin.base + "/list"), origin)
        }
    }

    private static func remote(_ url: String) throws(DeliveryError) -> RemoteFile {
        try RemoteFile(url, limit: 1000, options: Fetching.options()) { _ in nil }
    }

    private static func add(_ line: String, to file: RemoteFile, within patience: Duration? = nil) async throws {
        try await file.change(within: patience) { bytes in (bytes + Array((line + "\n").utf8), ()) }
    }

    private static func failure(_ body: () async throws -> Void) async -> DeliveryError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DeliveryError
        }
    }

    @Test func `of changes at the same time none is lost`() async throws {
        try await Self.with(ChangeableFile("")) { file, origin in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for line in 0..<16 { group.addTask { try await Self.add("\(line)", to: file) } }
                try await group.waitForAll()
            }
            let lines = origin.file("/list")?.text?.split(separator: "\n").map(String.init) ?? []
            #expect(Set(lines) == Set((0..<16).map { "\($0)" }))
            #expect(lines.count == 16)
            let bytes = try await file.read()
            #expect(bytes.count == lines.reduce(0) { $0 + $1.utf8.count + 1 })
        }
    }

    @Test func `a change is made again from what somebody else has written`() async throws {
        var kept = ChangeableFile("a\n")
        kept.changesByOthers = ["a\nother\n"]
        try await Self.with(kept) { file, origin in
            try await Self.add("mine", to: file)
            #expect(origin.file("/list")?.text == "a\nother\nmine\n")
        }
    }

    @Test func `a change whose answer was lost is made once`() async throws {
        var kept = ChangeableFile("a\n")
        kept.lostAnswers = 1
        try await Self.with(kept) { file, origin in
            try await Self.add("mine", to: file)
            #expect(origin.file("/list")?.text == "a\nmine\n")
            #expect(origin.file("/list")?.changes == 1)
        }
    }

    @Test func `patience has an end`() async throws {
        var kept = ChangeableFile("")
        kept.changesByOthers = (0..<2000).map { "other \($0)\n" }
        try await Self.with(kept) { file, origin in
            let error = await Self.failure { try await Self.add("mine", to: file, within: .zero) }
            #expect(error?.code == .busy)
            #expect(error?.remedy == .waitLonger)
            #expect(origin.file("/list")?.text?.hasPrefix("other") == true)
        }
    }

    @Test func `what the body throws comes out, and nothing is written`() async throws {
        try await Self.with(ChangeableFile("a")) { file, origin in
            await #expect(throws: CancellationError.self) {
                try await file.change(within: nil) { _ in throw CancellationError() } as Void
            }
            #expect(origin.file("/list")?.changes == 0)
        }
    }

    @Test(arguments: [nil, "W/"] as [String?])
    func `a server without strong tags is refused`(prefix: String?) async throws {
        var kept = ChangeableFile("a")
        kept.tagPrefix = prefix
        try await Self.with(kept) { file, origin in
            let error = await Self.failure { try await Self.add("mine", to: file) }
            #expect(error?.code == .protocolViolation)
            #expect(error?.message.contains("no strong entity tag") == true)
            #expect(!origin.requests.contains { $0.method == "PUT" })
        }
    }

    @Test func `a server that ignores conditions is refused, and its file stays`() async throws {
        var kept = ChangeableFile("a")
        kept.obeysConditions = false
        try await Self.with(kept) { file, origin in
            let error = await Self.failure { try await Self.add("mine", to: file) }
            #expect(error?.code == .protocolViolation)
            #expect(error?.message.contains("ignores If-Match") == true)
            #expect(origin.file("/list")?.text == "a")
        }
    }

    @Test func `a file is created once`() async throws {
        try await Self.with(ChangeableFile(nil)) { file, origin in
            let (first, second) = (try await file.create(Array("one".utf8)), try await file.create(Array("two".utf8)))
            #expect(first)
            #expect(!second)
            #expect(origin.file("/list")?.text == "one")
        }
        var kept = ChangeableFile(nil)
        kept.lostAnswers = 1
        try await Self.with(kept) { file, _ in
            let isNew = try await file.create(Array("one".utf8))
            #expect(isNew)
        }
    }

    @Test func `a login goes to its origin, and its lack is said`() async throws {
        var kept = ChangeableFile("a")
        kept.login = "Basic YW5uYTpnZWhlaW0="
        try await Self.with(kept) { file, origin in
            let error = await Self.failure { try await Self.add("mine", to: file) }
            #expect(error?.code == .status(401))
            #expect(error?.remedy == .giveLogin)
            var options = Fetching.options()
            options.servers.credentials = try Netrc(Array("machine 127.0.0.1 login anna password geheim".utf8))
                .credentials(for: [try WebURL(origin.base)])
            let known = try RemoteFile(origin.base + "/list", limit: 1000, options: options) { _ in nil }
            try await Self.add("mine", to: known)
            #expect(origin.file("/list")?.text == "amine\n")
        }
    }

    @Test func `answers that aren't the file are told apart`() async throws {
        let cases: [(TestOrigin.Answer, DeliveryErrorCode, String)] = [
            (.redirect("/other"), .refusedRedirect, "redirects to '/other'"),
            (TestOrigin.Answer(404), .status(404), "status 404"),
            (TestOrigin.Answer(403), .status(403), "refuses access"),
            (TestOrigin.Answer(405), .status(405), "doesn't accept GET"),
            (
                TestOrigin.Answer(200, [("ETag", "\"1\"")], body: Array(repeating: 65, count: 1001)), .tooLarge,
                "larger than"
            ),
        ]
        for (answer, code, words) in cases {
            try await TestOrigin.withOrigin(["/list": [answer]]) { origin in
                let error = await Self.failure { try await Self.add("x", to: try Self.remote(origin.base + "/list")) }
                #expect(error?.code == code)
                #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test(arguments: [
        ("http://files.example/list", "anyone on the network path can alter a file"),
        ("ftp://files.example/list", "only https"),
        ("https://a:b@files.example/list", "see a password"), ("https://", "not a valid URL"),
        ("s3://x", "write s3://"),
    ])
    func `a URL that isn't allowed is refused before any request`(url: String, words: String) {
        do throws(DeliveryError) {
            _ = try Self.remote(url)
            Issue.record("\(url) is taken")
        } catch {
            #expect(error.code == .badURL)
            #expect(error.message.contains(words), "\(error.message)")
        }
    }

    // https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Example: PUT Object".
    @Test func `a body is signed as in Amazon's example`() throws {
        let access = try BucketAccess {
            [
                "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ][$0]
        }
        let fields = access.fields(
            for: try WebURL("https://examplebucket.s3.amazonaws.com/test$file.text"),
            [
                (name: "date", value: "Fri, 24 May 2013 00:00:00 GMT"),
                (name: "x-amz-storage-class", value: "REDUCED_REDUNDANCY"),
            ],
            method: "PUT",
            body: Array("Welcome to Amazon S3.".utf8),
            at: try #require(Timestamp(iso8601: "2013-05-24T00:00:00Z"))
        )
        #expect(
            fields.first { $0.name == "authorization" }?.value.hasSuffix(
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ) == true
        )
    }
}
