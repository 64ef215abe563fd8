import Foundation
import TestSupport
import Testing

/// curl and CONNECT: to origins, to where no proxy leads, and to the store under the local authority.
@Suite(.fewAtOnce)
struct CurlTunnelTests {
    @Test func `a tunnel connects to the origin's own TLS without inspecting it`() async throws {
        let identity = try await Identity()
        try await PythonOrigin.run(identity) { origin in
            try await Served.proxy { served in
                let url = "https://localhost:\(origin.port)/a?Cache-Control=max-age=600"
                for number in 1...2 {
                    let answer = try await curl("--proxy", served.base, "--cacert", identity.certificate, url)
                    #expect(answer.text == "/a \(number)\n", "\(answer.errors)")
                    #expect(answer["Cache-Status"] == nil)
                    #expect(answer["Via"] == nil)
                }
                let stranger = try await Identity()
                let refused = try await curl("--proxy", served.base, "--cacert", stranger.certificate, url)
                #expect(refused.exit == 60, "the client itself checks the origin's certificate")
                let large = try await curl(
                    "--proxy",
                    served.base,
                    "--cacert",
                    identity.certificate,
                    "https://localhost:\(origin.port)/a?size=3000000"
                )
                #expect(large.text.utf8.count == 3_000_000)
            }
        }
    }

    @Test func `with an authority https goes through the cache, over HTTP/1.1 and HTTP/2`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost")
        try await PythonOrigin.run(identity) { origin in
            let arguments = [
                "--forward-proxy", "--allow-private", "--ca", scratch.path("ca"), "--cacert", identity.certificate,
            ]
            try await Served.run(arguments, in: scratch) { served in
                let url = "https://localhost:\(origin.port)/a?Cache-Control=max-age=600"
                let common = ["--proxy", served.base, "--cacert", authority]
                let miss = try await curl(common + ["--http1.1", url])
                #expect(miss.text == "/a 1\n", "\(miss.errors)")
                #expect(miss.version == "HTTP/1.1")
                #expect(miss["Via"] == "1.1 afcache")
                let hit = try await curl(common + ["--http2", url])
                #expect(hit.text == "/a 1\n", "\(hit.errors)")
                #expect(hit.version == "HTTP/2")
                #expect(hit.isHit)
                #expect(hit["Via"] == "1.1 afcache")
                #expect(try origin.count == 1)
                #expect(try origin.requests.first?.values("Host") == ["localhost:\(origin.port)"])
                let post = try await curl(common + ["--http2", "--data", "x=1", "-b", "a=1; b=2", url])
                #expect(post.text == "/a 2\n")
                #expect(try origin.requests.last?.body == "x=1")
                #expect(try origin.requests.last?.values("Cookie") == ["a=1; b=2"])
                origin.stop()
                #expect(try await curl(common + [url]).status == 504, "the POST invalidated it")
            }
        }
    }

    @Test func `an origin with an untrusted certificate gets no request`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost")
        try await PythonOrigin.run(identity) { origin in
            try await Served.run(["--forward-proxy", "--allow-private", "--ca", scratch.path("ca")], in: scratch) {
                served in
                let url = "https://localhost:\(origin.port)/a"
                let answer = try await curl("--proxy", served.base, "--cacert", authority, url)
                #expect(answer.status == 504 || answer.status == 502, "\(answer.errors)")
                #expect(try origin.count == 0)
            }
        }
    }

    @Test func `offline, https is served from the cache with the local authority`() async throws {
        let scratch = try Scratch()
        let authority = try await Served.makeAuthority(scratch, hosts: "docs.example", "other.example")
        try scratch.write(Array("<!DOCTYPE html><title>t</title>".utf8), to: "in/index.html")
        try scratch.write([UInt8](repeating: 0x61, count: 2_000_000), to: "in/large.txt")
        try await Served.load(scratch, baseURL: "https://docs.example", "--max-age", "86400")
        try await Served.run(["--ca", scratch.path("ca")], in: scratch) { served in
            let common = ["--proxy", served.base, "--cacert", authority]
            for version in ["--http1.1", "--http2"] {
                let page = try await curl(common + [version, "https://docs.example/index.html"])
                #expect(page.status == 200, "\(page.errors)")
                #expect(page.text == "<!DOCTYPE html><title>t</title>")
                #expect(page["Content-Type"]?.hasPrefix("text/html") == true)
                #expect(page.isHit)
                let large = try await curl(common + [version, "https://docs.example/large.txt"])
                #expect(large.text.utf8.count == 2_000_000)
                let part = try await curl(common + [version, "--range", "5-9", "https://docs.example/large.txt"])
                #expect(part.status == 206)
                let tag = try #require(page["ETag"])
                let same = try await curl(
                    common + [version, "-H", "If-None-Match: \(tag)", "https://docs.example/index.html"]
                )
                #expect(same.status == 304)
                let other = try await curl(common + [version, "https://other.example/index.html"])
                #expect(other.status == 504, "\(other.errors)")
                let wrong = try await curl(
                    common + [version, "-H", "Host: other.example", "https://docs.example/index.html"]
                )
                #expect(wrong.status == 421)
                #expect(try await curl(common + [version, "--data", "x", "https://docs.example/"]).status == 405)
            }
            // No certificate for a host that the authority may not sign for.
            let outside = try await curl(common + ["https://bank.example/"])
            #expect(outside.status == 0)
            #expect([35, 60].contains(outside.exit), "\(outside.errors)")
        }
    }

    @Test func `offline without an authority CONNECT is refused, and no origin is asked`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a.txt")
        try await Served.load(scratch, baseURL: "http://docs.example")
        try await PythonOrigin.run { origin in
            try await Served.run([], in: scratch) { served in
                let page = try await curl("--proxy", served.base, "http://docs.example/a.txt")
                #expect(page.text == "a")
                let missing = try await curl("--proxy", served.base, "http://\(origin.authority)/a")
                #expect(missing.status == 504)
                let tunnel = try await Raw.exchange(
                    served.port,
                    "CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
                )
                #expect(Raw.statuses(tunnel) == [405])
                #expect(try origin.count == 0)
            }
        }
    }

    @Test func `HTTP/2 works with the user's certificate, offline and in front of an origin`() async throws {
        let identity = try await Identity()
        let secure = ["--tls-cert", identity.certificate, "--tls-key", identity.key]
        let scratch = try Scratch()
        try scratch.write(Array("a".utf8), to: "in/a.txt")
        try await Served.load(scratch, baseURL: "http://docs.example")
        try await Served.run(secure, in: scratch) { served in
            let url = "https://localhost:\(served.port)/docs.example/a.txt"
            let page = try await curl("--cacert", identity.certificate, "--http2", url)
            #expect(page.version == "HTTP/2")
            #expect(page.text == "a")
            #expect(try await curl("--cacert", identity.certificate, "--http1.1", url).text == "a")
        }
        try await PythonOrigin.run { origin in
            try await Served.run(["--origin", "http://\(origin.authority)"] + secure, in: Scratch()) { served in
                let url = "https://localhost:\(served.port)/a?Cache-Control=max-age=60"
                for _ in 0..<2 {
                    let page = try await curl("--cacert", identity.certificate, "--http2", url)
                    #expect(page.version == "HTTP/2")
                    #expect(page.text == "/a 1\n")
                }
                let post = try await curl("--cacert", identity.certificate, "--http2", "--data", "x", url)
                #expect(post.text == "/a 2\n")
            }
        }
    }

    /// HTTP/2 may carry each cookie in a field of its own; HTTP/1.1 has one field for all (RFC 9113 §8.2.3).
    @Test(arguments: [["-b", "a=1; b=2; c=3"], ["-H", "Cookie: a=1", "-H", "Cookie: b=2; c=3"]])
    func `all cookies of a request over HTTP/2 reach the origin in one field`(arguments: [String]) async throws {
        let identity = try await Identity()
        let secure = ["--tls-cert", identity.certificate, "--tls-key", identity.key]
        try await PythonOrigin.run { origin in
            try await Served.run(["--origin", "http://\(origin.authority)"] + secure, in: Scratch()) { served in
                let url = "https://localhost:\(served.port)/a"
                let answer = try await curl(["--cacert", identity.certificate, "--http2"] + arguments + [url])
                #expect(answer.version == "HTTP/2" && answer.status == 200, "\(answer.errors)")
                let head = try #require(try origin.requests.last?.head)
                let lines = head.components(separatedBy: "\r\n").filter { $0.lowercased().hasPrefix("cookie:") }
                #expect(lines == ["Cookie: a=1; b=2; c=3"])
            }
        }
    }
}
