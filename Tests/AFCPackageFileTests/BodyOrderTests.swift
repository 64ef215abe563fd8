import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import AFCZip
import TestSupport
import Testing

/// What changed since an older package is side by side in a new one.
struct BodyOrderTests {
    @Test func `bodies are in the order of their dates, then of their URLs, without a date last`() async throws {
        let scratch = try Scratch()
        let path = scratch.path("dated.zip")
        let shared = String(repeating: "shared ", count: 200)
        let dates: [(path: String, date: Int64?, body: String)] = [
            ("a", 300, "a"), ("b", nil, "b"), ("c", 100, "c"), ("d", 300, "d"), ("e", nil, "e"), ("f", -100, "f"),
            // The same bytes as those of g, which has another date: one member, at the date of the first URL.
            ("g", 200, shared), ("h", 0, shared),
        ]
        let resources = try dates.map { path, date, body in
            let url = try WebURL("http://d.example/\(path)")
            let bytes = Array(body.utf8)
            let member = PackageDigest.Member(name: "", body: bytes)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, size: member.size, sha256: member.sha256),
                entry: ManifestEntry(url: url, lastModified: date.map { Timestamp(secondsSinceEpoch: $0) }),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        let options = PackageWriter.Options(created: Timestamp(secondsSinceEpoch: 1_790_000_000), generator: "test/1")
        _ = try await PackageWriter.write(resources, to: path, options: options)
        let reader = try PackageReader(path: path)
        try reader.requireLoadable()
        let names = reader.archive.members.sorted { $0.dataOffset < $1.dataOffset }.map(\.name)
        #expect(
            names.filter { $0.hasPrefix("d.example/") }
                == ["f", "c", "g", "a", "d", "b", "e"].map { "d.example/\($0)" }
        )
        #expect(reader.index.resources.map(\.url.description) == dates.map { "http://d.example/\($0.path)" })
    }
}
