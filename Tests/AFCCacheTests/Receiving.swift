import AFCCache
import AFCCaching
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport

/// What tests of received responses do again and again.
enum Receiving {
    static func response(
        _ status: Int = 200,
        fields: HTTPFields = [:],
        request: HTTPFields = [:],
        at time: Timestamp = PackagesTests.now
    ) -> StoredResponse {
        StoredResponse(
            status: status,
            fields: fields,
            size: 0,
            received: time,
            requestFields: request,
            requested: time - 1,
            source: .received
        )
    }

    static func begin(
        _ cache: DiskCache,
        _ url: WebURL,
        fields: HTTPFields = [:],
        request: HTTPFields = [:],
        at time: Timestamp = PackagesTests.now,
        replacing: [ReceivedID] = []
    ) throws -> ReceivedBody {
        try cache.receive(response(fields: fields, request: request, at: time), for: url, replacing: replacing)
    }

    @discardableResult
    static func put(
        _ cache: DiskCache,
        _ url: WebURL,
        _ text: String,
        fields: HTTPFields = [:],
        at time: Timestamp = PackagesTests.now
    ) throws -> StoredCandidate {
        let body = try begin(cache, url, fields: fields, at: time)
        try write(text, to: body)
        return try body.finish()
    }

    static func write(_ bytes: some Sequence<UInt8>, to body: ReceivedBody) throws {
        try Array(bytes).withUnsafeBytes { try body.write($0) }
    }

    static func write(_ text: String, to body: ReceivedBody) throws { try write(text.utf8, to: body) }

    static func bytes(_ cache: DiskCache, _ candidate: StoredCandidate) throws -> [UInt8] {
        let body = try cache.body(of: candidate)
        var bytes = [UInt8](repeating: 0, count: Int(body.size) + 10)
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return Array(bytes[..<count])
    }

    static func text(_ cache: DiskCache, _ candidate: StoredCandidate) throws -> String {
        String(decoding: try bytes(cache, candidate), as: UTF8.self)
    }

    static func bodies(_ cache: DiskCache, _ url: WebURL) throws -> [String] {
        try cache.candidates(for: url).map { try text(cache, $0) }
    }

    struct Answer: Equatable {
        var status: Int
        var text: String?
    }

    static func answer(
        _ cache: DiskCache,
        _ url: WebURL,
        _ fields: HTTPFields = [:],
        at time: Timestamp = PackagesTests.now
    ) throws -> Answer {
        let request = OfflineRequest(url: url, fields: fields)
        let response = try cache.respond(to: request, now: time, policy: OfflinePolicy())
        var text: String?
        if let body = response.body {
            var bytes = [UInt8](repeating: 0, count: Int(body.size))
            let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
            text = String(decoding: bytes[..<count], as: UTF8.self)
        }
        return Answer(status: response.resolution.status.code, text: text)
    }

    /// The files of large bodies.
    static func files(_ scratch: Scratch, store: String = "store") -> [String] {
        let folder = scratch.path(store + "/received")
        let names = FileManager.default.subpaths(atPath: folder) ?? []
        return names.filter { $0.count > 2 }.map { folder + "/" + $0 }.sorted()
    }
}

/// Something that a test didn't foresee.
struct Unexpected: Error {
    var value: String

    init(_ value: some Any) { self.value = "\(value)" }
}
