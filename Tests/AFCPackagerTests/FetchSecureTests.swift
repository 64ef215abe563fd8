import AFCCaching
import AFCHTTP
import AFCOrigin
import AFCText
import AFCURL
import Foundation
import HTTPTypes
import TestOrigin
import TestSupport
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// Fetches over TLS, from an origin on this machine whose name no name server is asked for.
struct FetchSecureTests {
    private typealias Answer = TestOrigin.Answer

    /// Runs an origin and a fetcher that trusts it.
    private func withFetcher(
        _ routes: [String: [Answer]],
        protocols: [String] = ["h2", "http/1.1"],
        _ change: (inout HTTPFetcher.Options) -> Void = { _ in },
        _ body: (TestOrigin, HTTPFetcher) async throws -> Void
    ) async throws {
        try await TestOrigin.withSecureOrigin(routes, protocols: protocols) { origin, pem in
            try await withScratchFolder { folder in
                try write(pem, to: folder + "/roots.pem")
                var options = HTTPFetcher.Options.patient()
                // Where other tests keep the processors busy, a connection may idle for long between two requests.
                options.idleTimeout = .seconds(600)
                options.access.trustRoots = folder + "/roots.pem"
                options.namedHosts = ["docs.example"]
                options.localNames = ["docs.example"]
                change(&options)
                try await HTTPFetcher.withFetcher(options: options, names: .table([:])) { fetcher in
                    try await body(origin, fetcher)
                }
            }
        }
    }

    @Test func `HTTP/2 is used if it is offered, over one connection`() async throws {
        let routes = Dictionary(uniqueKeysWithValues: (0..<40).map { ("/\($0)", [Answer.text("body \($0)")]) })
        try await withFetcher(routes) { origin, fetcher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let fetched = try await fetcher.get(origin.base + "/\(number)")
                        #expect(fetched.text == "body \(number)")
                        #expect(fetched.head?.status == 200)
                        #expect(fetched.head?.fields[.contentType] == "text/plain")
                    }
                }
                try await group.waitForAll()
            }
            #expect(origin.requests.count == 40)
            #expect(origin.requests.allSatisfy { $0.version == "HTTP/2" })
            #expect(origin.requests.allSatisfy { $0.fields.contains(":authority: docs.example:\(origin.port)") })
            #expect(origin.connections == 1)
        }
    }

    @Test(arguments: [(["http/1.1"], true), ([], true), (["h2", "http/1.1"], false)])
    func `HTTP/1.1 is used where HTTP/2 isn't offered or wanted`(protocols: [String], wanted: Bool) async throws {
        try await withFetcher(["/": [.text("x")]], protocols: protocols, { $0.usesHTTP2 = wanted }) { origin, fetcher in
            let fetched = try await fetcher.get(origin.base + "/")
            #expect(fetched.text == "x")
            #expect(try await fetcher.get(origin.base + "/").text == "x")
            #expect(origin.requests.map(\.version) == ["HTTP/1.1", "HTTP/1.1"])
            // The second request may come before the first connection is back among those that idle.
            #expect(origin.connections <= 2)
        }
    }

    @Test(
        arguments: [
            ("/a;b=c,d@e!$&'()*+:~-._", "/a;b=c,d@e!$&'()*+:~-._"), ("/%7Ea%2F%c3", "/%7Ea%2F%c3"),
            ("//x//y", "//x//y"), ("/a?", "/a?"), ("/a|b%20c", "/a|b%20c"),
            ("/a?x={y}|[z]^`%20", "/a?x={y}|[z]^`%20"), ("/a%zz%41", "/a%zz%41"), ("/%E4", "/%E4"), ("", "/"),
        ],
        [["h2"], ["http/1.1"]]
    )
    func `a request's target is that of the URL`(target: (String, String), protocols: [String]) async throws {
        try await withFetcher([:], protocols: protocols) { origin, fetcher in
            let fetched = try await fetcher.get(origin.base + target.0)
            #expect(fetched.head?.status == 404)
            #expect(origin.targets == [target.1])
            #expect(origin.requests.allSatisfy { !$0.fields.contains { $0.contains("afcache-request-target") } })
        }
    }

    @Test func `a coding is removed over HTTP/2, up to its limit, and damage in it is a failure`() async throws {
        let python = "import gzip,sys; sys.stdout.buffer.write(gzip.compress(%@, 9, mtime=0))"
        func compressed(_ text: String) throws -> [UInt8] {
            try run("python3", "-c", python.replacing("%@", with: text))
        }
        let fields = [("Content-Encoding", "gzip")]
        let bytes = try compressed("b'<p>'*1000")
        let routes: [String: [Answer]] = [
            "/fine": [Answer(200, fields, body: bytes)],
            "/bomb": [Answer(200, fields, body: try compressed("bytes(50000000)"))],
            "/cut": [Answer(200, fields, body: Array(bytes.dropLast(12)))],
            "/bad": [Answer(200, fields, body: Array("no gzip at all".utf8))],
            "/other": [Answer(200, [("Content-Encoding", "compress")], body: Array("x".utf8))],
        ]
        for protocols in [["h2"], ["http/1.1"]] {
            try await withFetcher(routes, protocols: protocols) { origin, fetcher in
                let fine = try await fetcher.get(origin.base + "/fine")
                #expect(fine.text == String(repeating: "<p>", count: 1000))
                #expect(fine.head?.coding == "gzip")
                #expect(try await fetcher.failure(origin.base + "/bomb") == .expansion)
                #expect(try await fetcher.failure(origin.base + "/cut") == .truncated)
                #expect(try await fetcher.failure(origin.base + "/bad") == .coding("gzip"))
                #expect(try await fetcher.failure(origin.base + "/other") == .coding("compress"))
                // The connection, or the next one, goes on.
                #expect(try await fetcher.get(origin.base + "/fine").body.count == 3000)
            }
        }
    }

    @Test func `a truncated body is a failure over HTTP/2`() async throws {
        var routes: [String: [Answer]] = [:]
        let body = Array(repeating: UInt8(ascii: "x"), count: 1000)
        for (name, end) in [
            ("cut", Answer.End.cut(after: 500)), ("early", .early(after: 500)), ("none", .early(after: 0)),
        ] {
            for fields in [[], [("Content-Length", "1000")]] {
                var answer = Answer(200, fields, body: body)
                answer.end = end
                routes["/\(name)\(fields.count)"] = [answer]
            }
        }
        routes["/reset"] = [.reset]
        routes["/fine"] = [Answer(200, [("Content-Length", "1000")], body: body)]
        try await withFetcher(routes) { origin, fetcher in
            #expect(try await fetcher.failure(origin.base + "/cut0") == .truncated)
            #expect(try await fetcher.failure(origin.base + "/cut1") == .truncated)
            #expect(try await fetcher.failure(origin.base + "/early1") == .truncated)
            #expect(try await fetcher.failure(origin.base + "/none1") == .truncated)
            // Nothing says that there was more.
            #expect(try await fetcher.get(origin.base + "/early0").body.count == 500)
            let reset = try await fetcher.failure(origin.base + "/reset")
            guard case .connection = reset else {
                Issue.record("the failure is \(String(describing: reset))")
                return
            }
            // The connection that ended may not be known to have ended yet.
            let next = try await fetcher.failure(origin.base + "/fine")
            #expect(next?.isTransient ?? true)
        }
    }

    @Test func `over HTTP/2 a head with too many fields is named as such`() async throws {
        let routes: [String: [Answer]] = [
            "/many": [Answer(200, (0..<1100).map { ("X-\($0)", "y") }, body: [0x61])]
        ]
        try await withFetcher(routes) { origin, fetcher in
            let many = try await fetcher.failure(origin.base + "/many")
            #expect(many == .response("the response has more than 1024 fields"))
        }
    }

    @Test func `a request that a server didn't process may be repeated`() async throws {
        var refused = Answer()
        refused.end = .refused
        var gone = Answer()
        gone.end = .goAway
        let routes: [String: [Answer]] = ["/a": [refused, .text("a")], "/b": [gone, .text("b")]]
        try await withFetcher(routes) { origin, fetcher in
            let failure = try await fetcher.failure(origin.base + "/a")
            #expect(failure?.isTransient == true, "\(String(describing: failure))")
            #expect(try await fetcher.get(origin.base + "/a").text == "a")
            // The connection took no more requests, so this one has another at once.
            #expect(try await fetcher.get(origin.base + "/b").text == "b")
            #expect(origin.count(of: "/b") == 2)
        }
    }

    @Test func `streams and connections that end at any moment are transient failures`()
        async throws
    {
        let ends: [Answer.End] = [
            .whole, .refused, .goAway, .cut(after: 50), .early(after: 50), .cut(after: 0), .whole,
        ]
        var routes: [String: [Answer]] = [:]
        for number in 0..<210 {
            var answer = Answer(200, [("Content-Length", "100")], body: Array(repeating: 0x78, count: 100))
            answer.end = ends[number % ends.count]
            if number % 14 == 6 { answer.isReset = true }
            routes["/\(number)"] = [answer]
        }
        try await withFetcher(routes) { origin, fetcher in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<210 {
                    if number >= 16 { try await group.next() }
                    group.addTask {
                        switch try await fetcher.result(origin.base + "/\(number)") {
                        case .success(let fetched):
                            #expect(number % 7 == 0 || number % 14 == 13, "\(number)")
                            #expect(fetched.body.count == 100)
                        case .failure(let failure): #expect(failure.isTransient, "\(number): \(failure)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a malformed head ends its own stream only`() async throws {
        let bad: [(String, String)] = [("Upgrade", "h2,h2c"), ("Connection", "Upgrade"), ("Keep-Alive", "timeout=5")]
        var routes: [String: [Answer]] = ["/slow": [Answer(200, [], body: Array("slow".utf8), delay: .seconds(1))]]
        for (index, field) in bad.enumerated() { routes["/\(index)"] = [Answer(200, [field], body: [0x78])] }
        try await withFetcher(routes) { origin, fetcher in
            async let slow = fetcher.get(origin.base + "/slow")
            try await waitUntil("the origin is asked") { !origin.requests.isEmpty }
            for index in bad.indices {
                let failure = try await fetcher.failure(origin.base + "/\(index)")
                #expect(failure != nil, "\(bad[index])")
            }
            let fetched = try await slow
            #expect(fetched.text == "slow")
            #expect(origin.connections == 1)
        }
    }

    @Test func `an HTTP/2 connection on which nothing arrives is abandoned`() async throws {
        let routes: [String: [Answer]] = ["/never": [Answer(200, delay: .seconds(3600))], "/fine": [.text("x")]]
        try await withFetcher(routes, { $0.readTimeout = .seconds(5) }) { origin, fetcher in
            let failure = try await fetcher.failure(origin.base + "/never")
            #expect(failure != nil)
            let fetched = try await fetcher.get(origin.base + "/fine")
            #expect(fetched.text == "x")
            #expect(origin.connections == 2)
        }
    }

    @Test func `large bodies arrive whole, and unwanted ones are cut off`() async throws {
        let body = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
        for protocols in [["h2"], ["http/1.1"]] {
            try await withFetcher(["/": [Answer(200, [], body: body)]], protocols: protocols) { origin, fetcher in
                #expect(try await fetcher.get(origin.base + "/").body == body)
                var part = Fetched(limit: 1000)
                try await fetcher.fetch(FetchRequest(url: WebURL(origin.base + "/")), into: &part)
                #expect(part.body.count < body.count)
                #expect(try await fetcher.get(origin.base + "/").body == body)
            }
        }
    }

    @Test func `an origin must prove its identity unless verification is off`() async throws {
        try await withFetcher(["/": [.text("x")]], { $0.access.trustRoots = nil }) { origin, fetcher in
            let failure = try await fetcher.failure(origin.base + "/")
            guard case .tls = failure else {
                Issue.record("the failure is \(String(describing: failure))")
                return
            }
            #expect(failure?.isTransient == false)
            #expect(origin.requests.isEmpty)
        }
        // Whom the authority signed for is one host.
        let local: (inout HTTPFetcher.Options) -> Void = { options in
            options.localNames.append("other.example")
            options.namedHosts.insert("other.example")
        }
        try await withFetcher(["/": [.text("x")]], local) { origin, fetcher in
            guard case .tls = try await fetcher.failure("https://other.example:\(origin.port)/") else {
                Issue.record("another host's certificate was taken")
                return
            }
            #expect(origin.requests.isEmpty)
        }
        let insecure: (inout HTTPFetcher.Options) -> Void = { options in
            options.access.trustRoots = nil
            options.access.verifiesCertificates = false
        }
        try await withFetcher(["/": [.text("x")]], insecure) { origin, fetcher in
            let fetched = try await fetcher.get(origin.base + "/")
            #expect(fetched.text == "x")
            #expect(origin.requests.map(\.version) == ["HTTP/2"])
        }
    }

    /// The origin's certificate holds for two days from now on, and its authority isn't trusted.
    @Test(
        arguments: [
            (0, "the server's certificate is from an authority that this machine doesn't trust", ""),
            (30 * 86_400, "the server's certificate expired at 20", "Z, or this machine's clock is wrong"),
            (-30 * 86_400, "the server's certificate isn't valid before 20", "Z, or this machine's clock is wrong"),
        ] as [(Int64, String, String)]
    )
    func `the reason why a certificate isn't trusted is reported`(offset: Int64, start: String, end: String)
        async throws
    {
        let time = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970)) + offset
        try await withFetcher(["/": [.text("x")]], { ($0.access.trustRoots, $0.now) = (nil, time) }) {
            origin,
            fetcher in
            let failure = try await fetcher.failure(origin.base + "/")
            guard case .tls(let words) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(words.hasPrefix(start) && words.hasSuffix(end), "\(words)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a certificate for another host is reported as such`() async throws {
        let local: (inout HTTPFetcher.Options) -> Void = { options in
            options.localNames.append("other.example")
            options.namedHosts.insert("other.example")
        }
        try await withFetcher(["/": [.text("x")]], local) { origin, fetcher in
            let failure = try await fetcher.failure("https://other.example:\(origin.port)/")
            #expect(
                failure
                    == .tls(
                        "the server's certificate is for another host: for 'docs.example'; use its name, or tell the server's operator"
                    )
            )
        }
    }

    @Test func `a server without TLS is reported as such`() async throws {
        try await TestOrigin.withOrigin(["/": [.text("x")]]) { origin in
            var options = HTTPFetcher.Options.patient()
            options.access.allowsPrivate = true
            try await HTTPFetcher.withFetcher(options: options) { fetcher in
                let failure = try await fetcher.failure("https://127.0.0.1:\(origin.port)/")
                let sentence = "the server doesn't speak TLS at this port; use 'http://'"
                #expect(failure?.description.contains(sentence) == true)
            }
        }
    }

    @Test func `unreadable trust roots are reported with their file`() async throws {
        var options = HTTPFetcher.Options.patient()
        options.access.trustRoots = "/nowhere/roots.pem"
        let error = await #expect(throws: PackagingError.self) {
            try await HTTPFetcher.withFetcher(options: options) { _ in }
        }
        #expect(error?.subject == "/nowhere/roots.pem")
        #expect(error?.message.hasPrefix("the file contains no valid certificates in PEM format") == true)
    }
}
