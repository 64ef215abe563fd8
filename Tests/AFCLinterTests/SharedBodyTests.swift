import AFCPackageFile
import AFCPackageFormat
import AFCZip
import TestSupport
import Testing

@testable import AFCLinter

/// What several entries name is looked at for each of them, unless that could go on without end.
struct SharedBodyTests {
    private static let page = """
        <img src=a.png>
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB
        aFDrBz9vFqU4yVkT0hLvDk1WfY5cZ8QeXr7mNpGsKdRbLtVwOuHnCjAiMxEyQzTo
        -----END RSA PRIVATE KEY-----

        """

    /// Twelve pages in folders of their own, so that each needs another image, with one body.
    private static func findings(ofBodies limit: Int64) async throws -> [Finding] {
        let scratch = try Scratch()
        let urls = (10..<22).map { "http://d.example/\($0)/p" }
        let lines = urls.map { "\($0) ; NULL ; NULL ; text/html; charset=utf-8 ; d.example/p\n" }.joined()
        let record = #"{"url":"\#(urls[11])","status":200,"sha256":"\#(String(repeating: "0", count: 64))"}"# + "\n"
        let members = [
            ("d.example/p", Self.page), ("manifest.afcache", lines), (".afcache/package.json", #"{"format":1}"#),
            (".afcache/resources.jsonl", record),
        ]
        let path = scratch.path("package.zip")
        _ = try await ZipWriter.write(
            to: path,
            members: members.map { NewMember(name: $0.0, content: .bytes(Array($0.1.utf8)), isCompressible: true) },
            options: ZipWriter.Options()
        )
        var limits = ReadLimits()
        limits.totalBytes = limit
        let context = LintContext(now: LinterTests.now, settings: LintSettings())
        let package = LintedPackage(try PackageReader(path: path, limits: limits), context)
        var findings = FindingCollector(file: path, merges: false)
        _ = BodyPass.run(package, ActiveRules(RuleLevels()), &findings)
        return findings.sorted
    }

    @Test func `a body is checked for each entry that names it`() async throws {
        let found = try await Self.findings(ofBodies: Int64(12 * Self.page.utf8.count))
        #expect(found.count { $0.rule == "completeness.missing-requisite" } == 12)
        #expect(found.count { $0.rule == "security.private-key" } == 12)
        #expect(found.count { $0.rule == "sidecar.digest" } == 1)
        #expect(found.count == 25)
    }

    @Test func `if all bodies are too large, rules check a body for its first entry only`() async throws {
        let found = try await Self.findings(ofBodies: Int64(12 * Self.page.utf8.count) - 1)
        let references = found.filter { $0.rule == "completeness.missing-requisite" }
        #expect(references.map(\.place) == [.manifest(line: 1, column: 1)])
        #expect(references.allSatisfy { $0.sentence.contains("'http://d.example/10/a.png'") })
        #expect(found.count { $0.rule == "security.private-key" } == 1)
        // Loading would compare all digests, too.
        #expect(found.count { $0.rule == "sidecar.digest" } == 1)
        #expect(found.count == 3)
    }
}
