import AFCDelivery
import AFCText
import AFCURL
import Crypto
import Foundation
import TestSupport
import Testing

/// What is taken, and from where: digests, redirects, and the URL as it is written.
struct DigestTests {
    static let file = ServedFile(bytes: ServedFile.numbers(3_000_000))

    @Test func `a declared digest is verified, and shows that a package is unchanged`() async throws {
        let scratch = try Scratch()
        var declared = Self.file
        let digest = SHA256.hash(data: Self.file.bytes)
        let hexadecimal = Self.file.digest
        declared.fields = [("Repr-Digest", "sha-256=:\(Data(digest).base64EncodedString()):")]
        let right = declared
        declared.bytes[5] ^= 1
        let wrong = declared
        try await FaultyOrigin.run(answer: { request, _ in
            (request.target == "/wrong.zip" ? wrong : right).answer(request)
        }) { origin in
            try await Fetching.expectWhole(right, from: origin.base + "/right.zip", scratch.path("d"))
            let error = try await Fetching.failure(from: origin.base + "/wrong.zip", scratch.path("d"))
            #expect(error?.code == .digest)
            #expect(error?.message.hasSuffix("or the server declares a wrong digest") == true)
            let other = Fetching.options { $0.sha256 = String(repeating: "0", count: 64) }
            #expect(
                try await Fetching.failure(from: origin.base + "/right.zip", scratch.path("d"), options: other)?.code
                    == .digest
            )
            let url = try WebURL(origin.base + "/right.zip")
            let known = RemoteState(url: url, validator: Validator(entityTag: "\"old\""), size: 1, sha256: hexadecimal)
            try await Fetching.expectUnchanged(url, scratch.path("d"), options: Fetching.options { $0.known = known })
        }
    }

    @Test func `a known digest needs no request, and another digest sends no condition`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request) }) { origin in
            let url = try WebURL(origin.base + "/d.zip")
            let same = String(repeating: "a", count: 64)
            let known = RemoteState(url: url, validator: Validator(entityTag: "\"v1\""), size: 1, sha256: same)
            let wanted = Fetching.options {
                $0.known = known
                $0.sha256 = same
            }
            try await Fetching.expectUnchanged(url, scratch.path("d"), options: wanted)
            #expect(origin.requests.isEmpty)
            let digest = Self.file.digest
            let other = Fetching.options {
                $0.known = known
                $0.sha256 = digest
            }
            try await Fetching.expectWhole(Self.file, from: origin.base + "/d.zip", scratch.path("d"), options: other)
            #expect(origin.requests.map { $0["if-none-match"] } == [nil])
        }
    }

    @Test(arguments: [
        ("http://packages.example/x", "anyone on the network path can alter a package that is sent over http"),
        ("https://u:secret@packages.example/x", "other users of this machine can see a password in a URL"),
        ("ftp://packages.example/x", "which is neither http nor https"),
    ])
    func `a redirect to a forbidden place isn't followed`(location: String, sentence: String) async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in
            [.text("HTTP/1.1 302 Go\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")]
        }) { origin in
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"))
            #expect(error?.code == .refusedRedirect)
            #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test(arguments: ["/a%20b.zip", "/%E4.zip", "/a%7Cb%5B1%5D.zip?x=%25&y=a|b", "/a//b/%2e%2e.zip", "/ä.zip"])
    func `a URL is requested as it is written`(target: String) async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request) }) { origin in
            let url = try WebURL(origin.base + target)
            try await Fetching.expectWhole(Self.file, from: url.description, scratch.path("d"))
            #expect(origin.requests[0].target == String(url.description.dropFirst(origin.base.count)))
            #expect(origin.requests[0]["host"] == "127.0.0.1:\(origin.port)")
            #expect(origin.requests[0]["afcache-request-target"] == nil)
        }
    }
}
