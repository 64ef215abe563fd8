import AFCFiles
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AFCCache

/// The index of a generation, written and read again.
struct GenerationIndexTests {
    static func resource(_ number: Int, url: String? = nil, field: String = "text/plain") -> IndexedResource {
        var fields = HTTPFields()
        fields[.contentType] = field
        fields[.date] = "Tue, 14 Nov 2023 22:13:20 GMT"
        return IndexedResource(
            url: url ?? "http://d.example/p\(String(format: "%07d", number))",
            number: UInt32(number),
            status: number % 7 == 0 ? 301 : 200,
            member: number % 7 == 0 ? nil : "d.example/p\(number)",
            size: Int64(number) * 3,
            lastModified: number % 2 == 0 ? Timestamp(secondsSinceEpoch: Int64(number)) : nil,
            expires: number % 3 == 0 ? Timestamp(secondsSinceEpoch: -5) : nil,
            received: Timestamp(secondsSinceEpoch: 1_700_000_000),
            fields: fields,
            requestFields: number % 5 == 0 ? HTTPFields() : nil,
            digest: number % 7 == 0 ? [] : (0..<32).map { UInt8($0) }
        )
    }

    static func generation(_ scratch: Scratch) -> GenerationLayout {
        GenerationLayout(store: scratch.path, area: "packages", folder: "g")
    }

    static func write(_ resources: [IndexedResource], to path: String) throws -> String {
        try Folders.make(String(path.dropLast("/index".count)))
        var writer: IndexWriter? = try IndexWriter(path: path, capacity: resources.count)
        for start in stride(from: 0, to: resources.count, by: 100) {
            var batch = IndexBatch()
            for resource in resources[start..<min(start + 100, resources.count)] { batch.append(resource) }
            try writer?.append(batch)
        }
        return try writer.take()?.finish() ?? ""
    }

    @Test func `an index that is used often is copied into memory, as far as there is room`() throws {
        let scratch = try Scratch()
        let resources = (0..<500).map { Self.resource($0) }
        _ = try Self.write(resources, to: Self.generation(scratch).index)
        let size = UInt64(try scratch.read("packages/g/index").count)
        let memory = IndexMemory(limit: size)
        do {
            let index = try GenerationIndex(Self.generation(scratch), memory: memory)
            let other = try GenerationIndex(Self.generation(scratch), memory: memory)
            for _ in 0..<2 {
                for resource in resources { #expect(try index.find(ResourceKey(WebURL(resource.url))) == resource) }
            }
            #expect(index.isInMemory)
            for resource in resources { #expect(try other.find(ResourceKey(WebURL(resource.url))) == resource) }
            #expect(!other.isInMemory, "the first one took the room")
            // What is in memory survives what someone does to the file.
            #expect(truncate(Self.generation(scratch).index, 8) == 0)
            for resource in resources { #expect(try index.find(ResourceKey(WebURL(resource.url))) == resource) }
            #expect(throws: CacheError.self) { try other.find(ResourceKey(WebURL(resources[0].url))) }
        }
        let room = memory.reserve(size)
        #expect(room != nil, "an index that is closed gives its room back")
        #expect(memory.reserve(1) == nil)
    }

    @Test(arguments: [0, 1, 2, 5, 9, 100, 5000])
    func `every resource is found as it was written, and no other`(count: Int) throws {
        let scratch = try Scratch()
        let resources = (0..<count).map { Self.resource($0) }
        _ = try Self.write(resources, to: Self.generation(scratch).index)
        let index = try GenerationIndex(Self.generation(scratch))
        #expect(index.count == count)
        for resource in resources { #expect(try index.find(ResourceKey(WebURL(resource.url))) == resource) }
        #expect(try index.find(ResourceKey(WebURL("http://d.example/none"))) == nil)
        var listed: [IndexedResource] = []
        try index.forEach { resource in
            listed.append(resource)
            return true
        }
        #expect(listed == resources)
    }

    @Test func `a record longer than a first read is read whole`() throws {
        let scratch = try Scratch()
        let long = String(repeating: "x", count: 60_000)
        let resources = [Self.resource(0), Self.resource(1, field: long), Self.resource(2)]
        _ = try Self.write(resources, to: Self.generation(scratch).index)
        let index = try GenerationIndex(Self.generation(scratch))
        for resource in resources { #expect(try index.find(ResourceKey(WebURL(resource.url))) == resource) }
        #expect(try index.firstNumber(after: resources[1].url) == 2)
    }

    @Test func `listing continues after any text`() throws {
        let scratch = try Scratch()
        let resources = (0..<300).map { Self.resource($0 * 2) }
            .enumerated().map { number, resource in
                var resource = resource
                resource.number = UInt32(number)
                return resource
            }
        _ = try Self.write(resources, to: Self.generation(scratch).index)
        let index = try GenerationIndex(Self.generation(scratch))
        #expect(try index.firstNumber(after: "") == 0)
        #expect(try index.firstNumber(after: "http://d.example/p0000100") == 51)
        #expect(try index.firstNumber(after: "http://d.example/p0000101") == 51)
        #expect(try index.firstNumber(after: "http://e.example/") == 300)
        var first: UInt32?
        try index.forEach(from: 51) { resource in
            first = resource.number
            return false
        }
        #expect(first == 51)
    }

    /// A damaged index may find less or say that it is damaged; it never makes up a URL, and it never crashes.
    @Test func `a damaged index is never trusted beyond its bytes`() throws {
        let scratch = try Scratch()
        let resources = (0..<20).map { Self.resource($0) }
        _ = try Self.write(resources, to: Self.generation(scratch).index)
        let good = try scratch.read("packages/g/index")
        for position in good.indices {
            for value: UInt8 in [0, 0xFF, good[position] ^ 1, good[position] ^ 0x80] {
                var bytes = good
                bytes[position] = value
                try look(at: bytes, resources, scratch)
            }
        }
        for size in stride(from: 0, to: good.count, by: 3) { try look(at: Array(good[..<size]), resources, scratch) }
    }

    private func look(at bytes: [UInt8], _ resources: [IndexedResource], _ scratch: Scratch) throws {
        try scratch.write(bytes, to: "packages/g/index")
        let urls = try [0, 7, 19].map { try WebURL(resources[$0].url) }
        do throws(CacheError) {
            let index = try GenerationIndex(Self.generation(scratch))
            for url in urls {
                if let found = try index.find(ResourceKey(url)) { #expect(found.url == url.description) }
            }
            try index.forEach { _ in true }
            _ = try index.firstNumber(after: resources[9].url)
        } catch {
            #expect(error.code == .damaged)
        }
    }
}
