import AFCHTTP
import AFCOrigin
import AFCPackageFile
import AFCURL
import TestOrigin
import TestSites
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// One site over http, https with HTTP/1.1 and https with HTTP/2: the scheme doesn't decide what a body is.
@Suite(.timeLimit(.minutes(10))) struct SchemeCrawlTests {
    private let now = Timestamp(secondsSinceEpoch: 1_000_000_000)

    /// The ways in which bodies are coded: not at all, gzip, several members of it (RFC 1952 §2.2), zlib's deflate and bare
    /// deflate (RFC 9110 §8.4.1.2).
    private static let codings = [nil, "gzip", "gzip", "deflate", "deflate"]
    private static let coder = """
        import gzip, sys, zlib
        def bare(b):
            c = zlib.compressobj(9, zlib.DEFLATED, -15)
            return c.compress(b) + c.flush()
        def members(b):
            return b''.join(gzip.compress(b[i:i + 7000], 9, mtime=0) for i in range(0, max(1, len(b)), 7000))
        ways = [lambda b: b, lambda b: gzip.compress(b, 9, mtime=0), members, zlib.compress, bare]
        for number, line in enumerate(open(sys.argv[1])):
            print(ways[number % 5](bytes.fromhex(line.strip())).hex())
        """
    /// What a package has, by its members; with the port, the scheme and digests of URLs taken out.
    private static let dump = """
        import re, sys, zipfile
        archive = zipfile.ZipFile(sys.argv[1])
        for name in archive.namelist():
            content = archive.read(name)
            if name == '.afcache/crawl.json': content = re.sub(rb'[0-9a-f]{64}', b'DIGEST', content)
            for part in (name.encode(), content):
                # A digest of a body may have the same digits.
                port = rb'(?<![0-9a-f])%s(?![0-9a-f])' % sys.argv[2].encode()
                part = re.sub(port, b'PORT', part).replace(b'https', b'http')
                part = re.sub(rb'~[0-9a-f]{12}\\b', b'~HASH', part)
                sys.stdout.buffer.write(b'%d ' % len(part) + part)
        """

    /// The site, each body coded in another way than the one before.
    private func routes(_ folder: String) throws -> [String: [TestOrigin.Answer]] {
        var routes = RequirementSite.routes(origin: "http://elsewhere.example").map { route in
            // A reference such as 'http:/path' is relative on pages of the same scheme alone (URL Standard §4.4).
            let text = String(validating: route.body, as: UTF8.self)
            let body = text.map { Array($0.replacing("=http:/r/", with: "=/r/").utf8) } ?? route.body
            return (path: route.path, answer: TestOrigin.Answer(route.status, route.fields, body: body))
        }
        // Longer than a member, a record of TLS, a frame and a piece.
        let large = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        for number in 0..<5 {
            let answer = TestOrigin.Answer(200, [("Content-Type", "image/png")], body: large)
            routes.append((path: "/large\(number).png", answer: answer))
        }
        let images = (0..<5).map { "<img src=\"/large\($0).png\">" }.joined()
        for index in routes.indices where routes[index].path == RequirementSite.seed {
            routes[index].answer.body += Array(images.utf8)
        }
        try write(routes.map { Hex.text($0.answer.body) }.joined(separator: "\n"), to: folder + "/bodies")
        try write(Self.coder, to: folder + "/coder.py")
        let coded = try run("python3", folder + "/coder.py", folder + "/bodies")
        let lines = String(decoding: coded, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var answers: [String: [TestOrigin.Answer]] = [:]
        for (number, route) in routes.enumerated() {
            var answer = route.answer
            if let coding = Self.codings[number % 5], answer.status == 200 {
                answer.fields.append(("Content-Encoding", coding))
                answer.body = Hex.bytes(lines[number])
            }
            answers[route.path.replacing("|", with: "%7C")] = [answer]
        }
        return answers
    }

    /// Packs the site, and gives the package's path.
    private func pack(_ origin: TestOrigin, _ name: String, _ fetching: HTTPFetcher.Options) async throws {
        let now = now
        let scheme = fetching.access.trustRoots == nil ? "http" : "https"
        let seed = try WebURL("\(scheme)://docs.example:\(origin.port)/")
        var options = CrawlOptions(seeds: [seed], now: { now })
        options.usesSitemaps = true
        options.pinnedTime = now
        options.retries.backoff = .milliseconds(1)
        let output = Packaging.Output(path: name, created: now, generator: "test")
        let (summary, report) = try await Packaging.pack(options, fetching: fetching, to: output)
        #expect(report.failures.map { "\($0.url.requestTarget) \($0.reason)" } == [])
        let count = summary?.resources ?? 0
        #expect(count > 50)
    }

    @Test func `a site gives the same package over http and https, whatever the version and the codings`() async throws
    {
        try await withScratchFolder { folder in
            let routes = try routes(folder)
            var fetching = HTTPFetcher.Options.patient()
            fetching.localNames = ["docs.example"]
            var dumps: [[UInt8]] = []
            try write(Self.dump, to: folder + "/dump.py")
            try await TestOrigin.withOrigin(routes) { origin in
                try await pack(origin, folder + "/http.zip", fetching)
                dumps.append(try run("python3", folder + "/dump.py", folder + "/http.zip", "\(origin.port)"))
            }
            try await TestOrigin.withSecureOrigin(routes) { origin, pem in
                try write(pem, to: folder + "/roots.pem")
                fetching.access.trustRoots = folder + "/roots.pem"
                for usesHTTP2 in [false, true] {
                    fetching.usesHTTP2 = usesHTTP2
                    let path = folder + "/https\(usesHTTP2 ? 2 : 1).zip"
                    let before = origin.requests.count
                    try await pack(origin, path, fetching)
                    let versions = Set(origin.requests[before...].map(\.version))
                    #expect(versions == [usesHTTP2 ? "HTTP/2" : "HTTP/1.1"])
                    dumps.append(try run("python3", folder + "/dump.py", path, "\(origin.port)"))
                }
            }
            // Not the dumps themselves, of which a failure would print megabytes.
            let isSame = dumps[0] == dumps[1]
            #expect(isSame)
            let isSameOverHTTP2 = dumps[1] == dumps[2]
            #expect(isSameOverHTTP2)
            let packages = try ["1", "2"].map { try run("cat", folder + "/https\($0).zip") }
            let isSameFile = packages[0] == packages[1]
            #expect(isSameFile)
        }
    }
}

private enum Hex {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
