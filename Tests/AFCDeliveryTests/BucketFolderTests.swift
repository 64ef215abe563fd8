import AFCHTTP
import AFCText
import TestOrigin
import Testing

@testable import AFCDelivery

/// Objects of a bucket that jobs share, with real connections.
struct BucketFolderTests {
    private static func with(
        _ bucket: TestBucket = TestBucket(),
        retries: Int = 5,
        patience: Duration = .zero,
        _ body: (BucketFolder, TestOrigin) async throws -> Void
    ) async throws {
        try await TestOrigin.withOrigin([:]) { origin in
            origin.keep(bucket: "docs", bucket)
            let options = Fetching.options { ($0.retries, $0.pause) = (retries, .milliseconds(1)) }
            let variables = [
                "AWS_ENDPOINT_URL": origin.base, "AWS_ACCESS_KEY_ID": "anna", "AWS_SECRET_ACCESS_KEY": "secret",
            ]
            let folder = try BucketFolder("s3://docs/a/night/", options: options, patience: patience) { variables[$0] }
            let result: Result<Void, any Error>
            do { result = .success(try await body(folder, origin)) } catch { result = .failure(error) }
            await folder.close()
            try result.get()
        }
    }

    @Test func `an object is created once, read and removed`() async throws {
        try await Self.with { (folder, origin) async throws in
            let bytes = (0...255).map { UInt8($0) }
            #expect(try await folder.read("x/y", limit: 1000) == nil)
            #expect(try await folder.create("x/y", bytes))
            #expect(try await !folder.create("x/y", []))
            #expect(try await folder.read("x/y", limit: 1000) == bytes)
            #expect(origin.change(bucket: "docs").objects.keys.sorted() == ["a/night/x/y"])
            #expect(origin.requests.allSatisfy { $0.value("authorization")?.contains("Credential=anna/") ?? false })
            try await folder.remove(["x/y", "x/none"])
            #expect(try await folder.read("x/y", limit: 1000) == nil)
            #expect(try await folder.create("x/y", bytes))
        }
    }

    @Test func `a larger object than allowed is refused`() async throws {
        try await Self.with { (folder, _) async throws in
            #expect(try await folder.create("x", Array(repeating: 1, count: 100)))
            await #expect(throws: DeliveryError.self) { try await folder.read("x", limit: 99) }
        }
    }

    @Test func `lists have all names, in parts and by folder`() async throws {
        var bucket = TestBucket()
        bucket.pageSize = 3
        for number in 1...10 { bucket.objects["a/night/round-\(number)/shard-1/done.json"] = [] }
        bucket.objects["a/nightly/round-99/x"] = []
        bucket.objects["a/night/plan.json"] = []
        try await Self.with(bucket) { (folder, _) async throws in
            let all = (1...10).map { "round-\($0)/shard-1/done.json" }.sorted()
            #expect(try await folder.names(below: "round-").sorted() == all)
            #expect(try await folder.folders(below: "round-").sorted() == (1...10).map { "round-\($0)" }.sorted())
            #expect(try await folder.names(below: "none").isEmpty)
        }
    }

    @Test func `failures that pass are tried again, and others are errors`() async throws {
        var bucket = TestBucket()
        bucket.failures = 3
        try await Self.with(bucket) { (folder, _) async throws in #expect(try await folder.create("x", [1])) }
        bucket.failures = 10
        try await Self.with(bucket, retries: 2) { (folder, _) async throws in
            await #expect { try await folder.create("x", [1]) } throws: { ($0 as? DeliveryError)?.code == .status(503) }
        }
    }

    @Test func `a service that isn't there for a while is waited for`() async throws {
        var bucket = TestBucket()
        bucket.failures = 9
        try await Self.with(bucket, retries: 1, patience: .seconds(600)) { (folder, origin) async throws in
            #expect(try await folder.create("x", [1]))
            origin.change(bucket: "docs") { $0.failures = 9 }
            #expect(try await folder.names(below: "") == ["x"])
        }
        let nobody = try DeadPort()
        let options = Fetching.options { ($0.retries, $0.pause) = (0, .milliseconds(1)) }
        let folder = try BucketFolder("s3://docs/x", options: options, patience: .milliseconds(50)) { name in
            name == "AWS_ENDPOINT_URL" ? nobody.base : nil
        }
        await #expect { try await folder.names(below: "") } throws: { ($0 as? DeliveryError)?.code == .connection }
        await folder.close()
    }

    @Test func `an object whose answer was lost is there`() async throws {
        var bucket = TestBucket()
        bucket.lostAnswers = 1
        try await Self.with(bucket) { (folder, _) async throws in
            // Whether it is this process's own shows by its contents.
            #expect(try await !folder.create("x", [1]))
            #expect(try await folder.read("x", limit: 10) == [1])
        }
    }

    @Test func `a cancelled task ends as such`() async throws {
        var bucket = TestBucket()
        bucket.failures = 1000
        try await Self.with(bucket, retries: 1000) { (folder, _) async throws in
            let task = Task { try await folder.read("x", limit: 10) }
            try await Task.sleep(for: .milliseconds(20))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: [
        "s3://docs", "s3://docs/", "s3://d/x", "s3://docs/a b", "s3://docs/a//b", "s3://docs/ü", "s3://docs/../x",
    ])
    func `names that no folder has are refused`(_ name: String) throws {
        #expect { try BucketFolder(name, options: Fetching.options()) { _ in nil } } throws: {
            ($0 as? DeliveryError)?.code == .badURL
        }
    }

    private static let lists: [(String, BucketListing?)] = [
        ("", nil), ("<Error><Code>X</Code></Error>", nil), ("<ListBucketResult><Contents></Contents>", nil),
        ("<ListBucketResult><Contents><Key>a</Key>", nil),
        ("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", nil),
    ]

    @Test func `a list's texts are read as XML`() throws {
        let text =
            "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key></Contents>"
            + "<CommonPrefixes><Prefix>c/</Prefix></CommonPrefixes><NextContinuationToken>x&lt;&amp;lt;"
            + "</NextContinuationToken></ListBucketResult>"
        let list = try #require(BucketListing(Array(text.utf8)))
        #expect(list.keys == ["a&b"] && list.prefixes == ["c/"] && list.next == "x<&lt;")
    }

    @Test(arguments: lists) func `what isn't a list is none`(_ text: String, _ expected: BucketListing?) {
        #expect(BucketListing(Array(text.utf8)) == expected)
    }
}
