import AFCPackageFormat
import AFCSyncFile
import AFCYAML
import Testing

/// The sync file: what it means, and what is wrong with one that can't be used.
struct SyncFileTests {
    @Test func `a whole file is read as it was written`() throws {
        let plan = try SyncFile.parse(
            """
            version: 1
            cache: /var/lib/afcache
            remove-others: true
            require-signature: true
            trust: [trusted.keys]
            cacert: company.pem
            netrc: logins
            limits: { bytes: 2.05G, entries: 100k }
            packages:
              - from: https://packages.example/v1/docs.tar.zip?x=/y
              - name: news
                from: packages/news.zip
                sha256: 9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08
                priority: -10
                pin: true
                separable: true
                allow-http: true
            """
        )
        #expect(plan.cache == "/var/lib/afcache")
        #expect(plan.removesOthers)
        #expect(plan.requiresSignature)
        #expect(plan.trust == ["trusted.keys"])
        #expect(plan.trustRoots == "company.pem")
        #expect(plan.netrc == "logins")
        #expect(plan.byteLimit == 2_050_000_000)
        #expect(plan.entryLimit == 100_000)
        #expect(plan.packages.map(\.name) == [nil, "news"])
        #expect(plan.packages.map(\.isRemote) == [true, false])
        #expect(plan.packages.map(\.settings.priority) == [0, -10])
        #expect(plan.packages[1].sha256?.hasPrefix("9f86d0") == true)
        #expect(plan.packages[1].settings.isPinned)
        #expect(plan.packages[1].settings.isSeparable)
        #expect(plan.packages[1].allowsPlainHTTP)
        #expect(
            plan.superfluous(among: ["news", "old", "docs.tar", "older"], listed: ["docs.tar"]) == ["old", "older"]
        )
    }

    @Test func `a file may say that all packages are to be removed`() throws {
        let plan = try SyncFile.parse("version: 1\nremove-others: true\npackages: []\n")
        #expect(plan.superfluous(among: ["a", "b"]) == ["a", "b"])
    }

    @Test(arguments: [("allow-http: true", true), ("allow-http: false", false)])
    func `plain HTTP is allowed by a key`(key: String, allows: Bool) throws {
        let plan = try SyncFile.parse("version: 1\npackages: [{ from: a.zip, \(key) }]\n")
        #expect(plan.packages[0].allowsPlainHTTP == allows)
    }

    @Test func `omitted values have their default`() throws {
        let plan = try SyncFile.parse("version: 1\npackages: [{ from: a.zip }]\n")
        #expect(plan.cache == nil)
        #expect(!plan.removesOthers)
        #expect(plan.byteLimit == nil)
        #expect(plan.superfluous(among: ["x"]) == [])
        var package = SyncPlan.Package(name: nil, from: "a.zip")
        package.line = 2
        #expect(plan.packages == [package])
    }

    @Test(arguments: [
        ("", "1:1: the file is empty; it must begin with 'version: 1'"),
        ("packages: []", "1:1: the file must contain 'version: 1'; this program supports no other version"),
        (
            "version: 1\nremove-others: true",
            "2:16: with 'remove-others: true', the file must have 'packages' or 'channel', and it may be cut off; "
                + "'packages: []' says that all packages are to be removed"
        ),
        ("version: 2", "1:10: the file must contain 'version: 1'; this program supports no other version"),
        ("- a", "1:1: the file must be a mapping of keys to values"),
        ("version: 1\npackage: []", "2:1: the file has a key 'package', which is not known; did you mean 'packages'?"),
        ("version: 1\ncache: ''", "2:8: 'cache' is empty; it must name a folder"),
        ("version: 1\ncacert: ''", "2:9: 'cacert' is empty; it must name a file of certificates"),
        ("version: 1\nnetrc: ''", "2:8: 'netrc' is empty; it must name a netrc file"),
        (
            "version: 1\npackages: [{ from: a, insecure: true }]",
            "2:23: a package has a key 'insecure', which is not known; did you mean 'allow-http'?"
        ),
        ("version: 1\npackages: x", "2:11: 'packages' must be a list"),
        ("version: 1\npackages: [x]", "2:12: a package must be a mapping of keys to values"),
        ("version: 1\npackages: [{ name: x }]", "2:12: a package needs 'from' with a URL or a path"),
        (
            "version: 1\npackages: [{ from: a.zip, name: a }, { from: b/a.zip, name: a }]",
            "2:38: two packages have the name 'a'"
        ),
        ("version: 1\npackages: [{ from: a, sha256: 12 }]", "2:31: 'sha256' must have 64 hexadecimal digits"),
        ("version: 1\npackages: [{ from: a, digest: 12 }]", "2:31: 'digest' must have 64 hexadecimal digits"),
        ("version: 1\npackages: [{ from: a, allow-older: 1 }]", "2:36: 'allow-older' must be true or false"),
        ("version: 1\npackages: [{ from: a, pin: yes please }]", "2:28: 'pin' must be true or false"),
        ("version: 1\npackages: [{ from: a, priority: high }]", "2:33: 'priority' must be a whole number"),
        ("version: 1\nlimits: { entries: 1kB }", "2:20: 'entries' must be a number such as 100000 or 100k"),
        ("version: 1\ncache: ''", "2:8: 'cache' is empty; it must name a folder"),
        ("version: 1\nlimits: { bytes: lots }", "2:18: 'bytes' must be a number of bytes such as 500M or 1.5G"),
        ("version: 1\nlimits: { bytes: 99999999999T }", "2:18: 'bytes' must be a number of bytes such as 500M or 1.5G"),
        ("version: 1\nlimits: { bytes: -1G }", "2:18: 'bytes' must be a number of bytes such as 500M or 1.5G"),
        ("version: 1\nrequire-signature: true", "2:20: 'require-signature' needs 'trust' with files of public keys"),
        ("version: 1\nversion: 1", "a key occurs twice"), ("version: [1", "the file is not YAML: "),
    ])
    func `an error is reported with its place`(text: String, sentence: String) {
        do throws(SyncFileError) {
            _ = try SyncFile.parse(text)
            Issue.record("it was taken")
        } catch {
            #expect(error.description.contains(sentence), "\(error)")
        }
    }

    @Test func `a small file that expands to a large one is refused at once`() {
        var text = "version: 1\na: &a [x, x]\n"
        for (one, other) in zip("abcdefghijklmnopqrstuvwxy", "bcdefghijklmnopqrstuvwxyz") {
            text += "\(other): &\(other) [*\(one), *\(one)]\n"
        }
        #expect(throws: SyncFileError.self) { try SyncFile.parse(text) }
        #expect(throws: SyncFileError.self) {
            try SyncFile.parse(String(repeating: "#", count: SyncFile.byteLimit + 1))
        }
    }

    // RFC 3986 §3.1, RFC 8089 §2.
    @Test(arguments: [
        ("HTTPS://p.example/Docs.zip", "https://p.example/Docs.zip"),
        ("OCI://r.example/docs:1", "oci://r.example/docs:1"),
        ("S3://Docs/A", "s3://Docs/A"), ("OCI-Layout:Docs:1", "oci-layout:Docs:1"),
        ("file:///a/b%20c.zip", "/a/b c.zip"),
        ("FILE://localhost/a.zip", "/a.zip"), ("a/b.zip", "a/b.zip"),
    ])
    func `a scheme may be written in any case, and a file as a URL`(written: String, from: String) throws {
        let plan = try SyncFile.parse("version: 1\npackages: [{ from: '\(written)', name: a }]\n")
        #expect(plan.packages[0].from == from)
    }

    @Test(arguments: [
        ("https://p.example/docs.zip", "docs"), ("docs.zip", "docs"), ("/a/b/c", "c"), (".hidden", ".hidden"),
        ("https://p.example", ""), ("https://p.example/a/?b", "a"), ("https://p.example/v1.2.3", "v1.2.3"),
        ("docs-1.2.zip", "docs-1.2"),
    ])
    func `a package has the name of its file`(from: String, name: String) {
        #expect(PackageSource.defaultName(of: from) == name)
    }
}
