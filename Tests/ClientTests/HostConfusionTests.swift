import Foundation
import TestSupport
import Testing

/// Whom a request is for, where its parts contradict each other (RFC 9112 §3.2).
@Suite(.fewAtOnce)
struct HostConfusionTests {
    @Test func `the absolute form overrides Host, and the origin gets the target's Host`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.proxy { served in
                let url = "http://\(origin.authority)/a?Cache-Control=max-age=600&mirror=host"
                let confused = try await curl("--proxy", served.base, "-H", "Host: other.example", url)
                #expect(confused.text == origin.authority)
                let plain = try await curl("--proxy", served.base, url)
                #expect(plain.text == origin.authority)
                #expect(plain.isHit)
                // The other host has got nothing by it.
                let other = url.replacing(origin.authority, with: "other.example")
                #expect(
                    try await curl("--proxy", served.base, "-H", "Cache-Control: only-if-cached", other).status == 504
                )
            }
        }
    }

    @Test func `a gateway has one origin, whatever the Host and the target`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin, "--allow-host", "*") { served in
                let target = "/a?Cache-Control=max-age=600&mirror=host"
                for host in ["a.example", "b.example:81", "127.0.0.1:1", origin.authority] {
                    #expect(try await curl("-H", "Host: \(host)", served.base + target).text == origin.authority)
                }
                let absolute = try await Raw.exchange(
                    served.port,
                    "GET http://b.example\(target) HTTP/1.1\r\nHost: a.example\r\n\r\n"
                )
                #expect(absolute.hasSuffix(origin.authority))
                #expect(try origin.count == 1, "the host isn't part of the key, since it doesn't reach the origin")
            }
        }
    }

    @Test(arguments: [
        "GET /a HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a.example\r\nhost: a.example\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a.example b.example\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: \r\n\r\n", "GET /a HTTP/1.1\r\n\r\n",
        "GET a.example/a HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET ftp://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "GET http://a.example:99999/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "CONNECT / HTTP/1.1\r\nHost: a.example\r\n\r\n", "CONNECT a.example HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "CONNECT a.example:0 HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "CONNECT u@a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n",
        "CONNECT http://a.example:443/ HTTP/1.1\r\nHost: a.example\r\n\r\n",
    ])
    func `a request without exactly one host is refused`(request: String) async throws {
        try await PythonOrigin.run { origin in
            for options in [["--forward-proxy"], ["--origin", "http://\(origin.authority)"]] {
                let isGateway = options[0] == "--origin"
                // A gateway takes what is a path as one, and CONNECT not at all.
                if isGateway, request.hasPrefix("GET http:") { continue }
                try await Served.run(options, in: Scratch()) { served in
                    let statuses = try await Raw.statuses(Raw.exchange(served.port, request))
                    #expect(statuses == [isGateway && request.hasPrefix("CONNECT") ? 405 : 400], "\(statuses)")
                }
            }
            #expect(try origin.count == 0)
        }
    }

    @Test func `through a tunnel to one host no client gets another's answers`() async throws {
        let scratch = try Scratch()
        let identity = try await Identity()
        let authority = try await Served.makeAuthority(scratch, hosts: "localhost", "other.example")
        try await PythonOrigin.run(identity) { origin in
            let options = [
                "--forward-proxy", "--allow-private", "--ca", scratch.path("ca"), "--cacert", identity.certificate,
            ]
            try await Served.run(options, in: scratch) { served in
                let url = "https://localhost:\(origin.port)/a"
                for version in ["--http1.1", "--http2"] {
                    for host in ["other.example", "localhost:1", "localhost", "127.0.0.1:\(origin.port)"] {
                        let answer = try await curl(
                            "--proxy",
                            served.base,
                            "--cacert",
                            authority,
                            version,
                            "-H",
                            "Host: \(host)",
                            url
                        )
                        #expect(answer.status == 421, "\(version) \(host): \(answer)")
                    }
                }
                #expect(try origin.count == 0)
                // The name in the TLS hello is another one than that of CONNECT.
                let other = try await curl(
                    "--proxy",
                    served.base,
                    "--cacert",
                    authority,
                    "--connect-to",
                    "other.example:443:localhost:\(origin.port)",
                    "https://other.example/a"
                )
                #expect(other.status == 421, "\(other)")
                #expect(try origin.count == 0)
            }
        }
    }
}
