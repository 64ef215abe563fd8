import AFCCache
import AFCCaching
import AFCHTTP
import AFCPackageFormat
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Responses that were received from origins: kept, found, changed, and seen by others.
struct ReceivedTests {
    static let now = PackagesTests.now

    @Test func `a response is found as soon as its body is whole, and after the store is opened again`() throws {
        let scratch = try Scratch()
        let url = try WebURL("http://r.example/a")
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            let body = try Receiving.begin(cache, url)
            try Receiving.write("half ", to: body)
            #expect(try cache.candidates(for: url).isEmpty)
            try Receiving.write("and half", to: body)
            let finished = try body.finish()
            #expect(finished.response.size == 13)
            #expect(try Receiving.bodies(cache, url) == ["half and half"])
            try cache.close()
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let found = try #require(try cache.candidates(for: url).first)
        #expect(try Receiving.text(cache, found) == "half and half")
        #expect(found.response.status == 200)
        #expect(found.response.received == Self.now)
        #expect(found.response.requested == Self.now - 1)
        #expect(found.response.source == .received)
        #expect(!found.response.isInvalidated)
        // printf 'half and half' | sha256sum
        #expect(found.response.sha256 == "c26d7757b5540ad43f288bc4d70a80e2f57e737b368103aebe1487738599b8bd")
    }

    @Test(arguments: [0, 1, 16 << 10, (16 << 10) + 1, 3_000_000])
    func `a body of any size is read back unchanged, also while it grows`(size: Int) throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let body = try Receiving.begin(cache, url)
        for start in stride(from: 0, to: size, by: 7001) {
            try Receiving.write(bytes[start..<min(size, start + 7001)], to: body)
            let end = min(size, start + 7001)
            var read = [UInt8](repeating: 0, count: 8000)
            let from = max(0, end - 7500)
            let count = try read.withUnsafeMutableBytes { try body.read(into: $0, at: Int64(from)) }
            #expect(Array(read[..<count]) == Array(bytes[from..<end]))
        }
        #expect(body.written == Int64(size))
        _ = try body.finish()
        #expect(try Receiving.bytes(cache, try cache.candidates(for: url)[0]) == bytes)
        try cache.close()
        let other = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try Receiving.bytes(other, try other.candidates(for: url)[0]) == bytes)
    }

    @Test func `field values keep their bytes, also those that aren't UTF-8`() throws {
        let scratch = try Scratch()
        let url = try WebURL("http://r.example/a")
        let name = try #require(HTTPField.Name("X-Name"))
        let values: [[UInt8]] = [[0x4D, 0xFC, 0x6C, 0x6C], Array("Müll".utf8), [0xFF, 0x80], []]
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            var fields = HTTPFields()
            for value in values { fields.append(HTTPField(name: name, lenientValue: value)) }
            _ = try Receiving.begin(cache, url, fields: fields).finish()
            try cache.close()
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let fields = try cache.candidates(for: url)[0].response.fields
        #expect(fields.map { $0.withUnsafeBytesOfValue { Array($0) } } == values)
        #expect(fields.allSatisfy { $0.name.rawName == "X-Name" })
    }

    @Test func `variants are stored side by side, and a variant replaces its predecessor`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        func put(_ text: String, _ language: String?, at time: Int64, vary: String = "Accept-Language") throws {
            var request = HTTPFields()
            request[.acceptLanguage] = language
            request[.authorization] = "Basic YTpi"
            let fields: HTTPFields = [.vary: vary]
            let body = try Receiving.begin(cache, url, fields: fields, request: request, at: Self.now + time)
            try Receiving.write(text, to: body)
            _ = try body.finish()
        }
        try put("one", "de", at: 0)
        try put("two", "fr", at: 1)
        try put("none", nil, at: 2)
        try put("three", "de", at: 3)
        #expect(try Receiving.bodies(cache, url) == ["three", "none", "two"])
        let kept = try cache.candidates(for: url).map { $0.response.requestFields }
        #expect(kept == [[.acceptLanguage: "de"], [:], [.acceptLanguage: "fr"]])
        #expect(try Receiving.answer(cache, url, [.acceptLanguage: "fr"]).text == "two")
        #expect(try Receiving.answer(cache, url, [:]).text == "none")
        #expect(try Receiving.answer(cache, url, [.acceptLanguage: "it"]).status == 504)
        try put("star", "it", at: 4, vary: "*")
        #expect(try Receiving.answer(cache, url, [.acceptLanguage: "it"]).status == 504)
        #expect(try Receiving.answer(cache, url, [.acceptLanguage: "de"]).text == "three")
    }

    @Test func `the 32 most recent variants of a URL are kept`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        for number in 0..<40 {
            let request: HTTPFields = [.userAgent: "agent/\(number)"]
            let time = Self.now + Int64(number)
            _ = try Receiving.begin(cache, url, fields: [.vary: "User-Agent"], request: request, at: time).finish()
        }
        let agents = try cache.candidates(for: url).map { $0.response.requestFields?[.userAgent] }
        #expect(agents == (8..<40).reversed().map { "agent/\($0)" })
        try cache.flushReceived()
        #expect(try cache.info().received == 32)
    }

    @Test func `a response named as replaced is removed when the new one is complete`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        let request: HTTPFields = [.acceptLanguage: "de"]
        let first = try Receiving.begin(cache, url, fields: [.vary: "Accept-Language"], request: request).finish()
        guard case .received(let id) = first.origin else { throw Unexpected(first.origin) }
        let body = try Receiving.begin(cache, url, at: Self.now + 1, replacing: [id])
        #expect(try cache.candidates(for: url).count == 1)
        let second = try body.finish()
        #expect(try cache.candidates(for: url).map(\.origin) == [second.origin])
    }

    @Test(arguments: [
        ([200, 200], [200]), ([200, 404], [404]), ([404, 200], [200]), ([200, 503], [503, 200]),
        ([200, 503, 502], [502, 200]), ([503, 200], [200]), ([200, 206], [206, 200]), ([206, 206], [206, 206]),
        ([206, 200], [200, 206]),
    ])
    func `an error keeps the last good response, and a part the whole one`(statuses: [Int], left: [Int]) throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        for (number, status) in statuses.enumerated() {
            let response = Receiving.response(status, at: Self.now + Int64(number))
            _ = try cache.receive(response, for: url).finish()
        }
        #expect(try cache.candidates(for: url).map(\.response.status) == left)
        try cache.close()
        let reader = try DiskCache(path: scratch.path("store"), access: .readOnly)
        #expect(try reader.candidates(for: url).map(\.response.status) == left)
    }

    @Test func `a new head keeps the body, and a removed response stays removed`() throws {
        let scratch = try Scratch()
        let url = try WebURL("http://r.example/a")
        do {
            let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
            let body = try Receiving.begin(cache, url)
            try Receiving.write("body", to: body)
            let candidate = try body.finish()
            guard case .received(let id) = candidate.origin else { throw Unexpected(candidate.origin) }
            var response = candidate.response
            response.fields = [.eTag: "\"2\""]
            response.received = Self.now + 60
            response.size = 77
            try cache.update(id, response)
            #expect(try cache.candidates(for: url)[0].response.fields[.eTag] == "\"2\"")
            let gone = try WebURL("http://r.example/gone")
            let other = try Receiving.begin(cache, gone).finish()
            guard case .received(let otherID) = other.origin else { throw Unexpected(other.origin) }
            try cache.remove([otherID])
            try cache.update(otherID, other.response)
            #expect(try cache.candidates(for: gone).isEmpty)
            try cache.close()
        }
        let cache = try DiskCache(path: scratch.path("store"), access: .readOnly)
        let found = try cache.candidates(for: url)[0]
        #expect(found.response.fields == [.eTag: "\"2\""])
        #expect(found.response.received == Self.now + 60)
        #expect(found.response.size == 4)
        #expect(try Receiving.text(cache, found) == "body")
    }

    @Test func `an abandoned body leaves nothing, and its readers may read on`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        let body = try Receiving.begin(cache, url)
        try Receiving.write([UInt8](repeating: 7, count: 100_000), to: body)
        #expect(Receiving.files(scratch).count == 1)
        body.abandon()
        #expect(Receiving.files(scratch).isEmpty)
        var read = [UInt8](repeating: 0, count: 10)
        #expect(try read.withUnsafeMutableBytes { try body.read(into: $0, at: 99_990) } == 10)
        #expect(read == [UInt8](repeating: 7, count: 10))
        #expect(throws: CacheError.self) { try body.finish() }
        #expect(throws: CacheError.self) { try Receiving.write("more", to: body) }
        _ = try Receiving.begin(cache, url)
        #expect(try cache.candidates(for: url).isEmpty)
    }

    @Test func `cookies are kept unless the caller omits them`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        let fields: HTTPFields = [.setCookie: "a=b", .server: "s"]
        _ = try cache.receive(Receiving.response(fields: fields), for: url).finish()
        #expect(try cache.candidates(for: url)[0].response.fields == fields)
    }

    @Test func `a Date in the future doesn't hide a response that is received later`() throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let url = try WebURL("http://r.example/a")
        func put(_ text: String, date: String, agent: String, at time: Int64) throws {
            let fields: HTTPFields = [.date: date, .vary: "User-Agent"]
            let request: HTTPFields = [.userAgent: agent]
            let body = try Receiving.begin(cache, url, fields: fields, request: request, at: Self.now + time)
            try Receiving.write(text, to: body)
            _ = try body.finish()
        }
        // 1700000000 is Tue, 14 Nov 2023 22:13:20 GMT.
        try put("future", date: "Fri, 01 Jan 2100 00:00:00 GMT", agent: "a", at: 0)
        try put("later", date: "Tue, 14 Nov 2023 22:13:30 GMT", agent: "b", at: 10)
        try put("past", date: "Tue, 14 Nov 2023 22:13:00 GMT", agent: "c", at: 20)
        #expect(try Receiving.bodies(cache, url) == ["later", "future", "past"])
    }
}
