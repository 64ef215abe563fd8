import TestSupport
import Testing

/// Two of these caches in a row, as a company's before a site's.
@Suite(.fewAtOnce)
struct ChainTests {
    @Test func `two gateways in a row answer, store, and say who was on the way`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { inner in
                try await Served.run(["--origin", inner.base], in: Scratch()) { outer in
                    let url = outer.base + "/a?Cache-Control=max-age=600"
                    let miss = try await curl(url)
                    #expect(miss.status == 200, "\(miss.text)")
                    #expect(miss["Cache-Status"]?.contains("afcache; fwd=uri-miss") == true)
                    // The first member is the inner cache's.
                    let hit = try await curl(url).fields.last { $0.name.lowercased() == "cache-status" }
                    #expect(hit?.value.hasPrefix("afcache; hit; ttl=") == true, "\(String(describing: hit))")
                    #expect(try await curl(inner.base + "/a?Cache-Control=max-age=600").status == 200)
                    #expect(try await curl("-d", "x=1", url).status == 200)
                    let names = try #require(try origin.requests.first).values("Via")
                    #expect(names.count == 2 && Set(names).count == 2, "\(names)")
                }
            }
        }
    }

    @Test func `a proxy leads to a site behind a gateway, and one that comes back is refused`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { gateway in
                try await Served.proxy { proxy in
                    let url = gateway.base + "/a?Cache-Control=max-age=600"
                    let answer = try await curl("--proxy", proxy.base, url)
                    #expect(answer.status == 200)
                }
                let via = try #require(try origin.requests.first).values("Via").joined(separator: ", ")
                let loop = try await curl("-H", "Via: \(via)", gateway.base + "/b")
                #expect(loop.status == 508)
                let upgrade = try await curl(
                    "-H",
                    "Via: \(via)",
                    "-H",
                    "Connection: Upgrade",
                    "-H",
                    "Upgrade: websocket",
                    gateway.base + "/b"
                )
                #expect(upgrade.status == 508)
                #expect(try origin.count == 1)
            }
        }
    }

    @Test func `an event stream passes two gateways as it comes`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { inner in
                try await Served.run(["--origin", inner.base], in: Scratch()) { outer in
                    let client = try RunningProgram(
                        "curl",
                        ["-sS", "-N", "--noproxy", "", "--max-time", "600", outer.base + "/sse?events=3"]
                    )
                    for number in 0..<3 {
                        try await waitUntil("event \(number) came") { client.text.contains("data: \(number)\n\n") }
                        #expect(!client.text.contains("data: \(number + 1)"), "the origin waits for a request")
                        #expect(try await curl(outer.base + "/go").status == 200)
                    }
                    let status = try await Blocking.run { client.wait() }
                    #expect(status == 0)
                    #expect(client.text == "data: 0\n\ndata: 1\n\ndata: 2\n\n")
                }
            }
        }
    }
}
