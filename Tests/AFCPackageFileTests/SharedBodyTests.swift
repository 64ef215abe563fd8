import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Foundation
import TestSupport
import Testing

/// One body at several URLs is one member, which all of their entries name.
struct SharedBodyTests {
    static let time = Timestamp(secondsSinceEpoch: 1_763_719_200)
    static let page = String(repeating: "<p>the same at several places</p>\n", count: 40)
    static let small = String(repeating: "s", count: 1023)
    static let edge = String(repeating: "e", count: 1024)

    static func resources() throws -> [PackageWriter.Resource] {
        let bodies = [
            ("http://d.example/b/copy.html", page), ("http://d.example/a/first.html", page),
            ("http://d.example/c?page=1", page), ("https://d.example/a/first.html", page),
            ("http://d.example/small1", small), ("http://d.example/small2", small),
            ("http://d.example/edge1", edge), ("http://d.example/edge2", edge),
            ("http://d.example/other.html", page + "."),
        ]
        return try bodies.map { text, body in
            let url = try WebURL(text)
            let member = PackageDigest.Member(name: "", body: Array(body.utf8))
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, fetched: time, size: member.size, sha256: member.sha256),
                entry: ManifestEntry(url: url, lastModified: time, mediaType: "text/html"),
                body: .bytes(Array(body.utf8)),
                isCompressible: true
            )
        }
    }

    static func package(
        in scratch: Scratch,
        _ change: (inout PackageWriter.Options) -> Void = { _ in }
    ) async throws -> PackageWriter.Summary {
        var options = PackageWriter.Options(created: time, generator: "test/1")
        options.keepsManifest = true
        change(&options)
        return try await PackageWriter.write(try resources(), to: scratch.path("p.zip"), options: options)
    }

    @Test func `the first URL owns the member, and the others name it`() async throws {
        let scratch = try Scratch()
        let summary = try await Self.package(in: scratch)
        let date = "Fri, 21 Nov 2025 10:00:00 GMT ; NULL ; text/html"
        #expect(
            String(decoding: summary.manifest, as: UTF8.self) == """
                http://d.example/a/first.html ; \(date)
                http://d.example/b/copy.html ; \(date) ; d.example/a/first.html
                http://d.example/c?page=1 ; \(date) ; d.example/a/first.html
                http://d.example/edge1 ; \(date)
                http://d.example/edge2 ; \(date) ; d.example/edge1
                http://d.example/other.html ; \(date)
                http://d.example/small1 ; \(date)
                http://d.example/small2 ; \(date)
                https://d.example/a/first.html ; \(date)

                """
        )
        let listed = try Program.run("unzip", ["-Z1", scratch.path("p.zip")])
        #expect(
            listed.text == """
                d.example/a/first.html
                d.example/edge1
                d.example/other.html
                d.example/small1
                d.example/small2
                .afcache/package.json
                .afcache/resources.jsonl
                manifest.afcache

                """
        )
        #expect(summary.resources == 9)
        #expect(summary.bodyBytes == Int64(5 * Self.page.utf8.count + 1 + 2 * 1023 + 2 * 1024))
    }

    @Test func `a reader finds each body, and nothing wrong`() async throws {
        let scratch = try Scratch()
        let key = try SignedPackage.key(7)
        _ = try await Self.package(in: scratch) { $0.signers = [key] }
        let reader = try PackageReader(path: scratch.path("p.zip"))
        #expect(reader.index.problems.isEmpty)
        for resource in try Self.resources() {
            let found = try #require(reader.index.resource(for: resource.record.url))
            let member = reader.archive.members[try #require(found.member)]
            guard case .bytes(let body) = resource.body else { continue }
            #expect(try reader.archive.read(member, maxBytes: 1 << 20) == body)
            #expect(found.record?.sha256 == resource.record.sha256)
        }
        #expect(reader.index.resource(for: try WebURL("http://d.example/nothing")) == nil)
        let verdict = try reader.verifySignature(policy: TrustPolicy(requiresSignature: true, trusted: [key.publicKey]))
        #expect(verdict.trusted.count == 1)
    }

    @Test(arguments: [ManifestDialect.five, .afcache])
    func `a dialect that names members shares them, encrypted too`(dialect: ManifestDialect) async throws {
        let scratch = try Scratch()
        let password = try #require(Password(Array("secret".utf8)))
        _ = try await Self.package(in: scratch) { ($0.dialect, $0.password) = (dialect, password) }
        let reader = try PackageReader(path: scratch.path("p.zip"), password: password)
        #expect(reader.index.problems.isEmpty)
        #expect(reader.archive.members.count == 8)
        #expect(Set(reader.index.resources.compactMap(\.member)).count == 5)
    }

    @Test func `a dialect without a field for names shares nothing`() async throws {
        let scratch = try Scratch()
        let url = { (name: String) in try WebURL("http://d.example/\(name)") }
        let resources = try Self.resources().filter { try [url("edge1"), url("edge2")].contains($0.record.url) }
        var options = PackageWriter.Options(created: Self.time, generator: "test/1")
        options.dialect = .four
        _ = try await PackageWriter.write(resources, to: scratch.path("p.zip"), options: options)
        let reader = try PackageReader(path: scratch.path("p.zip"))
        #expect(Set(reader.index.resources.compactMap(\.member)).count == 2)
    }

    /// The limit on bodies counts what each entry names: else a small file would make its reader inflate without end.
    @Test func `a package whose entries name more bytes than allowed is refused`() async throws {
        let scratch = try Scratch()
        let lines = (0..<100).map { "http://d.example/\(1000 + $0) ; NULL ; NULL ; NULL ; d.example/bomb\n" }.joined()
        let members = [
            NewMember(
                name: "d.example/bomb",
                content: .bytes([UInt8](repeating: 0, count: 1 << 20)),
                isCompressible: true
            ),
            NewMember(name: "manifest.afcache", content: .bytes(Array(lines.utf8)), isCompressible: true),
        ]
        let path = scratch.path("bomb.zip")
        _ = try await ZipWriter.write(to: path, members: members)
        var limits = ReadLimits()
        limits.totalBytes = 100 << 20
        try PackageReader(path: path, limits: limits).requireLoadable()
        limits.totalBytes -= 1
        do throws(PackageError) {
            try PackageReader(path: path, limits: limits).requireLoadable()
            Issue.record("it was accepted")
        } catch {
            #expect(error.code == .invalidPackage(rule: "manifest.bodies-too-large"))
        }
    }
}
