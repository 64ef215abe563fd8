import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Foundation
import TestSupport
import Testing

/// Large packages are read by several threads at once, which must not show.
struct LargePackageTests {
    static let count = 3000

    static func package(in scratch: Scratch) async throws -> String {
        let path = scratch.path("large.zip")
        let resources = try (0..<count).map { number in
            let url = try WebURL("http://d.example/\(number % 7)/\(10_000 + number)")
            let bytes = Array("body \(number)".utf8)
            return PackageWriter.Resource(
                record: ResourceRecord(url: url, size: Int64(bytes.count)),
                entry: ManifestEntry(url: url, mediaType: "text/plain"),
                body: .bytes(bytes),
                isCompressible: true
            )
        }
        let options = PackageWriter.Options(created: Timestamp(secondsSinceEpoch: 1_790_000_000), generator: "test/1")
        _ = try await PackageWriter.write(resources, to: path, options: options)
        return path
    }

    @Test func `every resource has its member and its record`() async throws {
        let scratch = try Scratch()
        let reader = try PackageReader(path: try await Self.package(in: scratch))
        try reader.requireLoadable()
        #expect(reader.index.problems.isEmpty)
        #expect(reader.index.resources.count == Self.count)
        for resource in reader.index.resources {
            let member = reader.archive.members[try #require(resource.member)]
            #expect("http://" + member.name == resource.url.description)
            #expect(resource.record?.url == resource.url)
            #expect(resource.record?.size == member.uncompressedSize)
        }
        let last = try #require(reader.archive.member(named: "d.example/2/12998"))
        #expect(String(decoding: try reader.archive.read(last, maxBytes: 100), as: UTF8.self) == "body 2998")
    }

    @Test func `a package whose metadata is copied to a file reads the same`() async throws {
        let scratch = try Scratch()
        let path = try await Self.package(in: scratch)
        var limits = ReadLimits()
        limits.memoryBytes = 0
        let copied = try PackageReader(path: path, limits: limits, folder: scratch.path)
        let reader = try PackageReader(path: path)
        #expect(scratch.names == ["large.zip"])
        #expect(copied.index.problems == reader.index.problems)
        #expect(copied.index.resources.count == Self.count)
        #expect(copied.index.bodyBytes == reader.index.bodyBytes)
        #expect(zip(copied.index.resources, reader.index.resources).allSatisfy { $0 == $1 })
        #expect(copied.archive.members.count == reader.archive.members.count)
        #expect(zip(copied.archive.members, reader.archive.members).allSatisfy { $0 == $1 })
        // At places in any order, as well.
        for place in [Self.count - 1, 0, 1, 1500, 1499] {
            #expect(copied.index.resources[place] == reader.index.resources[place])
            #expect(copied.index.resource(for: reader.index.resources[place].url)?.line == place + 1)
        }
    }

    @Test func `a folder that can't hold the copy is named`() async throws {
        let scratch = try Scratch()
        let path = try await Self.package(in: scratch)
        var limits = ReadLimits()
        limits.memoryBytes = 0
        let error = #expect(throws: PackageError.self) {
            try PackageReader(path: path, limits: limits, folder: scratch.path("missing"))
        }
        #expect(error?.message.contains(scratch.path("missing")) == true)
    }

    @Test(arguments: [0, 509, 510, 1500, 2999])
    func `the member whose local header differs is named`(place: Int) async throws {
        let scratch = try Scratch()
        let path = try await Self.package(in: scratch)
        let names = try PackageReader(path: path).archive.members.map(\.name).filter { $0.hasPrefix("d.example/") }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let name = Array(names[place].utf8)
        let start = try #require(Data(bytes).range(of: Data(name))).lowerBound
        bytes[start + name.count - 1] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        do throws(PackageError) {
            _ = try PackageReader(path: path)
            Issue.record("it was read")
        } catch {
            #expect(error.code == .invalidArchive(rule: "zip.local-header-differs"))
            #expect(error.message.contains("'\(names[place])'"))
        }
    }
}
