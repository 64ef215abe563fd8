import TestSupport
import Testing

/// What an origin learns of the clients of a gateway.
@Suite(.fewAtOnce)
struct ForwardedFieldsClientTests {
    private static let spoofed = [
        "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https",
        "X-Forwarded-Prefix: /evil", "X-Real-IP: 192.0.2.1", "Forwarded: for=192.0.2.1;host=evil.example",
        "X_Forwarded_For: 192.0.2.2", "x-forwarded-server: evil",
    ]

    @Test func `a gateway says who its client is and what it asked for, whatever the client says`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                for extra in [[], ["Connection: X-Forwarded-For, X-Forwarded-Host, Forwarded"]] {
                    let fields = (Self.spoofed + extra).flatMap { ["-H", $0] }
                    #expect(try await curl(fields + [served.base + "/a"]).status == 200)
                    let came = try #require(try origin.requests.last)
                    #expect(came.values("X-Forwarded-For") == ["127.0.0.1"])
                    #expect(came.values("X-Forwarded-Proto") == ["http"])
                    for name in [
                        "Forwarded", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Real-IP", "X_Forwarded_For",
                        "X-Forwarded-Server",
                    ] {
                        #expect(came.values(name) == [], "\(name)")
                    }
                    #expect(came.values("Host") == [origin.authority])
                }
            }
        }
    }

    @Test func `an option keeps the client's Host, and names proxies that are believed`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin, "--preserve-host", "--trusted-proxy", "127.0.0.0/8") { served in
                let url = served.base + "/a?Cache-Control=max-age=600&Vary=X-Forwarded-For&mirror=x-forwarded-for"
                let fields = [
                    "Host: docs.example", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https",
                    "X-Real-IP: 192.0.2.1",
                ]
                let answer = try await curl(fields.flatMap { ["-H", $0] } + [url])
                #expect(answer.text == "192.0.2.1, 127.0.0.1")
                let came = try #require(try origin.requests.last)
                #expect(came.values("Host") == ["docs.example"])
                #expect(came.values("X-Forwarded-Host") == ["docs.example"])
                #expect(came.values("X-Forwarded-Proto") == ["https"])
                #expect(came.values("X-Real-IP") == ["192.0.2.1"])
                #expect(came.values("Forwarded") == [])
                #expect(try await curl("-H", "Host: docs.example", url).text == "127.0.0.1")
            }
        }
    }

    /// The origin makes its answer for the host that was asked for.
    @Test(arguments: ["x-forwarded-host", "host"])
    func `a client of one host gets no response made for another`(_ name: String) async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin, "--preserve-host") { served in
                let url = served.base + "/a?Cache-Control=max-age=600&mirror=\(name)"
                // In the absolute form the target says which host is meant.
                let other = try await Raw.exchange(
                    served.port,
                    "GET http://c.localhost/x?echo= HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                )
                #expect(other.contains("\r\nHost: c.localhost"), "\(other)")
                for _ in 0..<2 {
                    for host in ["a.localhost", "b.localhost"] {
                        #expect(try await curl("-H", "Host: \(host)", url).text == host)
                    }
                }
                #expect(try origin.count == 3, "both are stored")
            }
        }
    }

    @Test func `over TLS the origin learns the scheme`() async throws {
        let identity = try await Identity()
        try await PythonOrigin.run { origin in
            let options = ["--tls-cert", identity.certificate, "--tls-key", identity.key, "--preserve-host"]
            try await Served.run(["--origin", "http://\(origin.authority)"] + options, in: Scratch()) { served in
                for version in ["--http1.1", "--http2"] {
                    let url = "https://localhost:\(served.port)/a"
                    let answer = try await curl("--cacert", identity.certificate, version, url)
                    #expect(answer.status == 200, "\(answer.errors)")
                    let came = try #require(try origin.requests.last)
                    #expect(came.values("X-Forwarded-Proto") == ["https"])
                    #expect(came.values("X-Forwarded-Host") == ["localhost:\(served.port)"])
                }
            }
        }
    }
}
