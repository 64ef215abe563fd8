import AFCCaching
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestSupport

@testable import AFCCache
@testable import AFCServer

/// A store in memory whose bodies are real files.
struct FakeCache: OfflineAnswering {
    struct Failure: Error {}

    var responses: [String: (StoredResponse, String)] = [:]
    var fails = false
    private let scratch: Scratch
    var folder: URL { URL(fileURLWithPath: scratch.path) }

    /// When everything in it was received: 2026-11-21T10:00:00Z.
    static let received = Timestamp(secondsSinceEpoch: 1_795_255_200)

    init() throws {
        scratch = try Scratch()
    }

    mutating func add(_ url: String, _ body: String, status: Int = 200, _ fields: [(String, String)] = []) throws {
        let file = folder.appending(path: "body-\(responses.count)")
        try Data(body.utf8).write(to: file)
        try add(url, file: file, size: Int64(body.utf8.count), status: status, fields)
    }

    mutating func add(
        _ url: String,
        file: URL,
        size: Int64,
        status: Int = 200,
        _ fields: [(String, String)] = []
    ) throws {
        var all = HTTPFields()
        for (name, value) in fields {
            guard let name = HTTPField.Name(name) else { throw Failure() }
            all.append(HTTPField(name: name, value: value))
        }
        let response = StoredResponse(status: status, fields: all, size: size, received: Self.received)
        responses[try WebURL(url).description] = (response, file.path)
    }

    func requireServable() throws(CacheError) {}

    func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer? {
        guard case .url = lookUp else { return nil }
        guard !fails else { throw CacheError(.inputOutput, subject: folder.path, message: "cannot be read") }
        let found = responses[request.url.description]
        let asked = CacheRequest(method: request.method, fields: request.fields)
        let stored = found.map { [$0.0] } ?? []
        let resolution = OfflineDecision.decide(asked, stored: stored, now: now, policy: policy).resolution
        guard let found, resolution.body != .none else { return CacheAnswer(resolution: resolution) }
        let descriptor = open(found.1, O_RDONLY)
        guard descriptor >= 0 else { throw CacheError(.damaged, subject: found.1, message: "is missing") }
        let body = StoredBody(descriptor: descriptor, size: found.0.size, path: found.1, remedy: "load it again")
        return CacheAnswer(resolution: resolution, body: body)
    }

    func packages() -> [InstalledPackage] {
        [
            InstalledPackage(
                name: "docs <1>.zip",
                resources: 12,
                bodyBytes: 34_500,
                loaded: Self.received,
                created: nil,
                generator: nil,
                seeds: []
            )
        ]
    }

    func origins() -> [OriginSummary] {
        [
            OriginSummary(
                origin: "http://docs.example",
                host: "docs.example",
                resources: 11,
                bytes: 34_000,
                start: try? WebURL("http://docs.example/guide/?a=1&b=2")
            ),
            OriginSummary(
                origin: "https://docs.example:8443",
                host: "docs.example",
                resources: 1,
                bytes: 500,
                start: nil
            ),
        ]
    }

    func packages(withHost host: String) -> [String] { host == "docs.example" ? ["docs <1>.zip"] : [] }
    func packages(withOrigin origin: String) -> [String] { [] }
    func origins(beside origin: String) -> [String] { [] }
    func resources(after: WebURL?, limit: Int) -> [ResourceSummary] { [] }
    func contains(_ url: WebURL) -> Bool { responses[url.description] != nil }
    func openChangeReader() -> ChangeReader? { nil }
    func changeMark() -> UInt64 { 0 }
}
