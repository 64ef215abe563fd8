import AFCBatch
import AFCText
import AFCYAML
import Testing

/// The file of a batch, its shards, and what is kept about a site.
struct BatchFileTests {
    @Test func `a whole file is read as it was written`() throws {
        let file = try BatchFile(
            """
            version: 1
            options: { delay: 1s, depth: 3, sitemaps: true }
            lint: warning
            publish: { folder: /srv/www }
            sites:
              - name: docs
                urls: https://docs.example/
              - name: wiki_2
                urls: [https://a.example/, https://b.example/]
                options: { exclude: ['*/old/*', '*/talk/*'], depth: 5, sitemaps: false, user-agent: 'true' }
                lint: never
                publish:
                  registry: oci://packages.example/wiki:1
                  channel: { file: w.channel, sign: [a, b], valid-for: 90d }
              - name: app
                options: { folder: dist }
                publish: {}
            """
        )
        #expect(file.sites.map(\.name) == ["docs", "wiki_2", "app"])
        #expect(file.sites[0].urls == ["https://docs.example/"])
        #expect(file.sites[0].arguments == ["--delay=1s", "--depth=3", "--sitemaps"])
        #expect(file.sites[0].lint == "warning" && file.sites[0].publish.folder == "/srv/www")
        #expect(file.sites[1].urls.count == 2)
        #expect(
            file.sites[1].arguments
                == ["--delay=1s", "--exclude=*/old/*", "--exclude=*/talk/*", "--depth=5", "--user-agent=true"]
        )
        #expect(file.sites[1].lint == "never" && file.sites[1].publish.folder == nil)
        #expect(file.sites[1].publish.registry == "oci://packages.example/wiki:1")
        #expect(file.sites[1].publish.channel?.file == "w.channel")
        #expect(file.sites[1].publish.channel?.arguments == ["--sign=a", "--sign=b", "--valid-for=90d"])
        #expect(file.sites[2].publish.folder == nil && file.sites[2].publish.channel == nil)
        #expect("\(file.sites[2].place)" == "15:5")
        #expect(file.sites[0].places.mapValues(\.description)["depth"] == "2:23")
        #expect(file.sites[0].places.mapValues(\.description)["folder:"] == "4:20")
        #expect(file.sites[1].places.mapValues(\.description)["depth"] == "10:50")
        #expect(file.sites[1].places.mapValues(\.description)["urls:"] == "9:11")
    }

    @Test(arguments: [
        ("", "1:1: the file is empty"),
        ("sites: []", "1:1: the file must contain 'version: 1'"),
        ("version: 1", "1:1: the file lists no site"),
        ("version: 1\nsites: []", "2:8: the file lists no site"),
        ("version: 1\nsites: [{ urls: https://a.example/ }]", "2:9: a site needs 'name'"),
        ("version: 1\nsites: [{ name: a }]", "2:9: the site 'a' has nothing to pack"),
        ("version: 1\nsites: [{ name: ../a, urls: u }]", "2:17: '../a' can't be the name of a site"),
        ("version: 1\nsites: [{ name: .a, urls: u }]", "2:17: '.a' can't be the name of a site"),
        ("version: 1\nsites: [{ name: é, urls: u }]", "2:17: 'é' can't be the name of a site"),
        ("version: 1\nsites: [{ name: a, urls: u }, { name: A, urls: u }]", "2:31: two sites have the name 'A'"),
        ("version: 1\nsites: [{ name: a, urls: u, url: v }]", "2:29: a site has a key 'url'"),
        (
            "version: 1\npublish: { registry: oci://r/x }\nsites: [{ name: a, urls: u }, { name: b, urls: u }]",
            "3:31: two sites would be pushed to 'oci://r/x'"
        ),
        ("version: 1\nsites: [{ name: a, urls: { a: b } }]", "2:26: 'urls' must be text"),
        (
            "version: 1\nsites: [{ name: a, urls: u, lint: strict }]",
            "2:35: 'lint' must be error, warning, info or never"
        ),
        ("version: 1\nsites: [{ name: a, check: u, options: { folder: x } }]", "2:27: 'check' is for crawls"),
        ("version: 1\nsites: [{ name: a, urls: u, options: { output: x } }]", "2:40: the option 'output' is set by"),
        ("version: 1\nsites: [{ name: a, urls: u, options: { --depth: 1 } }]", "2:40: '--depth': write the option"),
        ("version: 1\nsites: [{ name: a, urls: u, options: { depth: } }]", "'depth' has no value"),
        ("version: 1\nsites: [{ name: a, urls: u, options: { depth: { a: b } } }]", "'depth' must be text, true"),
        ("version: 1\nsites: [{ name: a, urls: u, publish: x }]", "'publish' must be a mapping"),
        ("version: 1\nsites: [{ name: a, urls: u, publish: { folder: '' } }]", "'folder' is empty"),
        ("version: 1\nsites: [{ name: a, urls: u, publish: { channel: { sign: k } } }]", "'channel' needs 'file'"),
        ("version: 1\nsites: [{ name: a, urls: u, publish: { channel: 's3://a/b.channel' } }]", "must be a path"),
    ])
    func `what is wrong is said with its place`(text: String, message: String) {
        let error = #expect(throws: YAMLFileError.self) { try BatchFile(text) }
        #expect(error.map { $0.description.contains(message) } == true, "\(error?.description ?? "")")
    }

    @Test func `each site is in one shard, and a new site moves no other`() throws {
        let names = (1...500).map { "site-\($0)" }
        let shards = try (1...7).map { try #require(BatchShard(index: $0, count: 7)) }
        for name in names { #expect(shards.count { $0.contains(name) } == 1) }
        let sizes = shards.map { shard in names.count(where: shard.contains) }
        #expect(sizes.allSatisfy { $0 > 40 }, "\(sizes)")

        #expect(try #require(BatchShard(index: 1, count: 1)).contains("docs"))
        #expect(BatchShard(index: 0, count: 3) == nil && BatchShard(index: 4, count: 3) == nil)
        #expect(BatchShard(index: 1, count: 0) == nil && BatchShard(index: 1, count: 100_001) == nil)
    }

    /// An option, variables, and the shard with the variable that numbers it.
    @Test(
        arguments: [
            (nil, [:], nil), ("3/8", ["CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "2"], "3/8 -"),
            ("/8", ["JOB_COMPLETION_INDEX": "7"], "8/8 JOB_COMPLETION_INDEX"),
            (
                nil, ["AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "4"],
                "1/4 AWS_BATCH_JOB_ARRAY_INDEX"
            ),
            (
                nil, ["SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_COUNT": "5"],
                "3/5 SLURM_ARRAY_TASK_ID"
            ),
            (nil, ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "2"], "2/2 CI_NODE_INDEX"),
        ] as [(String?, [String: String], String?)]
    )
    func `a shard comes from the option or the job service`(
        option: String?,
        variables: [String: String],
        expected: String?
    ) throws {
        let found = try BatchShard.read(option, variables: variables)
        #expect(found.map { "\($0.shard) \($0.variable ?? "-")" } == expected)
    }

    @Test(
        arguments: [
            ("0/8", [:]), ("9/8", [:]), ("x/8", [:]), ("8", [:]), ("1/2/3", [:]), ("-1/8", [:]), ("1/", [:]),
            ("/8", [:]),
            ("/2", ["JOB_COMPLETION_INDEX": "2"]), (nil, ["JOB_COMPLETION_INDEX": "2"]),
            (nil, ["CI_NODE_INDEX": "0", "CI_NODE_TOTAL": "2"]), (nil, ["CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "2"]),
            (nil, ["SLURM_ARRAY_TASK_ID": "9223372036854775807", "SLURM_ARRAY_TASK_COUNT": "5"]),
        ] as [(String?, [String: String])]
    )
    func `an impossible shard is refused`(option: String?, variables: [String: String]) {
        #expect(throws: BatchShard.Problem.self) { try BatchShard.read(option, variables: variables) }
    }

    @Test func `a record is read as it was written, and only for its site`() throws {
        var record = BatchRecord(name: "docs")
        (record.round, record.state, record.beginnings, record.failures) = ("r 1", .failed, 4, 2)
        (record.exitCode, record.step, record.error) = (5, "pack", "a \"quoted\" <error>")
        (record.digest, record.size, record.resources, record.seconds) = ("ab", 1 << 40, 7, 1.25)
        (record.published, record.files, record.arguments) = (["folder:x": "ab"], ["docs-1.zip"], ["--depth=1"])
        let bytes = Array(record.json.serialized.utf8)
        #expect(BatchRecord(bytes, name: "docs") == record)
        #expect(BatchRecord(bytes, name: "other") == nil)
        #expect(BatchRecord(Array(bytes.dropLast(3)), name: "docs") == nil)
        let large = record.json.serialized.replacing("\"beginnings\":4", with: "\"beginnings\":99999999999999999999")
        #expect(BatchRecord(Array(large.utf8), name: "docs")?.beginnings == 0)
        let report = String(decoding: BatchRecord.junit([record]), as: UTF8.self)
        #expect(report.contains("tests=\"1\" failures=\"1\"") && report.contains("a &quot;quoted&quot; &lt;error&gt;"))
    }

    @Test func `a site is set aside when it fails or is begun too often`() {
        var record = BatchRecord(name: "docs")
        (record.state, record.failures) = (.failed, 2)
        #expect(!record.isSetAside)
        record.failures = 3
        #expect(record.isSetAside)
        (record.state, record.failures, record.beginnings) = (.begun, 0, 10)
        #expect(record.isSetAside)
        record.state = .unchanged
        #expect(!record.isSetAside && record.isDone)
    }
}
