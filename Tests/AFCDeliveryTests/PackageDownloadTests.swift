import AFCCaching
import AFCDelivery
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import TestOrigin
import TestSupport
import Testing

/// Downloads from a real socket, with the faults that servers and connections have.
struct PackageDownloadTests {
    typealias Answer = TestOrigin.Answer

    static let bytes = Array((0..<5000).map { String($0) }.joined(separator: " ").utf8)
    static let tag = ("ETag", "\"v1\"")

    static func options(_ change: (inout PackageDownload.Options) -> Void = { _ in }) -> PackageDownload.Options {
        var options = PackageDownload.Options.patient(
            userAgent: "test/1",
            now: Timestamp(secondsSinceEpoch: 1_700_000_000)
        )
        options.pause = .milliseconds(5)
        change(&options)
        return options
    }

    /// The answer that says how long it is and ends before that.
    static func cut(_ count: Int, _ fields: [(name: String, value: String)] = [tag]) -> Answer {
        Answer(200, fields + [("Content-Length", String(bytes.count))], body: Array(bytes[..<count]), closes: true)
    }

    static func rest(from start: Int, _ fields: [(name: String, value: String)] = [tag]) -> Answer {
        let range = ("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
        return Answer(206, fields + [range], body: Array(bytes[start...]))
    }

    static func fetch(
        _ answers: [Answer],
        _ scratch: Scratch,
        options: PackageDownload.Options = options(),
        _ check: (Result<PackageDownload.Outcome, DeliveryError>, TestOrigin) throws -> Void
    ) async throws {
        try await TestOrigin.withOrigin(["/docs.zip": answers]) { origin in
            let url = try WebURL(origin.base + "/docs.zip")
            let result: Result<PackageDownload.Outcome, DeliveryError>
            do throws(DeliveryError) {
                result = .success(
                    try await PackageDownload.fetch(url, into: scratch.path("downloads"), options: options)
                )
            } catch {
                result = .failure(error)
            }
            try check(result, origin)
        }
    }

    static func expectWhole(_ result: Result<PackageDownload.Outcome, DeliveryError>) throws {
        guard case .success(.arrived(let package)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: package.path))) == bytes)
        #expect(package.state.size == Int64(bytes.count))
        package.discard()
        #expect(!FileManager.default.fileExists(atPath: package.path))
    }

    private static func field(_ name: String, _ origin: TestOrigin, _ request: Int) -> String? {
        origin.requests[request].fields.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test func `a package arrives unchanged`() async throws {
        try await Self.fetch([Answer(200, [Self.tag], body: Self.bytes)], try Scratch()) { result, origin in
            try Self.expectWhole(result)
            #expect(Self.field("Accept-Encoding", origin, 0) == "identity")
            #expect(Self.field("Range", origin, 0) == nil)
        }
    }

    @Test func `an interrupted download is resumed where it ended`() async throws {
        try await Self.fetch([Self.cut(1000), Self.rest(from: 1000)], try Scratch()) { result, origin in
            try Self.expectWhole(result)
            #expect(Self.field("Range", origin, 1) == "bytes=1000-")
            #expect(Self.field("If-Range", origin, 1) == "\"v1\"")
        }
    }

    @Test func `a process doesn't request again what an earlier one received`() async throws {
        let scratch = try Scratch()
        try await TestOrigin.withOrigin(["/docs.zip": [Self.cut(3000), Self.rest(from: 3000)]]) { origin in
            let url = try WebURL(origin.base + "/docs.zip")
            let folder = scratch.path("downloads")
            await #expect(throws: DeliveryError.self) {
                _ = try await PackageDownload.fetch(url, into: folder, options: Self.options { $0.retries = 0 })
            }
            // What was not synced doesn't count, as after a power cut: the file is longer than the state says.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let name = try #require(names.first { $0.hasSuffix(".part") })
            var part = try scratch.read("downloads/" + name)
            part += [0, 0, 0]
            try scratch.write(part, to: "downloads/" + name)
            let outcome = try await PackageDownload.fetch(url, into: folder, options: Self.options())
            try Self.expectWhole(.success(outcome))
            #expect(Self.field("Range", origin, 1) == "bytes=3000-")
        }
    }

    @Test func `a server that has a new version or ignores ranges sends all of it`() async throws {
        let answers = [Self.cut(1000), Answer(200, [("ETag", "\"v2\"")], body: Self.bytes)]
        try await Self.fetch(answers, try Scratch()) { result, _ in try Self.expectWhole(result) }
    }

    @Test func `without a strong validator everything is requested again`() async throws {
        let weak = [("ETag", "W/\"v1\"")]
        let answers = [Self.cut(1000, weak), Answer(200, weak, body: Self.bytes)]
        try await Self.fetch(answers, try Scratch()) { result, origin in
            try Self.expectWhole(result)
            #expect(Self.field("Range", origin, 1) == nil)
        }
    }

    @Test func `a part from another position in the package is rejected`() async throws {
        let answers = [Self.cut(1000), Self.rest(from: 900), Answer(200, [Self.tag], body: Self.bytes)]
        try await Self.fetch(answers, try Scratch()) { result, origin in
            try Self.expectWhole(result)
            #expect(Self.field("Range", origin, 2) == nil)
        }
    }

    @Test func `416 with the size of the partial file means that nothing is missing`() async throws {
        let complete = Answer(416, [("Content-Range", "bytes */\(Self.bytes.count)")])
        // The length isn't said, so only the end of the connection tells; the next request asks beyond the end.
        let scratch = try Scratch()
        let unknown = Answer(200, [Self.tag], body: Self.bytes, closes: true)
        try await TestOrigin.withOrigin(["/docs.zip": [unknown, complete]]) { origin in
            let url = try WebURL(origin.base + "/docs.zip")
            for _ in 0..<2 {
                let outcome = try await PackageDownload.fetch(url, into: scratch.path("d"), options: Self.options())
                guard case .arrived(let package) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(package.state.size == Int64(Self.bytes.count))
            }
            #expect(Self.field("Range", origin, 1) == "bytes=\(Self.bytes.count)-")
        }
    }

    @Test func `a known package is requested with its validators, and 304 ends it`() async throws {
        let scratch = try Scratch()
        let modified = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        try await TestOrigin.withOrigin(
            [
                "/docs.zip": [
                    Answer(200, [Self.tag, modified], body: Self.bytes), Answer(304), Answer(200, body: Self.bytes),
                ]
            ]
        ) { origin in
            let url = try WebURL(origin.base + "/docs.zip")
            let first = try await PackageDownload.fetch(url, into: scratch.path("d"), options: Self.options())
            guard case .arrived(let package) = first else { return }
            package.discard()
            let known = try #require(RemoteState(text: package.state.text))
            #expect(known == package.state)
            for request in 1...2 {
                let options = Self.options { $0.known = known }
                let outcome = try await PackageDownload.fetch(url, into: scratch.path("d"), options: options)
                guard case .unchanged = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(Self.field("If-None-Match", origin, request) == "\"v1\"")
                #expect(Self.field("If-Modified-Since", origin, request) == modified.1)
            }
        }
    }

    @Test func `a wrong digest is an error, and nothing of the package is kept`() async throws {
        let scratch = try Scratch()
        let options = Self.options { $0.sha256 = String(repeating: "0", count: 64) }
        try await Self.fetch([Answer(200, [Self.tag], body: Self.bytes)], scratch, options: options) { result, _ in
            guard case .failure(let error) = result else {
                Issue.record("it arrived")
                return
            }
            #expect(error.code == .digest)
            #expect(error.message.contains("not 0000"))
        }
        #expect(!scratch.names.contains { $0.hasSuffix(".part") })
    }

    @Test func `a temporary failure is retried, but not forever`() async throws {
        let busy = Answer(503, [("Retry-After", "0")])
        try await Self.fetch([busy, .reset, Answer(200, body: Self.bytes)], try Scratch()) { result, origin in
            try Self.expectWhole(result)
            #expect(origin.requests.count == 3)
        }
        try await Self.fetch([busy], try Scratch(), options: Self.options { $0.retries = 2 }) { result, origin in
            guard case .failure(let error) = result else { return }
            #expect(error.code == .connection)
            #expect(error.message == "the server answered 503, 3 times")
            #expect(origin.requests.count == 3)
        }
        try await Self.fetch([Answer(404)], try Scratch()) { result, origin in
            guard case .failure(let error) = result else { return }
            #expect(error.code == .status(404))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `a server that sends nothing or too much is abandoned`() async throws {
        let silent = Answer(200, body: Self.bytes, delay: .seconds(3600))
        let impatient = Self.options {
            $0.readTimeout = .milliseconds(200)
            $0.retries = 1
        }
        try await Self.fetch([silent], try Scratch(), options: impatient) { result, _ in
            guard case .failure(let error) = result else { return }
            #expect(error.code == .timeout)
        }
        for answer in [Answer(200, body: Self.bytes), Answer(200, body: Self.bytes, closes: true)] {
            try await Self.fetch([answer], try Scratch(), options: Self.options { $0.maxBytes = 100 }) { result, _ in
                guard case .failure(let error) = result else { return }
                #expect(error.code == .tooLarge)
            }
        }
    }

    @Test func `redirects are followed, but not in a circle`() async throws {
        try await TestOrigin.withOrigin([
            "/a": [.redirect("/b", status: 302)], "/b": [Answer(200, body: Self.bytes)], "/loop": [.redirect("/loop")],
        ]) { origin in
            let scratch = try Scratch()
            let url = try WebURL(origin.base + "/a")
            try Self.expectWhole(
                .success(try await PackageDownload.fetch(url, into: scratch.path("d"), options: Self.options()))
            )
            let loop = try WebURL(origin.base + "/loop")
            await #expect(throws: DeliveryError.self) {
                _ = try await PackageDownload.fetch(loop, into: scratch.path("d"), options: Self.options())
            }
            #expect(origin.count(of: "/loop") == 11)
        }
    }

    @Test(arguments: [
        ("http://packages.example/docs.zip", "anyone on the network path can alter a package that is sent over http"),
        ("ftp://packages.example/docs.zip", "only https and http URLs are supported"),
        ("https://u:p@packages.example/docs.zip", "other users of this machine can see a password in a URL"),
    ])
    func `packages aren't downloaded from everywhere`(text: String, sentence: String) async throws {
        let scratch = try Scratch()
        let url = try WebURL(text)
        do throws(DeliveryError) {
            _ = try await PackageDownload.fetch(url, into: scratch.path("d"), options: Self.options())
            Issue.record("it was asked for")
        } catch {
            #expect(error.code == .badURL)
            #expect(error.message.hasPrefix(sentence))
        }
    }
}
